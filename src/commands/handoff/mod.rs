//! The verbs of handoffs: one submission of a message to one recipient process, with graded evidence.
//!
//! The ledger is in the mailbox: its rules decide what a handoff may do next. What stands here is the order of the
//! steps, what SQL can't see (the clock, the private file, the client), and the words.

mod attempt;
mod binding;
mod effect;
pub mod init;
mod input;
pub mod list;
pub mod native;
mod object;
pub mod prepare;
pub mod quarantine;
pub mod receipt;
pub mod send;
mod ssh;
pub mod status;
mod text;
pub mod wait;

use super::{Done, refusal};
use crate::cli::Handoff;
use crate::clients::Refusal;
use crate::clock::Moment;
use crate::config::{Actor, Run};
use crate::db::{self, Access, Arg, Db};
use crate::error::{Error, Result};

/// Runs the verb that was asked for; an error becomes its answer.
pub fn run(verb: Handoff, run: Result<Run>) -> Done {
    let done = match verb {
        Handoff::Native(verb) => return verb.run(),
        Handoff::Init(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Prepare(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Send(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Status(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::List(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Wait(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Confirm(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Ack(verb) => run.and_then(|run| verb.run(&run)),
        Handoff::Quarantine(verb) => run.and_then(|run| verb.run(&run)),
    };
    done.unwrap_or_else(refused)
}

/// The answer of an error. What is no misuse is an answer about a handoff; so is whatever goes wrong behind its effect.
fn refused(error: Error) -> Done {
    let is_behind_effect = error.facts.contains_key("submission");
    let exit = if is_misuse(&error.code) && !is_behind_effect { 2 } else { 1 };
    Done { exit, ..refusal(error) }
}

/// Whether an error is one of the arguments, the caller or the mailbox, and no answer about a handoff.
fn is_misuse(code: &str) -> bool {
    const CODES: [&str; 8] = [
        "unknown_peer",
        "invalid_correlation_id",
        "wait_timeout_must_be_between_1_and_60",
        "limit_must_be_between_1_and_500",
        "peer_required_use_as_or_HTALK_PEER",
        "not_a_mailbox",
        "mailbox_not_writable",
        "invalid_database_schema",
    ];
    CODES.contains(&code)
        || ["actor_conflicts_with_", "database_", "unsupported_database_"].iter().any(|start| code.starts_with(start))
}

/// Opens a mailbox that nobody else can read or write and that has the ledger.
fn open(run: &Run, access: Access) -> Result<Db> {
    db::require_private(run.mailbox())?;
    let db = run.open(access)?;
    if db.has_handoffs()? { Ok(db) } else { Err(no_ledger()) }
}

/// The error of a mailbox without the ledger.
fn no_ledger() -> Error {
    Error::new("handoff_history_unavailable")
        .with_detail("this mailbox has no ledger of handoffs yet")
        .with_fact("next_action", "Begin it once with htalk handoff init. Nothing was sent.")
}

/// The same, and who is calling.
fn open_as_actor(run: &Run, access: Access) -> Result<(Db, Actor)> {
    let db = open(run, access)?;
    let actor = run.actor(&db)?;
    Ok((db, actor))
}

/// Runs `work` in one transaction, with the moment at which the mailbox was free for it: what had to wait for another
/// writer came after it, however early it was started.
fn write<T>(db: &Db, work: impl FnOnce(&Db, &Moment) -> Result<T>) -> Result<T> {
    db.write(|db| work(db, &now()?))
}

/// The present, by the clock that decides.
fn now() -> Result<Moment> {
    Moment::now().ok_or_else(|| Error::new("handoff_clock_unavailable"))
}

/// A handoff and a moment, as parameters.
fn at<'a>(id: &'a str, moment: &'a Moment) -> [(&'static str, Arg<'a>); 3] {
    let [boot, ns] = seen_at(Some(moment));
    [(":id", id.into()), boot, ns]
}

/// The moment of a look, as parameters. Without a clock there is still something to see, but nothing is told to be
/// over.
fn seen_at(moment: Option<&Moment>) -> [(&'static str, Arg<'_>); 2] {
    [
        (":boot", moment.map(|moment| moment.boot.as_str()).into()),
        (":now_ns", moment.map_or(Arg::Null, |moment| moment.ns.into())),
    ]
}

/// The id of a handoff, as the ledger writes it.
fn correlation_id(text: &str) -> Result<String> {
    let refuse = || Error::new("invalid_correlation_id").with_detail("the whole id, 36 characters in lower case");
    is_id(text).then(|| text.to_owned()).ok_or_else(refuse)
}

/// Whether a text is a UUID of version 4 in lower case.
fn is_id(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok_and(|id| id.get_version_num() == 4 && id.hyphenated().to_string() == text)
}

/// The error of what a client refused before anything was tried. The table's words for it are about an ordinary
/// message, which is saved by then.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        const NEXT: &str =
            "Nothing was handed over; what was prepared stays prepared. See detail; peer check looks at it.";
        const KINDS: [&str; 4] = ["recipient_", "codex_", "claude_", "adapter_"];
        let error = Error { detail: refusal.detail, ..Error::new(&refusal.code) };
        let is_of_client = KINDS.iter().any(|kind| error.code.starts_with(kind));
        if is_of_client { error.with_fact("next_action", NEXT) } else { error }
    }
}
