//! An answer as the one text that a model reads: compact JSON without nulls, its ways on as calls of tools, and shorter
//! than what clients cut.

use serde_json::{Map, Value, json};

use super::super::json as printed;
use super::arguments::call_of;
use crate::answer::{Part, part};
use crate::call::Progress;

/// The longest text, in characters. A client cuts longer ones in the middle (Codex from about 10,000 on).
pub const LIMIT: usize = 9_900;

/// The longest of all other texts than the body of a message, in characters. Other programs may have saved any.
const LONGEST_DETAIL: usize = 500;

/// The room of the keys that come with a part of a body, in characters.
const REST: usize = 160;

/// The text of an object, or of a row of a page, without a limit.
pub fn of(object: &Map<String, Value>) -> String {
    printed::text(&told(object))
}

/// The text of an answer: with who has called, and within the limit. The body of its message begins behind `from`
/// characters, and is left out where it `echoes` what was just given.
pub fn answer(progress: &Progress, object: &Map<String, Value>, from: usize, echoes: bool) -> String {
    let mut told = told(object);
    let is_message = told.contains_key("seq");
    if is_message && echoes {
        told.shift_remove("body");
    }
    if let Some(actor) = &progress.actor {
        told.entry("actor").or_insert_with(|| actor.as_str().into());
        told.entry("actor_source").or_insert_with(|| progress.actor_source.into());
    }
    if is_message {
        shorten(&mut told, from);
    }
    printed::text(&told)
}

/// An object without nulls, its ways on as calls.
fn told(object: &Map<String, Value>) -> Map<String, Value> {
    let mut told = Map::new();
    for (key, value) in object {
        let value = match part(key, value) {
            Part::Way(way) => call_of(way),
            Part::Ways(ways) => {
                let calls: Map<String, Value> =
                    ways.iter().filter_map(|(action, way)| Some((action.clone(), call_of(way)?))).collect();
                (!calls.is_empty()).then(|| calls.into())
            }
            Part::Objects(rows) => Some(rows.iter().map(|row| row.as_object().map(self::told)).collect()),
            Part::Object(keys) => Some(self::told(keys).into()),
            Part::Value(value) => plain(key, value),
        };
        told.extend(value.map(|value| (key.clone(), value)));
    }
    told
}

/// A value without nulls, and without texts that are too long for a detail.
fn plain(key: &str, value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if key != "body" => match text.char_indices().nth(LONGEST_DETAIL) {
            Some((end, _)) => Some(format!("{}…", &text[..end]).into()),
            None => Some(value.clone()),
        },
        Value::Array(values) => Some(values.iter().filter_map(|value| plain(key, value)).collect()),
        Value::Object(object) => {
            let keys = object.iter().filter_map(|(key, value)| Some((key.clone(), plain(key, value)?)));
            Some(Value::Object(keys.collect()))
        }
        other => Some(other.clone()),
    }
}

/// Shows as much of the bodies of a message and of its answer as there is room for.
fn shorten(message: &mut Map<String, Value>, from: usize) {
    if from > 0 {
        // Who reads on has seen the answer.
        message.shift_remove("reply");
        skip(message, from);
    }
    let reply = message.get("reply").and_then(Value::as_object);
    let sizes = [width(message), reply.map_or(0, width)];
    let all = printed::text(message).chars().count();
    if all <= LIMIT {
        return;
    }
    let room = LIMIT.saturating_sub(all - sizes[0] - sizes[1] + 2 * REST);
    let half = room / 2;
    let own = if sizes[0] <= half { sizes[0] } else { half.max(room.saturating_sub(sizes[1])) };
    cut(message, own, from);
    if let Some(Value::Object(reply)) = message.get_mut("reply") {
        cut(reply, room - own.min(room), 0);
    }
}

/// How many characters the body of a message takes.
fn width(message: &Map<String, Value>) -> usize {
    message.get("body").and_then(Value::as_str).map_or(0, printed_width)
}

/// How many characters a text takes between its quotes.
fn printed_width(text: &str) -> usize {
    printed::text(&text).chars().count() - 2
}

/// Begins the body behind so many characters.
fn skip(message: &mut Map<String, Value>, from: usize) {
    if let Some(Value::String(body)) = message.get_mut("body") {
        let begin = body.char_indices().nth(from).map_or(body.len(), |(at, _)| at);
        *body = body.split_off(begin);
        insert_behind_body(message, "body_from", from.into());
    }
}

/// Leaves so much of a body as fits, and says how to read the rest.
fn cut(message: &mut Map<String, Value>, room: usize, from: usize) {
    let Some(body) = message.get("body").and_then(Value::as_str) else { return };
    if printed_width(body) <= room {
        return;
    }
    let ends: Vec<usize> = body.char_indices().map(|(at, _)| at).collect();
    let kept = ends.partition_point(|end| printed_width(&body[..*end]) <= room).saturating_sub(1);
    let (part, next) = (body[..ends[kept]].to_owned(), from + kept);
    let rest = json!({ "tool": "show", "arguments": { "id": message.get("id"), "from": next } });
    message.insert("body".into(), part.into());
    insert_behind_body(message, "body_characters", (from + ends.len()).into());
    insert_behind_body(message, "body_rest", rest);
}

fn insert_behind_body(message: &mut Map<String, Value>, key: &str, value: Value) {
    let place = message.keys().position(|key| key == "body").map_or(0, |place| place + 1);
    message.shift_insert(place, key.to_owned(), value);
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{LIMIT, answer};
    use crate::call::Progress;

    fn told(object: Value, from: usize) -> (String, Value) {
        let text = answer(&Progress::default(), object.as_object().unwrap(), from, false);
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    }

    fn message(body: &str, reply: Option<&str>) -> Value {
        let reply = reply.map(|body| json!({ "seq": 2, "id": "2f", "body": body, "ack_at": null }));
        json!({ "seq": 1, "id": "1f", "body": body, "ack_at": null, "reply": reply, "recovery": { "sent": ["sent"] } })
    }

    #[test]
    fn nothing_is_said_of_what_is_not_there() {
        let (text, _) = told(message("x", Some("y")), 0);
        assert_eq!(text, r#"{"seq":1,"id":"1f","body":"x","reply":{"seq":2,"id":"2f","body":"y"}}"#);
    }

    #[test]
    fn a_long_text_is_read_in_parts() {
        for body in ["plain text ".repeat(2_900), "\n\u{1b}é\"".repeat(4_000), "😀".repeat(8_000)] {
            let (mut read, mut from) = (String::new(), 0);
            loop {
                let (text, value) = told(message(&body, Some("short")), from);
                assert!(text.chars().count() <= LIMIT, "{}", text.chars().count());
                read += value["body"].as_str().unwrap();
                let Some(next) = value.pointer("/body_rest/arguments/from") else { break };
                assert_eq!(value["body_characters"], body.chars().count());
                let next = next.as_u64().unwrap() as usize;
                assert!(next > from + 1_000, "{next} behind {from}");
                from = next;
            }
            assert_eq!(read, body);
        }
    }

    #[test]
    fn two_long_texts_share_the_room() {
        for (own, other) in [(32_000, 32_000), (32_000, 100), (100, 32_000), (5_000, 32_000)] {
            let (text, value) = told(message(&"a".repeat(own), Some(&"b".repeat(other))), 0);
            let length = text.chars().count();
            assert!((LIMIT - 400..=LIMIT).contains(&length), "{own} and {other}: {length}");
            let shown = [&value["body"], &value["reply"]["body"]].map(|body| body.as_str().unwrap().len());
            assert!(shown[0] >= own.min(4_500) && shown[1] >= other.min(4_500), "{own} and {other}: {shown:?}");
        }
    }

    #[test]
    fn a_detail_of_any_length_is_cut() {
        let mut object = message("x", None);
        object["notification_detail"] = "y".repeat(100_000).into();
        assert!(told(object, 0).0.len() < 1_000);
        let peers: Map<String, Value> = Map::from_iter([("peers".into(), json!([{ "url": "z".repeat(100_000) }]))]);
        assert!(told(peers.into(), 0).0.len() < 1_000);
    }
}
