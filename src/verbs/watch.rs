//! `htalk watch`

use std::collections::HashSet;
use std::convert::Infallible;

use clap::Args;
use serde_json::json;

use super::actor::Actor;
use super::wait::SLOW_LOOK;
use super::{Verb, notice};
use crate::answer::{Answer, Status};
use crate::call::{Call, ReaderGone};
use crate::error::{Error, Result};
use crate::mailbox::{Access, Db, Look, Row};
use crate::sql;

/// Print a JSON line for each open message, and for new ones as they come, until the reader or a signal ends it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me watch")]
pub struct Watch {}

/// How many messages are read at once.
const BATCH: i64 = 100;

/// Why a watch ends.
enum End {
    /// Nobody reads any more, or the call was cancelled.
    Quiet,
    /// Something is wrong.
    Failed(Error),
}

impl From<ReaderGone> for End {
    fn from(_: ReaderGone) -> Self {
        End::Quiet
    }
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        End::Failed(error)
    }
}

impl Verb for Watch {
    /// Prints `ready`, then each open message once.
    fn run(self, call: &Call) -> Result<Answer> {
        call.progress().is_stream = true;
        let db = call.open(Access::Read)?;
        let actor = Actor::of(call, &db)?;
        db.stop_waiting_for_locks()?;
        let Err(end) = follow(call, &db, &actor);
        match end {
            End::Quiet => Answer::given(Status::Done),
            End::Failed(error) => Err(error),
        }
    }
}

/// Prints each open message once. New ones have higher numbers, so a cursor is enough, but for handoffs: one is open
/// only once its submission is known, and others may have overtaken it.
fn follow(call: &Call, db: &Db, actor: &Actor) -> std::result::Result<Infallible, End> {
    call.front().line(&json!({ "event": "ready", "peer": actor.name }))?;
    let mut last = Look::default();
    let mut told = Told::default();
    loop {
        if db.may_have_changed(&mut last)? {
            match told.news(call, db, actor) {
                Ok(true) => {
                    last = Look::default();
                    continue;
                }
                Ok(false) => {}
                // A mailbox that is locked right now is looked at again.
                Err(End::Failed(error)) if error.is("database_busy") => last = Look::default(),
                Err(end) => return Err(end),
            }
        }
        call.front().sleep(SLOW_LOOK)?;
        if call.is_cancelled() {
            return Err(End::Quiet);
        }
    }
}

/// What has been printed.
#[derive(Default)]
struct Told {
    /// The highest number.
    cursor: i64,
    /// The numbers of all.
    seqs: HashSet<i64>,
}

impl Told {
    /// Prints the next messages; true if there may be more.
    fn news(&mut self, call: &Call, db: &Db, actor: &Actor) -> std::result::Result<bool, End> {
        let args = [(":actor", actor.name.as_str().into()), (":cursor", self.cursor.into()), (":limit", BATCH.into())];
        if db.has_handoffs()? {
            for handoff in db.rows(sql::HANDOFF_OPEN_LIST, &args)? {
                self.tell(call, actor, &handoff)?;
            }
        }
        let messages = db.rows(sql::INBOX_LIST, &args)?;
        for message in &messages {
            self.tell(call, actor, message)?;
        }
        Ok(messages.len() == BATCH as usize)
    }

    fn tell(&mut self, call: &Call, actor: &Actor, message: &Row) -> std::result::Result<(), ReaderGone> {
        let seq = message["seq"].as_i64().unwrap_or(self.cursor);
        if !self.seqs.insert(seq) {
            return Ok(());
        }
        let (id, sender) = (message.text("id"), message.text("sender"));
        let notification = notice::words(call, &actor.name, sender, id, message["in_reply_to"].is_null());
        call.front().line(&json!({
            "event": "message",
            "id": id,
            "seq": seq,
            "sender": sender,
            "notification": notification,
        }))?;
        self.cursor = self.cursor.max(seq);
        Ok(())
    }
}
