//! The command tree. What each verb takes stands with the verb.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand};

use crate::{commands, seal};

/// Send requests to other agent sessions on this machine, answer them, and find everything again.
///
/// Messages are saved in one SQLite mailbox before anybody is told of them. Every command prints one JSON object.
#[derive(Debug, Parser)]
#[command(name = "htalk", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Example:\n  htalk peer add me --harness shell --delivery pull\n  htalk --as me inbox\n\n\
    `htalk demo` shows a whole exchange in a mailbox of its own.")]
pub struct Cli {
    /// The mailbox; else HTALK_DB, else $XDG_DATA_HOME/harness-talk/mail.sqlite3, else ~/.local/share/…
    #[arg(long, value_name = "PATH")]
    pub db: Option<PathBuf>,
    /// The calling peer; else HTALK_PEER, else the peer of the calling client's session
    #[arg(long = "as", value_name = "NAME")]
    pub actor: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: Command,
}

/// Makes the enum of some verbs. What a verb takes is put together only for the one that is asked for: building the
/// arguments of all of them would be a tenth of a short command.
macro_rules! verbs {
    ($(#[$doc:meta])* $name:ident {
        $($(#[doc = $about:literal])+ $verb:ident($args:ty) = $word:literal $(.$set:ident($value:expr))*,)+
    }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {
            $($(#[doc = $about])+ $verb($args),)+
        }

        impl Subcommand for $name {
            fn augment_subcommands(command: clap::Command) -> clap::Command {
                command$(.subcommand({
                    const ABOUT: &str = concat!($($about),+).trim_ascii();
                    let verb = clap::Command::new($word).about(ABOUT)$(.$set($value))*;
                    verb.defer(|verb| <$args>::augment_args(verb).about(ABOUT))
                }))+
            }

            fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($word),+].contains(&name)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($word, matches)) => <$args>::from_arg_matches(matches).map($name::$verb),)+
                    _ => Err(clap::Error::new(ErrorKind::MissingSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

verbs! {
    /// The verbs.
    Command {
        /// Register, list, check, retire and restore peers
        Peer(PeerVerbs) = "peer",
        /// Save a request to another peer and tell its client once
        Send(commands::send::Send) = "send",
        /// Save the one answer to a request
        Reply(commands::reply::Reply) = "reply",
        /// Wait for the answer to an own request
        Wait(commands::wait::Wait) = "wait",
        /// Print one message
        Show(commands::show::Show) = "show",
        /// Acknowledge a message after reading it
        Ack(commands::ack::Ack) = "ack",
        /// List the open mail: unanswered questions and unacknowledged answers
        Inbox(commands::inbox::Inbox) = "inbox",
        /// List what the calling peer sent, newest first
        Sent(commands::sent::Sent) = "sent",
        /// Print a JSON line for each open message, as they come
        Watch(commands::watch::Watch) = "watch",
        /// Hand one message over at most once, with graded evidence of what became of it
        Handoff(HandoffVerbs) = "handoff",
        /// Make a mailbox, or upgrade one of an earlier release
        Migrate(commands::migrate::Migrate) = "migrate",
        /// Show a whole exchange between two peers in a temporary mailbox
        Demo(commands::demo::Demo) = "demo",
    }
}

/// Register, list, check, retire and restore peers
#[derive(Debug, Args)]
pub struct PeerVerbs {
    /// The verb.
    #[command(subcommand)]
    pub verb: Peer,
}

verbs! {
    /// The verbs about peers.
    Peer {
        /// Record the address of a peer; touches no client
        Add(commands::peer_add::PeerAdd) = "add",
        /// List the registered peers
        List(commands::peer_list::PeerList) = "list",
        /// Look whether a peer can be reached right now
        Check(commands::peer_check::PeerCheck) = "check",
        /// List the client sessions that could be registered
        Discover(commands::peer_discover::PeerDiscover) = "discover",
        /// Take a peer out of all new requests
        Retire(commands::peer_retire::PeerName) = "retire",
        /// Bring a retired peer back
        Restore(commands::peer_retire::PeerName) = "restore",
    }
}

/// Hand one message over at most once, with graded evidence of what became of it
#[derive(Debug, Args)]
#[command(after_help = "docs/handoff.md tells what is proven by what.")]
pub struct HandoffVerbs {
    /// The verb.
    #[command(subcommand)]
    pub verb: Handoff,
}

verbs! {
    /// The verbs about handoffs.
    Handoff {
        /// Begin the ledger of handoffs in this mailbox
        Init(commands::handoff::init::Init) = "init",
        /// Bind a message to one recipient process; nothing is sent
        Prepare(commands::handoff::prepare::Prepare) = "prepare",
        /// Submit a prepared message, or a new one, at most once
        Send(commands::handoff::send::Send) = "send",
        /// Print what is known of a handoff
        Status(commands::handoff::status::Status) = "status",
        /// List the handoffs of the calling peer, newest first
        List(commands::handoff::list::List) = "list",
        /// Wait for the acknowledgment of a handoff
        Wait(commands::handoff::wait::Wait) = "wait",
        /// State as the sender that the recipient has it
        Confirm(commands::handoff::receipt::Confirm) = "confirm",
        /// Present the receipt that came with a handoff
        Ack(commands::handoff::receipt::Ack) = "ack",
        /// Declare the ledger a restored copy, which can't be undone: nothing in it counts any more
        Quarantine(commands::handoff::quarantine::Quarantine) = "quarantine",
        /// Answer a htalk of another machine over SSH
        Native(commands::handoff::native::Native) = "native".hide(true),
    }
}

/// Parses the arguments of the process. Wrong usage, `--help` and `--version` end it here.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        if error.kind() == ErrorKind::DisplayVersion {
            let _ = crate::output::plain(concat!(env!("CARGO_PKG_VERSION"), "\n"));
            std::process::exit(0);
        }
        let mut text = error.render().to_string();
        for word in std::env::args_os().filter_map(|word| word.into_string().ok()) {
            if let Some(secret) = secret(&word) {
                text = text.replace(secret, "{…}");
            }
        }
        let _ = if error.use_stderr() { crate::output::usage(&text) } else { crate::output::plain(&text) };
        std::process::exit(error.exit_code());
    })
}

/// What of an argument must not come back: a receipt or its token, behind the name of an option too.
fn secret(word: &str) -> Option<&str> {
    let value = || word.split_once('=').map_or(word, |(_, value)| value);
    word.find('{').map(|start| &word[start..]).or_else(|| Some(value()).filter(|text| seal::is_token(text)))
}
