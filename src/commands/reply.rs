//! `htalk reply REQUEST_ID`

use clap::Args;
use uuid::Uuid;

use super::id::Id;
use super::{Done, body, message, notice};
use crate::config::{Run, text};
use crate::db::{Access, Arg};
use crate::error::Result;
use crate::progress::progress;
use crate::{bell, sql};

/// Save the one answer to a request, then tell the asker's client once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as reviewer reply 1f0c9d52 --message 'The one for empty input.'")]
pub struct Reply {
    /// The id of the request, or at least its first 8 hexadecimal digits
    request_id: String,
    #[command(flatten)]
    source: body::Source,
    /// Save only; do not tell the asker's client
    #[arg(long)]
    no_notify: bool,
}

impl Reply {
    /// Saves the answer, wakes those who wait for it, and makes the one attempt to notify.
    pub fn run(self, run: &Run) -> Result<Done> {
        let request = Id::parse(&self.request_id)?;
        let db = run.open(Access::Write)?;
        let actor = run.actor(&db)?;
        let body = self.source.read()?;
        let request = request.find(&db, &actor, "unknown_request")?;
        let fresh = Uuid::new_v4().to_string();
        progress().message_id = Some(fresh.clone());
        let args = [
            (":id", fresh.as_str().into()),
            (":actor", actor.name.as_str().into()),
            (":request", request.as_str().into()),
            (":body", Arg::Bytes(&body.bytes)),
        ];
        let saved = db.write(|db| {
            let created = db.row(sql::MESSAGE_REPLY, &args)?.is_some();
            let answer = db.row(sql::MESSAGE_ANSWER, &[(":id", request.as_str().into())])?.unwrap_or_default();
            let bells = db.rows(sql::WAIT_BELLS, &[(":id", request.as_str().into())])?;
            let id = text(&answer, "id").to_owned();
            let answer = message::result(db, &actor, &id)?;
            Ok((created, id, bells, answer))
        });
        let (created, id, bells, mut answer) = saved.map_err(|error| match error.code.as_str() {
            "reply_conflict_existing_answer_preserved" => notice::about(&db, &actor, error, &request),
            _ => body.explain(error),
        })?;
        for waiter in bells {
            bell::ring(db.path(), text(&waiter, "token"));
        }
        {
            let mut state = progress();
            state.message_id = Some(id.clone());
            state.is_saved = true;
        }
        let mut exit = 0;
        if created && !self.no_notify {
            let after_saving = |error| notice::about(&db, &actor, error, &id);
            (answer, exit) = notice::announce(&db, &actor, &id, answer).map_err(after_saving)?;
        }
        answer.insert("created".into(), created.into());
        Ok(Done { value: Some(answer.into()), exit })
    }
}
