//! `htalk whoami`

use clap::Args;

use super::actor::Actor;
use super::{Verb, peers};
use crate::answer::{Answer, way};
use crate::call::Call;
use crate::error::Result;
use crate::sql;

/// Print who is calling, how that was found, where the mailbox is, and how mail reaches this session.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me whoami")]
pub struct Whoami {}

impl Verb for Whoami {
    /// Prints the peer and its counts. Who has no name is told how to get one.
    fn run(self, call: &Call) -> Result<Answer> {
        let answer = call.read(|db| {
            let actor = Actor::of(call, db).map_err(|error| match error.code.as_str() {
                "peer_required_use_as_or_HTALK_PEER" => error
                    .with_way("join", &["join"])
                    .with_next_action("This session has no name yet: join gives it one."),
                _ => error,
            })?;
            let mut answer = peers::known(db, &actor.name)?;
            answer.insert("actor_source".into(), actor.source.into());
            answer.insert("current_session_id".into(), actor.session.clone().into());
            answer.insert("resolved_path".into(), call.mailbox()?.to_string_lossy().into());
            answer.insert("mailbox_source".into(), call.mailbox_source().into());
            let counts = db.row(sql::PEER_MAIL_COUNT, &[(":actor", actor.name.as_str().into())])?.unwrap_or_default();
            for key in ["open", "to_answer", "unanswered"] {
                answer.insert(key.into(), counts.number(key).into());
            }
            let words = match answer.text("delivery") {
                "native" => "The client of this session is told once of each new message; inbox shows what is open.",
                _ => "Nobody tells this peer of new messages: look with inbox, or leave watch running.",
            };
            answer.insert("recovery".into(), serde_json::json!({ "inbox": way(&["inbox"]) }));
            answer.insert("next_action".into(), words.into());
            Ok(answer)
        });
        Answer::done(answer?)
    }
}
