//! `htalk reply REQUEST_ID`

use std::ffi::OsString;

use clap::Args;
use uuid::Uuid;

use super::actor::Actor;
use super::id::Id;
use super::{Verb, body, message, notice};
use crate::answer::{Answer, Status};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::bell;
use crate::mailbox::{Access, Arg};
use crate::sql;

/// Save the one answer to a request, then tell the asker's client once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as reviewer reply 1f0c9d52 'The one for empty input.'")]
pub struct Reply {
    /// The id of the request, or at least its first 8 hexadecimal digits
    request_id: String,
    /// The text, where no option gives it; - is standard input
    text: Option<OsString>,
    #[command(flatten)]
    source: body::Source,
    /// Save only; do not tell the asker's client
    #[arg(long)]
    no_notify: bool,
}

impl Verb for Reply {
    /// There is a text.
    fn misuse(&self) -> Option<String> {
        self.source.misuse(self.text.as_ref())
    }

    /// Saves the answer, wakes those who wait for it, and makes the one attempt to notify.
    fn run(self, call: &Call) -> Result<Answer> {
        let request = Id::parse(&self.request_id)?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let body = self.source.or(self.text).read(call)?;
        let request = request.find(&db, &actor, "unknown_request")?;
        let fresh = Uuid::new_v4().to_string();
        call.progress().message_id = Some(fresh.clone());
        let args = [
            (":id", fresh.as_str().into()),
            (":actor", actor.name.as_str().into()),
            (":request", request.as_str().into()),
            (":source", actor.source.into()),
            (":session", actor.session.as_deref().into()),
            (":body", Arg::Bytes(&body.bytes)),
        ];
        let saved = db.write(|db| {
            let created = db.row(sql::MESSAGE_REPLY, &args)?.is_some();
            let answer = db.row(sql::MESSAGE_ANSWER, &[(":id", request.as_str().into())])?.unwrap_or_default();
            let bells = db.rows(sql::WAIT_BELLS, &[(":id", request.as_str().into())])?;
            let id = answer.text("id").to_owned();
            let answer = message::result(db, &actor, &id)?;
            Ok((created, id, bells, answer))
        });
        let (created, id, bells, mut answer) = saved.map_err(|error| match error.code.as_str() {
            "reply_conflict_existing_answer_preserved" => notice::about(&db, &actor, error, &request),
            "request_cancelled" => notice::about(&db, &actor, error, &request)
                .with_way("note", &["note", "--about", &request, "--message-file", "-"]),
            _ => body.explain(error),
        })?;
        for waiter in bells {
            bell::ring(db.path(), waiter.text("token"));
        }
        {
            let mut state = call.progress();
            state.message_id = Some(id.clone());
            state.is_saved = true;
        }
        let mut status = Status::Done;
        if created && !self.no_notify {
            let after_saving = |error| notice::after_saving(&db, &actor, error, &id);
            (answer, status) = notice::announce(call, &db, &actor, &id, answer).map_err(after_saving)?;
        }
        answer.insert("created".into(), created.into());
        Answer::ended(answer, status)
    }
}
