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
    Verb, ack, backup, cancel, demo, handoff, inbox, join, migrate, note, nudge, peer_add, peer_check, peer_discover,
    peer_list, peer_move, peer_restore, peer_retire, reply, restore, send, sent, show, wait, watch, whoami,
};

const TABLE: &[Entry] = &[
    group(
        "peer",
        "Register, move, list, check, retire and restore peers",
        &[
            verb::<peer_add::PeerAdd>("add", "Record the address of a peer; touches no client"),
            verb::<peer_move::PeerMove>("move", "Record where a peer is now; touches no client"),
            verb::<peer_list::PeerList>("list", "List the registered peers"),
            verb::<peer_check::PeerCheck>("check", "Look whether a peer can be reached right now"),
            verb::<peer_discover::PeerDiscover>("discover", "List the client sessions that could be registered"),
            verb::<peer_retire::PeerRetire>("retire", "Take a peer out of all new requests"),
            verb::<peer_restore::PeerRestore>("restore", "Bring a retired peer back"),
        ],
    ),
    verb::<join::Join>("join", "Take part from this session, under a name"),
    verb::<whoami::Whoami>("whoami", "Print who is calling, and how mail reaches this session"),
    verb::<send::Send>("send", "Save a request to one peer or several and tell each one's client once"),
    verb::<reply::Reply>("reply", "Save the one answer to a request"),
    verb::<note::Note>("note", "Tell a peer something that needs no answer"),
    verb::<cancel::Cancel>("cancel", "Take an own request back that has no answer"),
    verb::<nudge::Nudge>("nudge", "Try once more to tell the recipient of an own message"),
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
    front("mcp", "Serve the verbs as tools of the Model Context Protocol on standard input and output", Front::Mcp)
        .with_help(
            "Example:\n  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | htalk mcp\n\n\
             docs/mcp.md has the tools, their arguments and their limits.",
        ),
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
pub enum Asked {
    /// One call of a verb.
    Verb(Request),
    /// Another front than the command line, which makes calls by itself.
    Front(Front, Wanted),
}

/// A front that has a command of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// A server of the Model Context Protocol.
    Mcp,
}

/// One call of a verb.
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
    Front(Front),
}

const fn verb<V: Verb>(word: &'static str, about: &'static str) -> Entry {
    let kind = Kind::Verb { arguments: arguments::<V>, read: read::<V>, refused: V::REFUSED };
    Entry { word, about, help: None, is_hidden: false, kind }
}

const fn group(word: &'static str, about: &'static str, entries: &'static [Entry]) -> Entry {
    Entry { word, about, help: None, is_hidden: false, kind: Kind::Group(entries) }
}

const fn front(word: &'static str, about: &'static str, front: Front) -> Entry {
    Entry { word, about, help: None, is_hidden: false, kind: Kind::Front(front) }
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

    fn command(&self, is_meant: &dyn Fn(&Entry) -> bool) -> Command {
        let command =
            Command::new(self.word).about(self.about).after_help(self.help.unwrap_or_default()).hide(self.is_hidden);
        match &self.kind {
            // What a verb takes is put together only for the one that is asked for: building the arguments of all of
            // them would be a tenth of a short command.
            Kind::Verb { arguments, .. } => command.defer(*arguments),
            Kind::Group(entries) => tree(command, entries, is_meant),
            Kind::Front(_) => command,
        }
    }
}

/// A command with those of its entries that a line can mean.
fn tree(command: Command, entries: &[Entry], is_meant: &dyn Fn(&Entry) -> bool) -> Command {
    let commands = entries.iter().filter(|entry| is_meant(entry)).map(|entry| entry.command(is_meant));
    command.subcommands(commands).subcommand_required(true).arg_required_else_help(true)
}

/// The whole command, with those entries of the table that a line can mean.
fn htalk(is_meant: &dyn Fn(&Entry) -> bool) -> Command {
    let command = Options::augment_args(Command::new("htalk").version(env!("CARGO_PKG_VERSION")).max_term_width(100));
    tree(command, TABLE, is_meant)
}

/// Reads a command line, the program's name included.
///
/// # Errors
/// Wrong usage, `--help` and `--version`.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> std::result::Result<Asked, Usage> {
    let words: Vec<OsString> = words.into_iter().collect();
    // A line that is in order means only what it names. All the others are there for help and for suggestions; making
    // them takes more than the reading.
    let mut named = htalk(&|entry| words.iter().any(|word| word == entry.word));
    match named.try_get_matches_from_mut(&words).and_then(|matches| request(&matches)) {
        Ok(request) => return Ok(request),
        Err(error) if error.kind() == ErrorKind::DisplayVersion => {
            return Err(Usage { text: concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned(), is_misuse: false });
        }
        Err(_) => {}
    }
    let mut whole = htalk(&|_| true);
    whole
        .try_get_matches_from_mut(&words)
        .and_then(|matches| request(&matches))
        .map_err(|error| usage(&suggesting(error, &words).format(&mut whole), &words))
}

/// Reads the words of one verb, without the program and its options, for a front that knows which verb it wants: how
/// the verb ends where it says no, and the verb.
///
/// # Errors
/// Wrong usage.
pub fn verb_of(words: &[String]) -> std::result::Result<(Status, Job), Usage> {
    let misuse = |error: clap::Error| Usage { text: error.render().to_string(), is_misuse: true };
    let mut entries = TABLE;
    for (at, word) in words.iter().enumerate() {
        match entries.iter().find(|entry| entry.word == word).map(|entry| (entry, &entry.kind)) {
            Some((_, Kind::Group(group))) => entries = group,
            Some((entry, Kind::Verb { read, refused, .. })) => {
                // Built alone: the whole tree takes longer than most verbs.
                let command = entry.command(&|_| true).no_binary_name(true);
                let matches = command.try_get_matches_from(&words[at + 1..]);
                return Ok((*refused, matches.and_then(|matches| read(&matches)).map_err(misuse)?));
            }
            _ => break,
        }
    }
    Err(misuse(clap::Error::new(ErrorKind::MissingSubcommand)))
}

fn request(matches: &ArgMatches) -> clap::error::Result<Asked> {
    let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
    let (mut entries, mut matches) = (TABLE, matches);
    loop {
        let (word, below) = matches.subcommand().ok_or_else(missing)?;
        let entry = entries.iter().find(|entry| entry.word == word).ok_or_else(missing)?;
        match entry.kind {
            Kind::Group(group) => (entries, matches) = (group, below),
            Kind::Verb { read, refused, .. } => {
                return Ok(Asked::Verb(Request { wanted: wanted(below)?, refused, verb: read(below)? }));
            }
            Kind::Front(front) => return Ok(Asked::Front(front, wanted(below)?)),
        }
    }
}

/// The options of the innermost command: it has what was given anywhere in the line, the last one where there are
/// several.
fn wanted(matches: &ArgMatches) -> clap::error::Result<Wanted> {
    let Options { db, actor } = Options::from_arg_matches(matches)?;
    Ok(Wanted { mailbox: db, actor, ..Wanted::default() })
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
            ("register", "join"),
            ("remind", "nudge"),
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
