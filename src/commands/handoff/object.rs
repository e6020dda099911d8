//! A handoff as it is answered.

use serde_json::{Map, Value, json};

use super::super::Done;
use crate::clock::Moment;
use crate::config::{Actor, text};
use crate::db::{Db, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::sql;

/// The object of a handoff that the actor sent or got.
///
/// # Errors
/// `handoff_id_unknown`, `handoff_history_unavailable`; both say so in `handoff_query`.
pub fn of(db: &Db, actor: &Actor, id: &str) -> Result<Row> {
    let now = Moment::now();
    let [boot, ns] = super::seen_at(now.as_ref());
    let args = [(":id", id.into()), boot, ns];
    let found = db.row(sql::HANDOFF_GET, &args)?;
    let is_party = |row: &Row| [text(row, "sender"), text(row, "recipient")].contains(&actor.name.as_str());
    let Some(mut row) = found.filter(is_party) else { return Err(unknown(id, "handoff_id_unknown", "id_unknown")) };
    if text(&row, "phase") == "tombstone" {
        return Err(unknown(id, "handoff_history_unavailable", "history_unavailable"));
    }
    row.retain(|key, value| key == "handoff" || !value.is_null());
    let handoff = row["handoff"].clone();
    let mut recovery = Map::new();
    recovery.insert("status".into(), progress().command(&["handoff", "status", id]).into());
    if handoff["ack"]["status"] == "pending" && text(&row, "sender") == actor.name {
        recovery.insert("wait".into(), progress().command(&["handoff", "wait", id]).into());
    }
    if !matches!(handoff["submission"]["status"].as_str(), Some("not_attempted" | "refused")) {
        recovery.insert("show".into(), progress().command(&["show", id]).into());
    }
    row.insert("recovery".into(), recovery.into());
    let is_own = text(&row, "sender") == actor.name;
    let words =
        if is_own { next_action(&handoff) } else { "The handoff is its sender's; answer the message as usual." };
    row.insert("next_action".into(), words.into());
    row.insert("actor_source".into(), actor.source.into());
    Ok(row)
}

/// The error of a handoff of which nothing can be told.
pub fn unknown(id: &str, code: &str, context: &str) -> Error {
    Error::new(code).with_fact("handoff_query", query(id, context))
}

/// What is told in place of a handoff: why nothing is.
pub fn query(id: &str, context: &str) -> Value {
    json!({
        "correlation_id": id,
        "status": "unknown",
        "context": context,
        "retry": { "allowed": false, "reason": "receiver_dedup_unavailable" },
    })
}

/// The answer of a verb: 0 if what it was asked for is so.
pub fn done(object: Row, is_met: bool) -> Result<Done> {
    Ok(Done { value: Some(object.into()), exit: i32::from(!is_met) })
}

/// What the sender does next, in words.
fn next_action(handoff: &Value) -> &'static str {
    let is_pending = handoff["ack"]["status"] == "pending";
    match handoff["state"].as_str().unwrap_or_default() {
        "validated" => "Nothing was sent yet. Submit it once with htalk handoff send.",
        "refused" => "Nothing was handed over, and this handoff is spent. Prepare a new one if it is still wanted.",
        "acknowledged" => "The recipient has it; that it is done nobody said. Never send it again.",
        "submitted" if is_pending => "It was submitted; wait for its acknowledgment with wait. Never send it again.",
        "submitted" => "It was submitted; whether it was read nothing proves. Never send it again.",
        "timed_out_unknown" => {
            "Nobody acknowledged it in time, which says nothing of its arrival. Ask the recipient; never send it again."
        }
        _ => "It may have been submitted; nobody knows. Ask the recipient what arrived; never send it again.",
    }
}
