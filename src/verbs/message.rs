//! One message as it is answered: what is stored, its answer, and what can be done next.

use serde_json::{Map, Value};

use super::actor::Actor;
use crate::answer::way;
use crate::code::Kind;
use crate::codes;
use crate::error::Result;
use crate::mailbox::{Db, Row};
use crate::sql;

/// Completes a stored message with its `reply`, and the actor's `recovery` and `next_action`.
pub fn complete(db: &Db, actor: &Actor, mut message: Row) -> Result<Row> {
    let id = message.text("id").to_owned();
    let reply = match message.text("state") {
        "reply_received" => db.row(sql::MESSAGE_ANSWER, &[(":id", id.as_str().into())])?,
        _ => None,
    };
    // An answer is not answered: only what is stored of it is shown.
    let reply = reply.map(|mut reply| {
        reply.shift_remove("state");
        reply
    });
    let state = message.shift_remove("state").unwrap_or_default();
    message.insert("reply".into(), reply.map_or(Value::Null, Value::from));
    message.insert("state".into(), state);
    let mut recovery = Map::new();
    let args = [(":id", id.as_str().into()), (":actor", actor.name.as_str().into())];
    for row in db.rows(sql::MESSAGE_RECOVERY, &args)? {
        let mut words = vec![row.text("verb"), row.text("target_id")];
        words.extend(row.text("options").split_whitespace());
        recovery.insert(row.text("action").to_owned(), way(&words));
    }
    message.insert("recovery".into(), recovery.into());
    let words = next_action(actor, &message);
    message.insert("next_action".into(), words.into());
    Ok(message)
}

/// The answer of a command about one message that exists.
pub fn result(db: &Db, actor: &Actor, id: &str) -> Result<Row> {
    let stored = db.row(sql::MESSAGE_GET, &[(":id", id.into())])?.unwrap_or_default();
    let mut message = complete(db, actor, stored)?;
    message.insert("actor_source".into(), actor.source.into());
    Ok(message)
}

/// What the actor does next, in the names of the recovery commands.
fn next_action(actor: &Actor, message: &Row) -> String {
    let kind = message.text("kind");
    let is_answered = message.text("state") == "reply_received";
    let is_cancelled = message.text("state") == "cancelled";
    let can = |action: &str| message["recovery"].get(action).is_some();
    let is_attempted = !message["notification_started_at"].is_null();
    let untold = untold(message);
    let mut words = match (message.text("sender") == actor.name, kind) {
        (true, _) if is_cancelled => "The request is cancelled: no answer can come any more.",
        (false, _) if is_cancelled => {
            "The request is cancelled and takes no answer; htalk note --about still reaches its sender."
        }
        (true, _) if untold.is_some() && !is_answered => untold.as_deref().unwrap_or_default(),
        (true, "answer") => "The answer is saved; show prints it again.",
        (true, "note") => "The note is saved; show prints it again.",
        (true, _) if !is_answered => "The request is saved; wait for its answer with wait, or look later with show.",
        (true, _) if can("ack_after_reading") => {
            "The answer is here: read it with show_reply, then run ack_after_reading."
        }
        (true, _) => "The request is answered; show_reply prints the answer again.",
        (false, "answer") if can("ack_after_reading") => "Run ack_after_reading once the answer is read.",
        (false, "answer") => "The answer is acknowledged; show prints it again.",
        (false, "note") if can("ack_after_reading") => {
            "Run ack_after_reading once the note is read; it needs no answer."
        }
        (false, "note") => "The note is acknowledged; show prints it again.",
        (false, _) if is_answered && can("ack_after_reading") => {
            "The request is answered; run ack_after_reading to say that it was read."
        }
        (false, _) if is_answered => "The request is answered; show prints it again.",
        (false, _) if can("ack_after_reading") => {
            "Run ack_after_reading once the request is read, and answer it with reply."
        }
        (false, _) => "Answer the request with reply; show prints it again.",
    }
    .to_owned();
    match (can("retry_notification_cleanup"), is_attempted) {
        (true, _) => words.push_str(
            " Never repeat an uncertain notification; retry_notification_cleanup only tries to take it back.",
        ),
        (false, true) => words.push_str(" Never repeat an uncertain notification."),
        (false, false) => {}
    }
    words
}

/// What its sender is told of a message whose recipient was not told of it for sure, unless nothing hangs on that: the
/// recipient has got it another way, or does not want to know.
fn untold(message: &Row) -> Option<String> {
    let code = message["notification_detail"].as_str().unwrap_or_default().split(':').next().unwrap_or_default();
    let is_needless = codes::own(code).is_some_and(|row| row.kind == Kind::Notice);
    let (recipient, what) = (message.text("recipient"), message.text("kind"));
    let is_attempted = !message["notification_started_at"].is_null() || !message["notification_detail"].is_null();
    if is_needless || !is_attempted || !message["ack_at"].is_null() {
        return None;
    }
    let on = match what {
        "request" => "wait brings an answer all the same",
        _ => "it stands in the inbox all the same",
    };
    match message.text("submission") {
        "not_submitted" => Some(format!(
            "The {what} is saved, but {recipient} was not told of it ({code}): htalk peer check {recipient} says more, \
             nudge makes another attempt, and {on}."
        )),
        "submission_unknown" => {
            Some(format!("The {what} is saved; whether {recipient} was told of it is not known, and {on}."))
        }
        _ => None,
    }
}
