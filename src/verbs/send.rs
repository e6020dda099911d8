//! `htalk send RECIPIENT`

use clap::Args;
use uuid::Uuid;

use super::actor::Actor;
use super::number::{Typed, real};
use super::peers;
use super::{Verb, body, id, message, notice, wait};
use crate::answer::{Answer, Status};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Arg, Db};
use crate::sql;

/// Save a request to another peer, then tell its client once that mail is waiting.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk --as me send reviewer --message 'Which test is missing?'\n  \
    htalk --as me send reviewer --message-file - <<'EOT'\nBackticks, $x and quotes arrive as they are.\nEOT")]
pub struct Send {
    /// The peer to ask
    recipient: String,
    /// The id of the request: with it, repeating the command is safe
    #[arg(long, value_name = "UUID")]
    id: Option<String>,
    #[command(flatten)]
    source: body::Source,
    /// Save only; do not tell the recipient's client
    #[arg(long)]
    no_notify: bool,
    /// Wait so long for the answer, 0 to 45 seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = real, allow_hyphen_values = true)]
    wait: Typed<f64>,
}

impl Verb for Send {
    /// Saves the request, makes the one attempt to notify, and waits where asked to.
    fn run(self, call: &Call) -> Result<Answer> {
        let seconds = wait::seconds(&self.wait)?;
        let id = match &self.id {
            Some(spelling) => id::uuid(spelling).ok_or_else(|| misspelt(spelling))?,
            None => Uuid::new_v4(),
        };
        let id = id.to_string();
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let body = self.source.read(call)?;
        call.progress().message_id = Some(id.clone());
        let args = [
            (":id", id.as_str().into()),
            (":actor", actor.name.as_str().into()),
            (":recipient", self.recipient.as_str().into()),
            (":body", Arg::Bytes(&body.bytes)),
        ];
        let saved = db.write(|db| {
            let created = db.row(sql::MESSAGE_SEND, &args)?.is_some();
            Ok((created, message::result(db, &actor, &id)?))
        });
        let (created, mut answer) = saved.map_err(|error| match error.code.as_str() {
            "unknown_peer" => peers::unknown(&db, &self.recipient),
            "peer_retired" => retired(&db, [&actor.name, &self.recipient], error),
            "message_id_conflict" => notice::about(&db, &actor, error, &id),
            _ => body.explain(error),
        })?;
        call.progress().is_saved = true;
        let after_saving = |error| notice::after_saving(&db, &actor, error, &id);
        let mut status = Status::Done;
        if created && !self.no_notify {
            (answer, status) = notice::announce(call, &db, &actor, &id, answer).map_err(after_saving)?;
        }
        if self.wait.value > 0.0 {
            let mut waited = wait::for_answer(call, &db, &actor, &id, seconds).map_err(after_saving)?;
            if let Some(cleanup) = answer.shift_remove("notification_cleanup") {
                waited.insert("notification_cleanup".into(), cleanup);
            }
            answer = waited;
            if answer.text("state") == "reply_received" {
                status = Status::Done;
            }
        }
        answer.insert("created".into(), created.into());
        Answer::ended(answer, status)
    }
}

/// The refusal of an `--id`: a new message has no id yet that could be looked up.
fn misspelt(id: &str) -> Error {
    Error::new("invalid_uuid")
        .with_detail(format!("{id:?}"))
        .with_next_action("Give --id a whole UUID that no other message has, or leave it out.")
}

/// The refusal of a request between these two, with the one that is retired.
fn retired(db: &Db, peers: [&str; 2], error: Error) -> Error {
    let is_retired = |name: &&str| {
        let peer = db.row(sql::PEER_GET, &[(":name", (*name).into())]).ok().flatten();
        peer.is_some_and(|peer| !peer["retired_at"].is_null())
    };
    match peers.into_iter().find(is_retired) {
        Some(name) => error.with_detail(format!("{name} is retired")).with_way("restore", &["peer", "restore", name]),
        None => error,
    }
}
