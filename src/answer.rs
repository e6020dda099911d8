//! What a verb answers: an object, and how the call ended. A front decides how that is shown.
//!
//! A way on (a command that helps next) is not a line for a shell but its words: an array of the verb and what follows
//! it, without program, mailbox and actor. It stands under the name of its action in `recovery`, or under `next_page`
//! or `peer_add`. A front adds what it takes to follow it.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};

/// The answer of a verb.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The one object; none where the verb has given lines or text to its front.
    pub object: Option<Map<String, Value>>,
    /// How it ended.
    pub status: Status,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As it was asked for.
    Done,
    /// Refused or failed; or a notice of this call is not confirmed.
    Failed,
    /// The verb was understood and its answer is no; only of handoffs.
    Unmet,
    /// Cancelled before its end.
    Interrupted,
}

impl Answer {
    /// What a verb returns that did what it was asked for.
    pub fn done(object: impl Into<Value>) -> Result<Answer> {
        Answer::ended(object, Status::Done)
    }

    /// The same with a given ending.
    pub fn ended(object: impl Into<Value>, status: Status) -> Result<Answer> {
        Ok(Answer { object: Some(map(object.into())), status })
    }

    /// The end of a verb that has given lines or text to its front.
    pub fn given(status: Status) -> Result<Answer> {
        Ok(Answer { object: None, status })
    }
}

/// An object as its keys. Every answer is one.
pub fn map(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(object) => object,
        other => Map::from_iter([("result".to_owned(), other)]),
    }
}

/// The words of a way on: a verb and what follows it.
pub fn way(words: &[&str]) -> Value {
    words.iter().copied().collect()
}

/// The object of an error, with the ways on that are open in any case (`recovery`) and the step that its code advises.
pub fn refusal(error: Error, mut recovery: Map<String, Value>, advice: Option<&str>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("state".into(), "error".into());
    object.insert("error".into(), error.code.into());
    if let Some(detail) = error.detail {
        object.insert("detail".into(), detail.into());
    }
    object.extend(error.facts);
    recovery.extend(error.recovery);
    object.insert("recovery".into(), recovery.into());
    // What the code means in general, unless this case has words of its own.
    object.insert("next_action".into(), json!(error.next_action.as_deref().or(advice)));
    object
}

/// A part of an answer, by what it is.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// A value as it is.
    Value(&'a Value),
    /// A way on.
    Way(&'a Value),
    /// Ways on by the names of their actions.
    Ways(&'a Map<String, Value>),
    /// Objects with ways on of their own: messages or sessions.
    Objects(&'a [Value]),
    /// One of them.
    Object(&'a Map<String, Value>),
}

/// What a key of an object holds.
pub fn part<'a>(key: &str, value: &'a Value) -> Part<'a> {
    match (key, value) {
        ("recovery", Value::Object(ways)) => Part::Ways(ways),
        ("next_page" | "peer_add", Value::Array(_)) => Part::Way(value),
        ("messages" | "sessions", Value::Array(rows)) => Part::Objects(rows),
        _ => Part::Value(value),
    }
}

impl<'a> Part<'a> {
    /// One of several objects.
    pub fn of(row: &'a Value) -> Part<'a> {
        row.as_object().map_or(Part::Value(row), Part::Object)
    }
}
