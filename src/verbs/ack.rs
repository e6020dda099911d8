//! `htalk ack ID`

use clap::Args;

use super::actor::Actor;
use super::id::Id;
use super::{Verb, message, notice};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::Access;
use crate::sql;

/// Acknowledge a message after reading it. Nobody is woken; a notice still queued at the client is taken back.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me ack 1f0c9d52")]
pub struct Ack {
    /// The message id, or at least its first 8 hexadecimal digits
    id: String,
}

impl Verb for Ack {
    /// Saves the acknowledgment, then cleans up; repeating it keeps the first time and tries the clean-up again.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.id)?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let id = id.find(&db, &actor, "unknown_message")?;
        call.progress().message_id = Some(id.clone());
        db.write(|db| {
            db.row(sql::MESSAGE_ACK, &[(":id", id.as_str().into()), (":actor", actor.name.as_str().into())])
        })?;
        call.progress().is_saved = true;
        let cleanup = notice::withdraw(call, &db, &id, "ack")?;
        let mut answer = db.read(|db| message::result(db, &actor, &id))?;
        answer.insert("notification_cleanup".into(), cleanup);
        Answer::done(answer)
    }
}
