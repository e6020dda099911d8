//! `htalk cancel REQUEST_ID`

use clap::Args;

use super::actor::Actor;
use super::id::Id;
use super::{Verb, message, notice};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{Access, bell};
use crate::sql;

/// Take an own request back that has no answer. It leaves the recipient's inbox; a notice still queued is taken back.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me cancel 1f0c9d52")]
pub struct Cancel {
    /// The id of the request, or at least its first 8 hexadecimal digits
    request_id: String,
}

impl Verb for Cancel {
    /// Saves the cancellation and ends the waits for an answer, then cleans up; repeating it tries only that again.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.request_id)?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let id = id.find(&db, &actor, "unknown_request")?;
        call.progress().message_id = Some(id.clone());
        let saved = db.write(|db| {
            db.row(sql::MESSAGE_CANCEL, &[(":id", id.as_str().into()), (":actor", actor.name.as_str().into())])?;
            db.rows(sql::WAIT_BELLS, &[(":id", id.as_str().into())])
        });
        let bells = saved.map_err(|error| match error.code.as_str() {
            "request_already_answered" | "cancel_requires_a_request" => notice::about(&db, &actor, error, &id),
            _ => error,
        })?;
        for waiter in bells {
            bell::ring(db.path(), waiter.text("token"));
        }
        call.progress().is_saved = true;
        let cleanup = notice::withdraw(call, &db, &id, "cancel")?;
        let mut answer = db.read(|db| message::result(db, &actor, &id))?;
        answer.insert("notification_cleanup".into(), cleanup);
        Answer::done(answer)
    }
}
