//! The verbs, one a file, and the answer they share.

pub mod ack;
mod body;
pub mod demo;
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

use crate::cli::{Cli, Command, Peer};
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
    if let Command::Demo(demo) = cli.command {
        return demo.run();
    }
    let run = Run::new(cli.db, cli.actor);
    if let Command::Peer(Peer::Discover(discover)) = cli.command {
        return discover.run(run.ok().as_ref()).unwrap_or_else(refusal);
    }
    let result = run.and_then(|run| match cli.command {
        Command::Peer(Peer::Add(verb)) => verb.run(&run),
        Command::Peer(Peer::List(verb)) => verb.run(&run),
        Command::Peer(Peer::Check(verb)) => verb.run(&run),
        Command::Peer(Peer::Discover(verb)) => verb.run(Some(&run)),
        Command::Peer(Peer::Retire(verb)) => verb.retire(&run),
        Command::Peer(Peer::Restore(verb)) => verb.restore(&run),
        Command::Send(verb) => verb.run(&run),
        Command::Reply(verb) => verb.run(&run),
        Command::Wait(verb) => verb.run(&run),
        Command::Show(verb) => verb.run(&run),
        Command::Ack(verb) => verb.run(&run),
        Command::Inbox(verb) => verb.run(&run),
        Command::Sent(verb) => verb.run(&run),
        Command::Watch(verb) => verb.run(&run),
        Command::Migrate(verb) => verb.run(&run),
        Command::Demo(verb) => Ok(verb.run()),
    });
    result.unwrap_or_else(refusal)
}

/// The answer of an error: its code, what is known about it, and the ways on.
fn refusal(error: Error) -> Done {
    // A trigger that somebody added to the mailbox may say anything; it is told as what it is.
    let error = match db::error_row(&error.code) {
        Some(_) => error,
        None => Error::new("invalid_database_schema").with_detail(error.code),
    };
    let row = db::error_row(&error.code).unwrap_or_default();
    let mut recovery = progress().recovery();
    let mut answer = Map::new();
    answer.insert("state".into(), "error".into());
    answer.insert("error".into(), error.code.into());
    if let Some(detail) = error.detail {
        answer.insert("detail".into(), detail.into());
    }
    for (key, value) in error.facts {
        match key.as_str() {
            "show" => recovery.insert(key, value),
            _ => answer.insert(key, value),
        };
    }
    answer.insert("recovery".into(), recovery.into());
    answer.insert("next_action".into(), row.get("next_step").cloned().unwrap_or_default());
    Done { value: Some(answer.into()), exit: 2 }
}
