//! The one table of verbs: the command tree, the dispatch and the help are made of it. What a verb takes stands with
//! the verb.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::answer::{Answer, Status};
use crate::call::{Call, Wanted};
use crate::error::Result;
use crate::seal;
use crate::verbs::{
    Verb, ack, backup, cancel, demo, handoff, inbox, migrate, note, peer_add, peer_check, peer_discover, peer_list,
    peer_restore, peer_retire, reply, restore, send, sent, show, wait, watch,
};

const TABLE: &[Entry] = &[
    group(
        "peer",
        "Register, list, check, retire and restore peers",
        &[
            verb::<peer_add::PeerAdd>("add", "Record the address of a peer; touches no client"),
            verb::<peer_list::PeerList>("list", "List the registered peers"),
            verb::<peer_check::PeerCheck>("check", "Look whether a peer can be reached right now"),
            verb::<peer_discover::PeerDiscover>("discover", "List the client sessions that could be registered"),
            verb::<peer_retire::PeerRetire>("retire", "Take a peer out of all new requests"),
            verb::<peer_restore::PeerRestore>("restore", "Bring a retired peer back"),
        ],
    ),
    verb::<send::Send>("send", "Save a request to one peer or several and tell each one's client once"),
    verb::<reply::Reply>("reply", "Save the one answer to a request"),
    verb::<note::Note>("note", "Tell a peer something that needs no answer"),
    verb::<cancel::Cancel>("cancel", "Take an own request back that has no answer"),
    verb::<wait::Wait>("wait", "Wait for the answer to an own request, or to several"),
    verb::<show::Show>("show", "Print one message, or its conversation"),
    verb::<ack::Ack>("ack", "Acknowledge a message after reading it"),
    verb::<inbox::Inbox>("inbox", "List the open mail: unanswered questions, unacknowledged answers and notes"),
    verb::<sent::Sent>("sent", "List what the calling peer sent, newest first"),
    verb::<watch::Watch>("watch", "Print a JSON line for each open message, as they come"),
    group(
        "handoff",
        "Hand one message over at most once, with graded evidence of what became of it",
        &[
            verb::<handoff::init::Init>("init", "Begin the ledger of handoffs in this mailbox"),
            verb::<handoff::prepare::Prepare>("prepare", "Bind a message to one recipient process; nothing is sent"),
            verb::<handoff::send::Send>("send", "Submit a prepared message, or a new one, at most once"),
            verb::<handoff::status::Status>("status", "Print what is known of a handoff"),
            verb::<handoff::list::List>("list", "List the handoffs of the calling peer, newest first"),
            verb::<handoff::wait::Wait>("wait", "Wait for the acknowledgment of a handoff"),
            verb::<handoff::confirm::Confirm>("confirm", "State as the sender that the recipient has it"),
            verb::<handoff::ack::Ack>("ack", "Present the receipt that came with a handoff"),
            verb::<handoff::quarantine::Quarantine>(
                "quarantine",
                "Declare the ledger a restored copy, which can't be undone: nothing in it counts any more",
            ),
            verb::<handoff::remote_side::Native>("native", "Answer a htalk of another machine over SSH").hidden(),
        ],
    )
    .with_help("docs/handoff.md tells what is proven by what."),
    verb::<migrate::Migrate>("migrate", "Make a mailbox, or upgrade one of an earlier release"),
    verb::<backup::Backup>("backup", "Copy the whole mailbox to a new file, verified"),
    verb::<restore::Restore>("restore", "Put a backup in the place of the mailbox, and keep what was there"),
    verb::<demo::Demo>("demo", "Show a whole exchange between two peers in a temporary mailbox"),
];

/// Send requests to other agent sessions on this machine, answer them, and find everything again.
///
/// Messages are saved in one SQLite mailbox before anybody is told of them. Every command prints one JSON object.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer add me --harness shell --delivery pull\n  htalk --as me inbox\n\n\
    `htalk demo` shows a whole exchange in a mailbox of its own.")]
struct Options {
    /// The mailbox; else HTALK_DB, else $XDG_DATA_HOME/harness-talk/mail.sqlite3, else ~/.local/share/…
    #[arg(long, value_name = "PATH", global = true, overrides_with = "db")]
    db: Option<PathBuf>,
    /// The calling peer; else HTALK_PEER, else the peer of the calling client's session
    #[arg(long = "as", value_name = "NAME", global = true, overrides_with = "actor")]
    actor: Option<String>,
}

/// A verb with its arguments.
pub type Job = Box<dyn FnOnce(&Call) -> Result<Answer>>;

/// What a command line asks for.
pub struct Request {
    /// The mailbox and the actor.
    pub wanted: Wanted,
    /// How the verb ends where a rule or a client says no.
    pub refused: Status,
    /// The verb.
    pub verb: Job,
}

/// What a command line without a verb to run comes to.
#[derive(Debug)]
pub struct Usage {
    /// Help, the version, or what is wrong.
    pub text: String,
    /// Whether something is wrong.
    pub is_misuse: bool,
}

/// A verb, or a group of verbs, under one word.
struct Entry {
    word: &'static str,
    about: &'static str,
    help: Option<&'static str>,
    is_hidden: bool,
    kind: Kind,
}

enum Kind {
    Verb {
        /// Adds what the verb takes.
        arguments: fn(Command) -> Command,
        /// Reads it.
        read: fn(&ArgMatches) -> clap::error::Result<Job>,
        refused: Status,
    },
    Group(&'static [Entry]),
}

const fn verb<V: Verb>(word: &'static str, about: &'static str) -> Entry {
    let kind = Kind::Verb { arguments: arguments::<V>, read: read::<V>, refused: V::REFUSED };
    Entry { word, about, help: None, is_hidden: false, kind }
}

const fn group(word: &'static str, about: &'static str, entries: &'static [Entry]) -> Entry {
    Entry { word, about, help: None, is_hidden: false, kind: Kind::Group(entries) }
}

fn arguments<V: Verb>(command: Command) -> Command {
    let about = command.get_about().cloned();
    V::augment_args(command).about(about.unwrap_or_default())
}

fn read<V: Verb>(matches: &ArgMatches) -> clap::error::Result<Job> {
    let verb = V::from_arg_matches(matches)?;
    if let Some(words) = verb.misuse() {
        return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, words));
    }
    Ok(Box::new(|call| verb.run(call)))
}

impl Entry {
    const fn hidden(self) -> Entry {
        Entry { is_hidden: true, ..self }
    }

    const fn with_help(self, help: &'static str) -> Entry {
        Entry { help: Some(help), ..self }
    }

    fn command(&self) -> Command {
        let command =
            Command::new(self.word).about(self.about).after_help(self.help.unwrap_or_default()).hide(self.is_hidden);
        match &self.kind {
            // What a verb takes is put together only for the one that is asked for: building the arguments of all of
            // them would be a tenth of a short command.
            Kind::Verb { arguments, .. } => command.defer(*arguments),
            Kind::Group(entries) => tree(command, entries),
        }
    }
}

fn tree(command: Command, entries: &'static [Entry]) -> Command {
    command.subcommands(entries.iter().map(Entry::command)).subcommand_required(true).arg_required_else_help(true)
}

/// Reads a command line, the program's name included.
///
/// # Errors
/// Wrong usage, `--help` and `--version`.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> std::result::Result<Request, Usage> {
    let words: Vec<OsString> = words.into_iter().collect();
    let command = Options::augment_args(Command::new("htalk").version(env!("CARGO_PKG_VERSION")).max_term_width(100));
    let mut command = tree(command, TABLE);
    command
        .try_get_matches_from_mut(&words)
        .and_then(|matches| request(&matches))
        .map_err(|error| usage(&suggesting(error, &words).format(&mut command), &words))
}

fn request(matches: &ArgMatches) -> clap::error::Result<Request> {
    let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
    let (mut entries, mut matches) = (TABLE, matches);
    loop {
        let (word, below) = matches.subcommand().ok_or_else(missing)?;
        let entry = entries.iter().find(|entry| entry.word == word).ok_or_else(missing)?;
        match entry.kind {
            Kind::Group(group) => (entries, matches) = (group, below),
            Kind::Verb { read, refused, .. } => {
                // The innermost has what was given anywhere in the line, the last one where there are several.
                let Options { db, actor } = Options::from_arg_matches(below)?;
                let wanted = Wanted { mailbox: db, actor };
                return Ok(Request { wanted, refused, verb: read(below)? });
            }
        }
    }
}

/// Verbs that other programs have, behind a word of this one, and the verb that does this here. By their letters alone
/// others would be near.
const NEAR: &[(&str, &[(&str, &str)])] = &[
    (
        "peer",
        &[
            ("create", "add"),
            ("delete", "retire"),
            ("find", "discover"),
            ("join", "add"),
            ("ls", "list"),
            ("new", "add"),
            ("register", "add"),
            ("remove", "retire"),
            ("rm", "retire"),
            ("show", "check"),
            ("status", "check"),
            ("unregister", "retire"),
        ],
    ),
    ("handoff", &[("ls", "list"), ("show", "status")]),
    (
        "",
        &[
            ("abort", "cancel"),
            ("answer", "reply"),
            ("check", "inbox"),
            ("fetch", "inbox"),
            ("follow", "watch"),
            ("get", "show"),
            ("list", "inbox"),
            ("listen", "watch"),
            ("mail", "inbox"),
            ("message", "send"),
            ("outbox", "sent"),
            ("peers", "peer"),
            ("read", "show"),
            ("receive", "inbox"),
            ("respond", "reply"),
            ("tell", "send"),
            ("upgrade", "migrate"),
            ("view", "show"),
        ],
    ),
];

/// The error of a verb that there is none of, with the verb that is meant by it in place of those that look alike.
fn suggesting(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let before =
        words.iter().position(|word| word.to_str() == Some(verb)).and_then(|place| words.get(place.checked_sub(1)?));
    let group = before.and_then(|word| word.to_str()).filter(|word| TABLE.iter().any(|entry| entry.word == *word));
    let near = NEAR.iter().filter(|(within, _)| *within == group.unwrap_or_default()).flat_map(|(_, near)| *near);
    let meant: Vec<String> = near.filter(|(other, _)| other == verb).map(|(_, meant)| (*meant).to_owned()).collect();
    if !meant.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
    }
    error
}

fn usage(error: &clap::Error, words: &[OsString]) -> Usage {
    if error.kind() == ErrorKind::DisplayVersion {
        return Usage { text: concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned(), is_misuse: false };
    }
    let mut text = error.render().to_string();
    for secret in words.iter().filter_map(|word| secret(word.to_str()?)) {
        text = text.replace(secret, "{…}");
    }
    Usage { text, is_misuse: error.use_stderr() }
}

/// What of an argument must not come back: a receipt or its token, behind the name of an option too.
fn secret(word: &str) -> Option<&str> {
    let value = || word.split_once('=').map_or(word, |(_, value)| value);
    word.find('{').map(|start| &word[start..]).or_else(|| Some(value()).filter(|text| seal::is_token(text)))
}
