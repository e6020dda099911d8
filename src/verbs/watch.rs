//! `htalk watch`

use std::collections::HashSet;
use std::convert::Infallible;

use clap::Args;
use serde_json::json;

use super::actor::Actor;
use super::wait::SLOW_LOOK;
use super::{Verb, notice, peers};
use crate::answer::{Answer, Status};
use crate::call::{Call, ReaderGone};
use crate::error::{Error, Result};
use crate::mailbox::{Access, Db, Lineage, Look, Row};
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

/// Prints each open message once.
fn follow(call: &Call, db: &Db, actor: &Actor) -> std::result::Result<Infallible, End> {
    call.front().line(&json!({ "event": "ready", "peer": actor.name }))?;
    let mut last = Look::default();
    let mut told = Told::default();
    loop {
        match next(call, db, actor, &mut last, &mut told) {
            Ok(true) => {
                last = Look::default();
                continue;
            }
            Ok(false) => {}
            // A mailbox that is locked right now is looked at again.
            Err(End::Failed(error)) if error.is("database_busy") => last = Look::default(),
            Err(end) => return Err(end),
        }
        call.front().sleep(SLOW_LOOK)?;
        if call.is_cancelled() {
            return Err(End::Quiet);
        }
    }
}

/// Prints what is new; true if there may be more.
fn next(call: &Call, db: &Db, actor: &Actor, last: &mut Look, told: &mut Told) -> std::result::Result<bool, End> {
    Ok(db.may_have_changed(last)? && told.news(call, db, actor)?)
}

/// What has been printed.
///
/// New messages have higher numbers, so a cursor is enough, with two exceptions. A handoff is open only once its
/// submission is known, and others may have overtaken it. And a mailbox that was restored has given up messages and
/// gives their numbers anew: then everything that is open is gone through again.
#[derive(Default)]
struct Told {
    /// The highest number, and the message that has it.
    cursor: (i64, String),
    /// The ids of all.
    ids: HashSet<String>,
    /// The line of states in which the cursor holds.
    lineage: Option<Lineage>,
}

impl Told {
    /// Prints the next messages; true if there may be more.
    fn news(&mut self, call: &Call, db: &Db, actor: &Actor) -> std::result::Result<bool, End> {
        let (open, is_full) = db.read(|db| self.open(db, actor))?;
        for message in &open {
            self.tell(call, db, actor, message)?;
        }
        Ok(is_full)
    }

    /// The open messages behind the cursor, and whether there may be more.
    fn open(&mut self, db: &Db, actor: &Actor) -> Result<(Vec<Row>, bool)> {
        let lineage = Some(db.lineage()?);
        let (seq, id) = &self.cursor;
        if self.lineage != lineage || *seq > 0 && message_seq(db, id)? != Some(*seq) {
            // The actor may have gone too.
            peers::address(db, &actor.name)?;
            (self.lineage, self.cursor) = (lineage, (0, String::new()));
        }
        let args =
            [(":actor", actor.name.as_str().into()), (":cursor", self.cursor.0.into()), (":limit", BATCH.into())];
        let mut open = if db.has_handoffs()? { db.rows(sql::HANDOFF_OPEN_LIST, &args)? } else { Vec::new() };
        let messages = db.rows(sql::INBOX_LIST, &args)?;
        let is_full = messages.len() == BATCH as usize;
        open.extend(messages);
        Ok((open, is_full))
    }

    fn tell(&mut self, call: &Call, db: &Db, actor: &Actor, message: &Row) -> std::result::Result<(), End> {
        let (seq, id, sender) = (message.number("seq"), message.text("id"), message.text("sender"));
        if seq > self.cursor.0 {
            self.cursor = (seq, id.to_owned());
        }
        if !self.ids.insert(id.to_owned()) {
            return Ok(());
        }
        let notification = notice::words(call, &actor.name, sender, id, message.text("kind"), notice::others(db, id)?);
        call.front().line(&json!({
            "event": "message",
            "id": id,
            "seq": seq,
            "sender": sender,
            "notification": notification,
        }))?;
        Ok(())
    }
}

/// The number of a message, if it is there.
fn message_seq(db: &Db, id: &str) -> Result<Option<i64>> {
    Ok(db.row(sql::MESSAGE_GET, &[(":id", id.into())])?.map(|message| message.number("seq")))
}
