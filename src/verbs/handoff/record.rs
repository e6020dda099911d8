//! A handoff as it is answered.

use serde_json::{Map, Value, json};

use super::ledger;
use crate::answer::{Answer, Status, way};
use crate::error::{Error, Result};
use crate::mailbox::{Db, Row};
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::actor::Actor;

/// The object of a handoff that the actor sent or got.
///
/// # Errors
/// `handoff_id_unknown`, `handoff_history_unavailable`; both say so in `handoff_query`.
pub fn of(db: &Db, actor: &Actor, id: &str) -> Result<Row> {
    let now = Moment::now();
    let [boot, ns] = ledger::seen_at(now.as_ref());
    let args = [(":id", id.into()), boot, ns];
    let found = db.row(sql::HANDOFF_GET, &args)?;
    let is_party = |row: &Row| [row.text("sender"), row.text("recipient")].contains(&actor.name.as_str());
    let Some(mut row) = found.filter(is_party) else { return Err(unknown(id, "handoff_id_unknown", "id_unknown")) };
    if row.text("phase") == "tombstone" {
        return Err(unknown(id, "handoff_history_unavailable", "history_unavailable"));
    }
    row.retain(|key, value| key == "handoff" || !value.is_null());
    if let Some(Value::Object(handoff)) = row.get_mut("handoff") {
        handoff.retain(|_, value| !value.is_null());
    }
    let handoff = row["handoff"].clone();
    let mut recovery = Map::new();
    recovery.insert("status".into(), way(&["handoff", "status", id]));
    if handoff["ack"]["status"] == "pending" && row.text("sender") == actor.name {
        recovery.insert("wait".into(), way(&["handoff", "wait", id]));
    }
    if !matches!(handoff["submission"]["status"].as_str(), Some("not_attempted" | "refused")) {
        recovery.insert("show".into(), way(&["show", id]));
    }
    let is_own = row.text("sender") == actor.name;
    if let Some(confirm) = confirm_command(&handoff, id).filter(|_| is_own) {
        recovery.insert("confirm".into(), confirm);
    }
    let can_confirm = recovery.contains_key("confirm");
    row.insert("recovery".into(), recovery.into());
    let words = match is_own {
        true => next_action(&handoff, can_confirm),
        false => "The handoff is its sender's; answer the message as usual.",
    };
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

/// The answer of a verb, and whether what it was asked for is so.
pub fn done(object: Row, is_met: bool) -> Result<Answer> {
    Answer::ended(object, if is_met { Status::Done } else { Status::Unmet })
}

/// The command by which its sender states that the recipient has it; none where that would be refused.
fn confirm_command(handoff: &Value, id: &str) -> Option<Value> {
    let is_open = handoff["submission"]["status"] == "submitted"
        && handoff["ack"]["status"] != "acknowledged"
        && handoff["wait"]["status"] != "pending";
    let (epoch, generation) = (handoff["ledger_epoch"].as_str()?, handoff["target_generation"].as_str()?);
    let generation = format!("--generation={generation}");
    is_open.then(|| way(&["handoff", "confirm", id, "--epoch", epoch, &generation]))
}

/// What the sender does next, in words.
fn next_action(handoff: &Value, can_confirm: bool) -> &'static str {
    let is_pending = handoff["ack"]["status"] == "pending";
    let is_arrived = handoff["ack"]["arrived_at"].is_number();
    match handoff["state"].as_str().unwrap_or_default() {
        "validated" => "Nothing was sent yet. Submit it once with htalk handoff send.",
        "refused" => "Nothing was handed over, and this handoff is spent. Prepare a new one if it is still wanted.",
        "acknowledged" if handoff["ack"]["assurance"] == "token_possession" => {
            "htalk was presented the token that only its notice carried; that it is done nobody said. Never send it \
             again."
        }
        "acknowledged" => "You stated that the recipient has it; that it is done nobody said. Never send it again.",
        "submitted" if is_pending => "It was submitted; wait for its acknowledgment with wait. Never send it again.",
        "submitted" if can_confirm => {
            "It was submitted; whether it was read nothing proves. Once you know that the recipient has it, confirm \
             states it; never send it again."
        }
        "submitted" => "It was submitted; whether it was read nothing proves. Never send it again.",
        "timed_out_unknown" if can_confirm => {
            "Nobody acknowledged it in time, which says nothing of its arrival. Ask the recipient; once you know that \
             it has it, confirm states it; never send it again."
        }
        "timed_out_unknown" => {
            "Nobody acknowledged it in time, which says nothing of its arrival. Ask the recipient; never send it again."
        }
        _ if is_arrived => {
            "Somebody presented its token, so it arrived; its submission stays unknown. Never send it again."
        }
        _ => "It may have been submitted; nobody knows. Ask the recipient what arrived; never send it again.",
    }
}
