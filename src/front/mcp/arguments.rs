//! From the arguments of a tool to the words of its command, and back: a way on that an answer names as words becomes a
//! call of a tool.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use super::tools::{Argument, Form, OPENCODE_SESSION, Place, TOOLS, Tool};
use crate::call::Caller;
use crate::error::{Error, Result};

/// The longest name or id, in bytes: that of an OpenCode session.
const LONGEST_WORD: usize = 256;

/// What a call of a tool asks for.
#[derive(Debug, Default)]
pub struct Given {
    /// The words of the command.
    pub words: Vec<String>,
    /// The calling peer, where the call names it.
    pub actor: Option<String>,
    /// The calling session, where the plug-in of OpenCode names it.
    pub session: Option<Caller>,
    /// Where the text of a message begins, in characters.
    pub from: usize,
}

/// Reads the arguments of a tool.
///
/// # Errors
/// `unknown_argument`, `argument_missing`, `invalid_argument`, `argument_too_long`, `invalid_opencode_session_id`.
pub fn read(tool: &Tool, mut arguments: Map<String, Value>) -> Result<Given> {
    let mut given = Given::default();
    if let Some(session) = arguments.shift_remove(OPENCODE_SESSION) {
        given.session = Some(opencode(&session)?);
    }
    let mut alone = Vec::new();
    given.words = tool.words.iter().chain(tool.fixed).map(|word| (*word).to_owned()).collect();
    for argument in tool.arguments() {
        // What is null was not given: some clients name every argument.
        let value = arguments.shift_remove(argument.name).filter(|value| !value.is_null());
        let Some(value) = value else {
            if argument.is_required {
                return Err(Error::new("argument_missing").with_detail(argument.name));
            }
            continue;
        };
        let words = argument.words(&value)?;
        match argument.place {
            Place::Alone => alone.extend(words),
            // In one word, so that no text is taken for an option.
            Place::Behind(option) if argument.form == Form::Flag => {
                given.words.extend(words.iter().map(|_| option.to_owned()));
            }
            Place::Behind(option) => given.words.extend(words.iter().map(|word| format!("{option}={word}"))),
            Place::Front if argument.form == Form::Count => given.from = value.as_u64().unwrap_or_default() as usize,
            Place::Front => given.actor = words.into_iter().next(),
        }
    }
    if let Some(name) = arguments.keys().next() {
        let known: Vec<&str> = tool.arguments().map(|argument| argument.name).collect();
        let name: String = name.chars().take(LONGEST_WORD).collect();
        let words = format!("{name:?}; {} takes {}", tool.name, known.join(", "));
        return Err(Error::new("unknown_argument").with_detail(words));
    }
    if !alone.is_empty() {
        given.words.push("--".to_owned());
        given.words.extend(alone);
    }
    Ok(given)
}

/// The session of OpenCode that calls. Its form is judged where peers are registered; here it is only looked up.
fn opencode(session: &Value) -> Result<Caller> {
    let is_one = |id: &&str| id.len() <= LONGEST_WORD && id.starts_with("ses");
    let id = session.as_str().filter(is_one).ok_or_else(|| {
        Error::new("invalid_opencode_session_id").with_detail(format!("{OPENCODE_SESSION} is no id of a session"))
    })?;
    Ok(Caller::Named { harness: "opencode", id: id.to_owned() })
}

impl Argument {
    /// A value as words of a command.
    fn words(&self, value: &Value) -> Result<Vec<String>> {
        let one = |word: String| Ok(vec![word]);
        match (self.form, value) {
            (Form::Text, Value::String(text)) => one(text.clone()),
            (Form::Word | Form::Words, Value::String(word)) => one(self.word(word)?),
            (Form::Words, Value::Array(words)) if !words.is_empty() => {
                let word = |word: &Value| match word.as_str() {
                    Some(word) => self.word(word),
                    None => Err(self.invalid("not an array of texts")),
                };
                words.iter().map(word).collect()
            }
            (Form::Number, Value::Number(number)) => one(number.to_string()),
            (Form::Count, Value::Number(number)) if number.is_u64() => one(number.to_string()),
            (Form::Flag, Value::Bool(is_on)) => Ok(if *is_on { vec![String::new()] } else { Vec::new() }),
            (Form::Word | Form::Text, _) => Err(self.invalid("not a text")),
            (Form::Words, _) => Err(self.invalid("neither a text nor an array of texts")),
            (Form::Number, _) => Err(self.invalid("not a number")),
            (Form::Count, _) => Err(self.invalid("not a whole number from 0 on")),
            (Form::Flag, _) => Err(self.invalid("neither true nor false")),
        }
    }

    fn word(&self, word: &str) -> Result<String> {
        match word.len() {
            ..=LONGEST_WORD => Ok(word.to_owned()),
            length => {
                let words = format!("{} has {length} bytes; the limit is {LONGEST_WORD} bytes", self.name);
                Err(Error::new("argument_too_long").with_detail(words))
            }
        }
    }

    fn invalid(&self, what: impl Display) -> Error {
        Error::new("invalid_argument").with_detail(format!("{} is {what}", self.name))
    }

    /// A word of a command as a value.
    fn value(&self, word: &str) -> Option<Value> {
        match self.form {
            Form::Number | Form::Count => serde_json::from_str(word).ok(),
            _ => Some(word.into()),
        }
    }
}

/// The call of a tool that does what a command does; none where there is no such tool.
pub fn call_of(way: &Value) -> Option<Value> {
    let words: Vec<&str> = way.as_array()?.iter().filter_map(Value::as_str).collect();
    TOOLS.iter().find_map(|tool| {
        let arguments = arguments_of(tool, words.strip_prefix(tool.words)?)?;
        Some(json!({ "tool": tool.name, "arguments": arguments }))
    })
}

/// The arguments of a tool for what follows the verb of its command.
fn arguments_of(tool: &Tool, words: &[&str]) -> Option<Map<String, Value>> {
    let mut alone = tool.arguments().filter(|argument| argument.place == Place::Alone);
    let mut arguments = Map::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if tool.fixed.contains(&word) {
            words.next();
            continue;
        }
        let behind =
            tool.arguments().find(|argument| matches!(argument.place, Place::Behind(option) if option == word));
        let (argument, value) = match behind {
            Some(flag) if flag.form == Form::Flag => (flag, true.into()),
            Some(argument) => (argument, argument.value(words.next()?)?),
            None if word.starts_with("--") => return None,
            None => alone.next().and_then(|argument| Some((argument, argument.value(word)?)))?,
        };
        arguments.insert(argument.name.to_owned(), value);
    }
    Some(arguments)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tools::named;
    use super::{call_of, read};

    fn words(tool: &str, arguments: Value) -> Vec<String> {
        read(named(tool).unwrap(), arguments.as_object().unwrap().clone()).unwrap().words
    }

    #[test]
    fn arguments_become_words() {
        let id = "1f0c9d52";
        let sent = words("send", json!({"recipient": ["-b"], "message": "--as x", "seconds": 1.5, "id": null}));
        assert_eq!(sent, ["send", "--message=--as x", "--wait=1.5", "--", "-b"]);
        let listed = words("inbox", json!({"after": 7, "summary": true, "as": "me"}));
        assert_eq!(listed, ["inbox", "--max-bytes", "8500", "--after-seq=7", "--summary"]);
        assert_eq!(words("inbox", json!({"summary": false})), ["inbox", "--max-bytes", "8500"]);
        assert_eq!(words("show", json!({"id": id, "from": 7})), ["show", "--", id]);
    }

    #[test]
    fn what_is_wrong_with_arguments_has_a_code() {
        let long = "x".repeat(257);
        for (tool, arguments, code) in [
            ("show", json!({}), "argument_missing"),
            ("show", json!({"id": null}), "argument_missing"),
            ("show", json!({"id": 7}), "invalid_argument"),
            ("show", json!({"id": "1f0c9d52", "from": -1}), "invalid_argument"),
            ("show", json!({"id": "1f0c9d52", "form": 1}), "unknown_argument"),
            ("show", json!({"id": long}), "argument_too_long"),
            ("inbox", json!({"after": 1.5}), "invalid_argument"),
            ("inbox", json!({"summary": "yes"}), "invalid_argument"),
            ("send", json!({"recipient": [], "message": "x"}), "invalid_argument"),
            ("send", json!({"recipient": [7], "message": "x"}), "invalid_argument"),
            ("send", json!({"recipient": "b", "message": ["x"]}), "invalid_argument"),
            ("wait", json!({"id": "1f0c9d52", "seconds": "1"}), "invalid_argument"),
            ("inbox", json!({"opencode_session": 1}), "invalid_opencode_session_id"),
            ("inbox", json!({"opencode_session": "x"}), "invalid_opencode_session_id"),
        ] {
            let error = read(named(tool).unwrap(), arguments.as_object().unwrap().clone()).unwrap_err();
            assert_eq!(error.code, code, "{tool} {arguments}");
        }
    }

    #[test]
    fn a_way_on_becomes_a_call() {
        for (way, call) in [
            (json!(["show", "1f"]), json!({"tool": "show", "arguments": {"id": "1f"}})),
            (json!(["peer", "list"]), json!({"tool": "peers", "arguments": {}})),
            (
                json!(["inbox", "--after-seq", "7", "--max-bytes", "8500", "--summary"]),
                json!({"tool": "inbox", "arguments": {"after": 7, "summary": true}}),
            ),
            (json!(["peer", "list", "--after", "b"]), json!({"tool": "peers", "arguments": {"after": "b"}})),
        ] {
            assert_eq!(call_of(&way), Some(call), "{way}");
        }
        for way in [json!(["sent"]), json!(["peer", "add", "b"]), json!(["show", "1f", "2f"]), json!(["inbox", "--x"])]
        {
            assert_eq!(call_of(&way), None, "{way}");
        }
    }
}
