//! `htalk nudge ID`

use clap::Args;

use super::actor::Actor;
use super::id::Id;
use super::{Verb, notice};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::Access;
use crate::sql;

/// Try once more to tell the recipient of an own message, where the last attempt was definitely not submitted.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me nudge 1f0c9d52")]
pub struct Nudge {
    /// The message id, or at least its first 8 hexadecimal digits
    id: String,
}

impl Verb for Nudge {
    /// Claims another attempt, makes it, and records its outcome beside those of the earlier ones.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.id)?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let id = id.find(&db, &actor, "unknown_message")?;
        let saved = db.row(sql::MESSAGE_GET, &[(":id", id.as_str().into())])?;
        let saved = saved.ok_or_else(|| Error::new("unknown_message"))?;
        if saved.text("sender") != actor.name {
            return Err(Error::new("only_sender_can_nudge"));
        }
        {
            let mut progress = call.progress();
            (progress.message_id, progress.is_saved) = (Some(id.clone()), true);
        }
        let (mut answer, status) =
            notice::repeat(call, &db, &actor, &id, &saved).map_err(|error| notice::about(&db, &actor, error, &id))?;
        answer.insert("created".into(), false.into());
        Answer::ended(answer, status)
    }
}
