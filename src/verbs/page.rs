//! A page of messages, bounded by their number and their printed size.

use clap::Args;
use serde_json::{Map, Value};

use super::actor::Actor;
use super::blank::is_blank;
use super::message;
use super::number::{Typed, whole};
use crate::answer::{Answer, way};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Args as Parameters, Db};
use crate::sql::Statement;

const USUAL_LIMIT: &str = "100";
const USUAL_BYTES: &str = "16384";

/// The longest preview of a body, in characters.
const PREVIEW: usize = 120;

/// How much of a list to print.
#[derive(Debug, Args)]
pub struct Size {
    /// At most so many rows, 1 to 500
    #[arg(long, value_name = "N", default_value = USUAL_LIMIT, value_parser = whole, allow_negative_numbers = true)]
    limit: Typed<i64>,
    /// At most so many bytes of rows, 1024 to 10485760; the first row always
    #[arg(long, value_name = "N", default_value = USUAL_BYTES, value_parser = whole, allow_negative_numbers = true)]
    max_bytes: Typed<i64>,
}

impl Size {
    /// Checks both bounds.
    ///
    /// # Errors
    /// `limit_must_be_between_1_and_500`, `max_bytes_must_be_between_1024_and_10485760`
    pub fn require(&self) -> Result<()> {
        if !(1..=500).contains(&self.limit.value) {
            return Err(Error::new("limit_must_be_between_1_and_500").with_detail(&self.limit.text));
        }
        if !(1_024..=10_485_760).contains(&self.max_bytes.value) {
            return Err(Error::new("max_bytes_must_be_between_1024_and_10485760").with_detail(&self.max_bytes.text));
        }
        Ok(())
    }

    /// The number of rows as a parameter of a statement.
    pub fn rows(&self) -> Arg<'static> {
        self.limit.value.into()
    }

    /// An empty page of this size.
    pub fn page<'a>(&'a self, call: &'a Call) -> Page<'a> {
        Page { size: self, call, rows: Vec::new(), room: self.max_bytes.value as usize }
    }

    /// The command that prints the page behind this one, in the same size.
    fn next_page(&self, words: &[&str], options: &[&str]) -> Value {
        let mut words = words.to_vec();
        for (option, number, usual) in
            [("--limit", &self.limit, USUAL_LIMIT), ("--max-bytes", &self.max_bytes, USUAL_BYTES)]
        {
            if number.text != usual {
                words.extend([option, &number.text]);
            }
        }
        words.extend(options);
        way(&words)
    }
}

/// The rows of a page, as far as they fit.
pub struct Page<'a> {
    size: &'a Size,
    call: &'a Call,
    rows: Vec<Value>,
    room: usize,
}

impl Page<'_> {
    /// How many bytes a row takes as it is printed.
    fn printed(&self, row: &Map<String, Value>) -> usize {
        self.call.front().show(&self.call.progress(), row).len()
    }

    /// Whether a row is larger than a whole page.
    fn is_too_large(&self, row: &Map<String, Value>) -> bool {
        self.printed(row) > self.size.max_bytes.value as usize
    }

    /// Takes a row where there is room for it, and the first one always; false if the page is full.
    pub fn take(&mut self, row: Map<String, Value>) -> bool {
        let printed = self.printed(&row);
        if printed > self.room && !self.rows.is_empty() {
            return false;
        }
        self.room = self.room.saturating_sub(printed);
        self.rows.push(row.into());
        true
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows under a key, with `total`, `omitted` and, where some are left, `next_page`: `words` name the verb and
    /// where its next page begins, `options` what else it was called with. `remaining` counts this page and what is
    /// behind it.
    pub fn answer(self, key: &str, total: i64, remaining: i64, words: &[&str], options: &[&str]) -> Map<String, Value> {
        let omitted = remaining - self.rows.len() as i64;
        let mut answer = Map::new();
        answer.insert(key.into(), self.rows.into());
        answer.insert("total".into(), total.into());
        answer.insert("omitted".into(), omitted.into());
        if omitted > 0 {
            answer.insert("next_page".into(), self.size.next_page(words, options));
        }
        answer
    }
}

/// How much of a list of messages to print, and in which form.
#[derive(Debug, Args)]
pub struct Messages {
    #[command(flatten)]
    size: Size,
    /// The first line of each body instead of the whole
    #[arg(long)]
    summary: bool,
}

/// What one list of messages differs in from the other.
pub struct List<'a> {
    /// The command that prints it, up to the cursor of a page.
    pub words: &'a [&'a str],
    /// Where the first page begins.
    pub start: i64,
    /// What its statements take besides the actor and the cursor.
    pub args: Parameters<'a>,
    /// The statement that lists messages after a cursor.
    pub list: Statement,
    /// The statement that counts all and those after a cursor.
    pub count: Statement,
    /// What to do with an empty list.
    pub nothing: &'static str,
    /// What to do with the messages of a page.
    pub something: &'static str,
}

impl Messages {
    /// Whether no option says anything but the usual.
    pub fn is_usual(&self) -> bool {
        self.size.limit.text == USUAL_LIMIT && self.size.max_bytes.text == USUAL_BYTES && !self.summary
    }

    /// Checks what says which page is wanted.
    ///
    /// # Errors
    /// Those of [`Size::require`], and `seq_cursor_must_be_a_positive_integer`
    pub fn require(&self, cursor: Option<&Typed<i64>>) -> Result<()> {
        self.size.require()?;
        match cursor.filter(|cursor| cursor.value < 1) {
            Some(cursor) => Err(Error::new("seq_cursor_must_be_a_positive_integer").with_detail(&cursor.text)),
            None => Ok(()),
        }
    }

    /// Prints the page after a cursor.
    pub fn page(&self, call: &Call, list: &List, cursor: Option<&Typed<i64>>) -> Result<Answer> {
        self.require(cursor)?;
        call.read(|db| self.fill(call, db, &Actor::of(call, db)?, list, cursor)).and_then(Answer::done)
    }

    /// The page after a cursor. Both were checked.
    pub fn fill(
        &self,
        call: &Call,
        db: &Db,
        actor: &Actor,
        list: &List,
        cursor: Option<&Typed<i64>>,
    ) -> Result<Map<String, Value>> {
        let cursor = cursor.map_or(list.start, |cursor| cursor.value);
        let mut args = list.args.to_vec();
        args.extend([
            (":actor", Arg::from(actor.name.as_str())),
            (":cursor", cursor.into()),
            (":limit", self.size.rows()),
        ]);
        let counts = db.row(list.count, &args)?.unwrap_or_default();
        let mut page = self.size.page(call);
        let mut last = cursor;
        let mut is_shortened = false;
        db.each(list.list, &args, |stored| {
            let seq = stored.number("seq");
            let mut message = message::complete(db, actor, stored)?;
            let is_short = self.summary || page.is_too_large(&message);
            if is_short {
                summarize(&mut message);
            }
            let is_taken = page.take(message.into());
            if is_taken {
                last = seq;
                is_shortened |= is_short;
            }
            Ok(is_taken)
        })?;
        let mut words = if page.is_empty() { list.nothing } else { list.something }.to_owned();
        if is_shortened {
            words.push_str(" Where body_preview stands in the place of body, show prints the whole.");
        }
        let last = last.to_string();
        let options: &[&str] = if self.summary { &["--summary"] } else { &[] };
        let next = [list.words, &[&last]].concat();
        let mut answer = page.answer("messages", counts.number("total"), counts.number("remaining"), &next, options);
        answer.insert("next_action".into(), words.into());
        Ok(answer)
    }
}

/// Puts `body_bytes` and `body_preview` in the place of `body`, in a message and in its reply.
fn summarize(message: &mut Map<String, Value>) {
    if let Some(Value::Object(reply)) = message.get_mut("reply") {
        summarize(reply);
    }
    let (size, preview) = {
        let body = message.get("body").and_then(Value::as_str).unwrap_or_default();
        let line = body.lines().find(|line| !is_blank(line)).unwrap_or_default();
        (body.len(), line.chars().take(PREVIEW).collect::<String>())
    };
    let Some(place) = message.keys().position(|key| key == "body") else { return };
    message.shift_remove("body");
    message.shift_insert(place, "body_bytes".into(), size.into());
    message.shift_insert(place + 1, "body_preview".into(), preview.into());
}
