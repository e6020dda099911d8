//! The command tree. What each verb takes stands with the verb.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands;

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

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Register, list, check, retire and restore peers
    #[command(subcommand)]
    Peer(Peer),
    /// Save a request to another peer and tell its client once
    Send(commands::send::Send),
    /// Save the one answer to a request
    Reply(commands::reply::Reply),
    /// Wait for the answer to an own request
    Wait(commands::wait::Wait),
    /// Print one message
    Show(commands::show::Show),
    /// Acknowledge a message after reading it
    Ack(commands::ack::Ack),
    /// List the open mail: unanswered questions and unacknowledged answers
    Inbox(commands::inbox::Inbox),
    /// List what the calling peer sent, newest first
    Sent(commands::sent::Sent),
    /// Print a JSON line for each open message, as they come
    Watch(commands::watch::Watch),
    /// Hand one message over at most once, with graded evidence of what became of it
    #[command(subcommand)]
    Handoff(Handoff),
    /// Make a mailbox, or upgrade one of an earlier release
    Migrate(commands::migrate::Migrate),
    /// Show a whole exchange between two peers in a temporary mailbox
    Demo(commands::demo::Demo),
}

/// The verbs about peers.
#[derive(Debug, Subcommand)]
pub enum Peer {
    /// Record the address of a peer; touches no client
    Add(commands::peer_add::PeerAdd),
    /// List the registered peers
    List(commands::peer_list::PeerList),
    /// Look whether a peer can be reached right now
    Check(commands::peer_check::PeerCheck),
    /// List the client sessions that could be registered
    Discover(commands::peer_discover::PeerDiscover),
    /// Take a peer out of all new requests
    Retire(commands::peer_retire::PeerName),
    /// Bring a retired peer back
    Restore(commands::peer_retire::PeerName),
}

/// The verbs about handoffs.
#[derive(Debug, Subcommand)]
pub enum Handoff {
    /// Begin the ledger of handoffs in this mailbox
    Init(commands::handoff::init::Init),
    /// Bind a message to one recipient process; nothing is sent
    Prepare(commands::handoff::prepare::Prepare),
    /// Submit a prepared message, or a new one, at most once
    Send(commands::handoff::send::Send),
    /// Print what is known of a handoff
    Status(commands::handoff::status::Status),
    /// List the own handoffs, newest first
    List(commands::handoff::list::List),
    /// Wait for the acknowledgment of a handoff
    Wait(commands::handoff::wait::Wait),
    /// State as the sender that the recipient has it
    Confirm(commands::handoff::receipt::Confirm),
    /// Present the receipt that came with a handoff
    Ack(commands::handoff::receipt::Ack),
    /// Declare the ledger a restored copy: nothing in it proves or allows anything any more
    Quarantine(commands::handoff::quarantine::Quarantine),
    /// Answer a htalk of another machine over SSH
    #[command(hide = true)]
    Native(commands::handoff::native::Native),
}

/// Parses the arguments of the process. Wrong usage, `--help` and `--version` end it here.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        if error.kind() == ErrorKind::DisplayVersion {
            let _ = crate::output::plain(concat!(env!("CARGO_PKG_VERSION"), "\n"));
            std::process::exit(0);
        }
        let text = error.render().to_string();
        let _ = if error.use_stderr() { crate::output::usage(&text) } else { crate::output::plain(&text) };
        std::process::exit(error.exit_code());
    })
}
