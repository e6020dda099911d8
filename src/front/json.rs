//! Answers as JSON for a shell: one line, its ways on as commands that run as they stand, no character that could steer
//! a terminal.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Map, Value};

use crate::answer::{Part, part};
use crate::call::Progress;
use crate::shell;

/// The JSON text of an object, without a line end. Its ways on become command lines for the call's mailbox and actor.
pub fn object(call: &Progress, object: &Map<String, Value>) -> String {
    text(&Object { call, keys: object })
}

/// The JSON text of a value, without a line end.
pub fn text(value: &impl Serialize) -> String {
    let mut bytes = Vec::with_capacity(1024);
    // Values of this program always serialize: their keys are strings.
    let _ = value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Inert));
    String::from_utf8(bytes).unwrap_or_default()
}

/// An object of an answer.
struct Object<'a> {
    call: &'a Progress,
    keys: &'a Map<String, Value>,
}

/// A part of such an object.
struct Shown<'a> {
    call: &'a Progress,
    part: Part<'a>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.keys.len()))?;
        for (key, value) in self.keys {
            map.serialize_entry(key, &Shown { call: self.call, part: part(key, value) })?;
        }
        map.end()
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let call = self.call;
        match self.part {
            Part::Value(value) => value.serialize(serializer),
            Part::Way(way) => {
                let words = way.as_array().into_iter().flatten().filter_map(Value::as_str);
                shell::htalk(&call.mailbox, call.actor.as_deref(), words).serialize(serializer)
            }
            Part::Ways(ways) => {
                serializer.collect_map(ways.iter().map(|(key, way)| (key, Shown { call, part: Part::Way(way) })))
            }
            Part::Objects(rows) => serializer.collect_seq(rows.iter().map(|row| Shown { call, part: Part::of(row) })),
            Part::Object(keys) => Object { call, keys }.serialize(serializer),
        }
    }
}

/// Compact JSON whose strings can't steer a terminal: C0 is escaped anyway, DEL, C1 and bidirectional overrides here.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        // The usual text is ASCII. Without an early end the processor looks at many bytes at a time.
        if fragment.bytes().fold(true, |is_ascii, byte| is_ascii & (byte < 0x7f)) {
            return CompactFormatter.write_string_fragment(writer, fragment);
        }
        while let Some((at, steering)) = rest.char_indices().find(|(_, character)| steers(*character)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            write!(writer, "\\u{:04x}", u32::from(steering))?;
            rest = &rest[at + steering.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

fn steers(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
