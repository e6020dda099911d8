//! `htalk show ID`

use clap::Args;

use super::actor::Actor;
use super::id::Id;
use super::{Verb, message};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::sql;

/// Print one message that the calling peer sent or received. Reading changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me show 1f0c9d52")]
pub struct Show {
    /// The message id, or at least its first 8 hexadecimal digits
    id: String,
}

impl Verb for Show {
    /// Prints the message.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.id)?;
        Answer::done(call.read(|db| {
            let actor = Actor::of(call, db)?;
            let id = id.find(db, &actor, "unknown_message")?;
            let Some(stored) = db.row(sql::MESSAGE_GET, &[(":id", id.as_str().into())])? else {
                return Err(Error::new("unknown_message"));
            };
            if ![stored.text("sender"), stored.text("recipient")].contains(&actor.name.as_str()) {
                return Err(Error::new("message_not_addressed_to_peer"));
            }
            message::result(db, &actor, &id)
        })?)
    }
}
