//! `htalk watch`

use std::collections::HashSet;
use std::convert::Infallible;

use clap::Args;
use serde_json::json;

use super::wait::SLOW_LOOK;
use super::{Done, notice};
use crate::config::{Actor, Run, text};
use crate::db::{Access, Db, Look, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::{output, sql};

/// Print a JSON line for each open message, and for new ones as they come, until the reader or a signal ends it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me watch")]
pub struct Watch {}

/// How many messages are read at once.
const BATCH: i64 = 100;

/// Ends the run; never printed.
const READER_GONE: &str = "reader_gone";

impl Watch {
    /// Prints `ready`, then each open message once.
    pub fn run(self, run: &Run) -> Result<Done> {
        progress().is_stream = true;
        let db = run.open(Access::Read)?;
        let actor = run.actor(&db)?;
        db.stop_waiting_for_locks()?;
        let ready = output::line(&json!({ "event": "ready", "peer": actor.name }));
        match ready.map_err(|_| Error::new(READER_GONE)).and_then(|()| follow(&db, &actor)) {
            Err(error) if error.is(READER_GONE) => Ok(Done { value: None, exit: 0 }),
            Err(error) => Err(error),
        }
    }
}

/// Prints each open message once. New ones have higher numbers, so a cursor is enough, but for handoffs: one is open
/// only once its submission is known, and others may have overtaken it.
fn follow(db: &Db, actor: &Actor) -> Result<Infallible> {
    let mut last = Look::default();
    let mut told = Told::default();
    loop {
        if db.may_have_changed(&mut last)? {
            match told.news(db, actor) {
                Ok(true) => {
                    last = Look::default();
                    continue;
                }
                Ok(false) => {}
                // A mailbox that is locked right now is looked at again.
                Err(error) if error.is("database_busy") => last = Look::default(),
                Err(error) => return Err(error),
            }
        }
        if !output::stays_read(SLOW_LOOK) {
            return Err(Error::new(READER_GONE));
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
    fn news(&mut self, db: &Db, actor: &Actor) -> Result<bool> {
        let args = [(":actor", actor.name.as_str().into()), (":cursor", self.cursor.into()), (":limit", BATCH.into())];
        if db.has_handoffs()? {
            for handoff in db.rows(sql::HANDOFF_OPEN_LIST, &args)? {
                self.tell(actor, &handoff)?;
            }
        }
        let messages = db.rows(sql::INBOX_LIST, &args)?;
        for message in &messages {
            self.tell(actor, message)?;
        }
        Ok(messages.len() == BATCH as usize)
    }

    fn tell(&mut self, actor: &Actor, message: &Row) -> Result<()> {
        let seq = message["seq"].as_i64().unwrap_or(self.cursor);
        if !self.seqs.insert(seq) {
            return Ok(());
        }
        let (id, sender) = (text(message, "id"), text(message, "sender"));
        let notification = notice::notice(&actor.name, sender, id, message["in_reply_to"].is_null());
        output::line(&json!({
            "event": "message",
            "id": id,
            "seq": seq,
            "sender": sender,
            "notification": notification,
        }))
        .map_err(|_| Error::new(READER_GONE))?;
        self.cursor = self.cursor.max(seq);
        Ok(())
    }
}
