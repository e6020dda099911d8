//! `htalk watch`

use std::convert::Infallible;

use clap::Args;
use serde_json::json;

use super::wait::SLOW_LOOK;
use super::{Done, notice};
use crate::config::{Actor, Run, text};
use crate::db::{Access, Db, Look};
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

/// Prints each open message once; new ones have higher numbers, so a cursor is enough.
fn follow(db: &Db, actor: &Actor) -> Result<Infallible> {
    let mut last = Look::default();
    let mut cursor = 0;
    loop {
        if db.may_have_changed(&mut last)? {
            match news(db, actor, &mut cursor) {
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

/// Prints the next messages after the cursor and moves it; true if there may be more.
fn news(db: &Db, actor: &Actor, cursor: &mut i64) -> Result<bool> {
    let args = [(":actor", actor.name.as_str().into()), (":cursor", (*cursor).into()), (":limit", BATCH.into())];
    let messages = db.rows(sql::INBOX_LIST, &args)?;
    for message in &messages {
        let (id, sender) = (text(message, "id"), text(message, "sender"));
        let notification = notice::notice(&actor.name, sender, id, message["in_reply_to"].is_null());
        output::line(&json!({
            "event": "message",
            "id": id,
            "seq": message["seq"],
            "sender": sender,
            "notification": notification,
        }))
        .map_err(|_| Error::new(READER_GONE))?;
        *cursor = message["seq"].as_i64().unwrap_or(*cursor);
    }
    Ok(messages.len() == BATCH as usize)
}
