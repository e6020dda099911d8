//! A page of messages, bounded by their number and their printed size.

use std::num::{IntErrorKind, ParseIntError};

use clap::Args;
use serde_json::{Map, Value};

use super::actor::Actor;
use super::message;
use crate::answer::{Answer, way};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Db};
use crate::sql::Statement;

const USUAL_LIMIT: i64 = 100;
const USUAL_BYTES: i64 = 16_384;

/// The longest preview of a body, in characters.
const PREVIEW: usize = 120;

/// A whole number as an argument. One beyond 64 bits is as good as the last one within: out of range as a size, behind
/// every message as a cursor.
pub fn whole(text: &str) -> std::result::Result<i64, ParseIntError> {
    text.parse().or_else(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => Ok(i64::MAX),
        IntErrorKind::NegOverflow => Ok(i64::MIN),
        _ => Err(error),
    })
}

/// Checks a number of rows.
///
/// # Errors
/// `limit_must_be_between_1_and_500`
pub fn require_limit(limit: i64) -> Result<()> {
    if (1..=500).contains(&limit) {
        return Ok(());
    }
    Err(Error::new("limit_must_be_between_1_and_500").with_detail(limit))
}

/// How much of a list to print.
#[derive(Debug, Args)]
pub struct Size {
    /// At most so many messages, 1 to 500
    #[arg(long, value_name = "N", default_value_t = USUAL_LIMIT, value_parser = whole, allow_negative_numbers = true)]
    limit: i64,
    /// At most so many bytes of messages, 1024 to 10485760; the first message always
    #[arg(long, value_name = "N", default_value_t = USUAL_BYTES, value_parser = whole, allow_negative_numbers = true)]
    max_bytes: i64,
    /// The first line of each body instead of the whole
    #[arg(long)]
    summary: bool,
}

/// What one list differs in from the other.
pub struct List {
    /// The verb that prints it.
    pub verb: &'static str,
    /// The option of the verb that names a cursor.
    pub cursor_option: &'static str,
    /// Where the first page begins.
    pub start: i64,
    /// The statement that lists messages after a cursor.
    pub list: Statement,
    /// The statement that counts all and those after a cursor.
    pub count: Statement,
    /// What to do with an empty list.
    pub nothing: &'static str,
    /// What to do with the messages of a page.
    pub something: &'static str,
}

impl Size {
    /// Prints the page after a cursor.
    pub fn page(&self, call: &Call, list: &List, cursor: Option<i64>) -> Result<Answer> {
        require_limit(self.limit)?;
        if !(1_024..=10_485_760).contains(&self.max_bytes) {
            return Err(Error::new("max_bytes_must_be_between_1024_and_10485760").with_detail(self.max_bytes));
        }
        if cursor.is_some_and(|cursor| cursor < 1) {
            return Err(Error::new("seq_cursor_must_be_a_positive_integer"));
        }
        call.read(|db| {
            let actor = Actor::of(call, db)?;
            self.fill(call, db, &actor, list, cursor.unwrap_or(list.start))
        })
        .and_then(Answer::done)
    }

    fn fill(&self, call: &Call, db: &Db, actor: &Actor, list: &List, cursor: i64) -> Result<Value> {
        let after = |cursor: i64| [(":actor", Arg::from(actor.name.as_str())), (":cursor", cursor.into())];
        let counts = db.row(list.count, &after(cursor))?.unwrap_or_default();
        let mut messages = Vec::new();
        let mut room = self.max_bytes as usize;
        let mut last = cursor;
        let [who, from] = after(cursor);
        db.each(list.list, &[who, from, (":limit", self.limit.into())], |stored| {
            let seq = stored.number("seq");
            let mut message = message::complete(db, actor, stored)?;
            if self.summary {
                summarize(&mut message);
            }
            let size = call.front().show(&call.progress(), &message).len();
            if size > room && !messages.is_empty() {
                return Ok(false);
            }
            room = room.saturating_sub(size);
            last = seq;
            messages.push(Value::from(message));
            Ok(true)
        })?;
        let omitted = counts.number("remaining") - messages.len() as i64;
        let mut page = Map::new();
        let next_action = if messages.is_empty() { list.nothing } else { list.something };
        page.insert("messages".into(), messages.into());
        page.insert("total".into(), counts["total"].clone());
        page.insert("omitted".into(), omitted.into());
        if omitted > 0 {
            page.insert("next_page".into(), self.next_page(list, last));
        }
        page.insert("next_action".into(), next_action.into());
        Ok(page.into())
    }

    /// The command that prints the page behind this one, in the same size.
    fn next_page(&self, list: &List, last: i64) -> Value {
        let (limit, bytes, last) = (self.limit.to_string(), self.max_bytes.to_string(), last.to_string());
        let mut words = vec![list.verb, list.cursor_option, &last];
        if self.limit != USUAL_LIMIT {
            words.extend(["--limit", &limit]);
        }
        if self.max_bytes != USUAL_BYTES {
            words.extend(["--max-bytes", &bytes]);
        }
        if self.summary {
            words.push("--summary");
        }
        way(&words)
    }
}

/// Puts `body_bytes` and `body_preview` in the place of `body`, in a message and in its reply.
fn summarize(message: &mut Map<String, Value>) {
    if let Some(Value::Object(reply)) = message.get_mut("reply") {
        summarize(reply);
    }
    let (size, preview) = {
        let body = message.get("body").and_then(Value::as_str).unwrap_or_default();
        let line = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        (body.len(), line.chars().take(PREVIEW).collect::<String>())
    };
    let Some(place) = message.keys().position(|key| key == "body") else { return };
    message.shift_remove("body");
    message.shift_insert(place, "body_bytes".into(), size.into());
    message.shift_insert(place + 1, "body_preview".into(), preview.into());
}
