//! The verbs, one a file, and the answer they share.

pub mod ack;
mod body;
pub mod demo;
pub mod handoff;
mod id;
pub mod inbox;
mod message;
pub mod migrate;
mod notice;
mod page;
pub mod peer_add;
pub mod peer_check;
pub mod peer_discover;
pub mod peer_list;
pub mod peer_retire;
pub mod reply;
pub mod send;
pub mod sent;
pub mod show;
pub mod wait;
pub mod watch;

use serde_json::{Map, Value};

use crate::cli::{Cli, Command, Peer, PeerVerbs};
use crate::config::Run;
use crate::db;
use crate::error::{Error, Result};
use crate::progress::progress;

/// How a command ended.
pub struct Done {
    /// The one object to print; none where the command printed by itself.
    pub value: Option<Value>,
    /// The exit code.
    pub exit: i32,
}

impl Done {
    fn ok(value: impl Into<Value>) -> Result<Done> {
        Ok(Done { value: Some(value.into()), exit: 0 })
    }
}

/// Runs the verb that was asked for; an error becomes its answer.
pub fn run(cli: Cli) -> Done {
    dispatch(cli.command, Run::new(cli.db, cli.actor)).unwrap_or_else(refusal)
}

fn dispatch(command: Command, run: Result<Run>) -> Result<Done> {
    match command {
        // These two touch no mailbox of the caller, so that nothing may be wrong with its path.
        Command::Demo(verb) => Ok(verb.run()),
        Command::Peer(PeerVerbs { verb: Peer::Discover(verb) }) => verb.run(run.ok().as_ref()),
        Command::Peer(PeerVerbs { verb: Peer::Add(verb) }) => verb.run(&run?),
        Command::Peer(PeerVerbs { verb: Peer::List(verb) }) => verb.run(&run?),
        Command::Peer(PeerVerbs { verb: Peer::Check(verb) }) => verb.run(&run?),
        Command::Peer(PeerVerbs { verb: Peer::Retire(verb) }) => verb.retire(&run?),
        Command::Peer(PeerVerbs { verb: Peer::Restore(verb) }) => verb.restore(&run?),
        Command::Send(verb) => verb.run(&run?),
        Command::Reply(verb) => verb.run(&run?),
        Command::Wait(verb) => verb.run(&run?),
        Command::Show(verb) => verb.run(&run?),
        Command::Ack(verb) => verb.run(&run?),
        Command::Inbox(verb) => verb.run(&run?),
        Command::Sent(verb) => verb.run(&run?),
        Command::Watch(verb) => verb.run(&run?),
        Command::Migrate(verb) => verb.run(&run?),
        Command::Handoff(verbs) => Ok(handoff::run(verbs.verb, run)),
    }
}

/// The answer of an error: its code, what is known about it, and the ways on.
fn refusal(error: Error) -> Done {
    let row = match db::error_row(&error.code) {
        Some(row) => row,
        None if error.is("invalid_database_schema") => Map::new(),
        // A trigger that somebody added to the mailbox may say anything; it is told as what it is.
        None => return refusal(Error::new("invalid_database_schema").with_detail(error.code)),
    };
    let mut recovery = progress().recovery();
    let mut answer = Map::new();
    answer.insert("state".into(), "error".into());
    answer.insert("error".into(), error.code.into());
    if let Some(detail) = error.detail {
        answer.insert("detail".into(), detail.into());
    }
    // What the code means in general, unless this case has words of its own.
    let mut next_action = row.get("next_step").cloned().unwrap_or_default();
    for (key, value) in error.facts {
        match key.as_str() {
            "show" | "status" => _ = recovery.insert(key, value),
            "next_action" => next_action = value,
            _ => _ = answer.insert(key, value),
        }
    }
    answer.insert("recovery".into(), recovery.into());
    answer.insert("next_action".into(), next_action);
    Done { value: Some(answer.into()), exit: 2 }
}
