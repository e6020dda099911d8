//! Where a message's text comes from.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use clap::Args;

use crate::call::Call;
use crate::error::{Error, Result};
use crate::platform::streams::Patient;

/// The largest body, in bytes. The rule stands in the schema; this only bounds what is kept of a larger text.
const LIMIT: usize = 32_000;

/// Where counting the size of a text that is too large ends, in bytes.
const COUNTED: usize = 1 << 26;

/// The options that give a text. Standard input is the way that no shell expands.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct Source {
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<OsString>,
    /// A file with the text; - is standard input
    #[arg(long, value_name = "PATH")]
    message_file: Option<PathBuf>,
}

/// A text as it was given. Whether it is a valid body the rules decide.
pub struct Body {
    /// Its bytes; of one that is too large only a beginning that is too large as well.
    pub bytes: Vec<u8>,
    size: usize,
}

impl Source {
    /// Whether an option gives the text.
    pub fn is_given(&self) -> bool {
        self.message.is_some() || self.message_file.is_some()
    }

    /// What is wrong where the text may also stand in the line, as words of a usage error.
    pub fn misuse(&self, text: Option<&OsString>) -> Option<String> {
        match (self.is_given(), text.is_some()) {
            (false, false) => Some("a text is missing: give it in the line, or by --message or --message-file".into()),
            (true, true) => Some("two texts: one in the line, and one by an option".into()),
            _ => None,
        }
    }

    /// The same source, or else a text that stands in the line; `-` is standard input.
    pub fn or(self, text: Option<OsString>) -> Source {
        match text {
            Some(text) if text == "-" => Source { message: None, message_file: Some(text.into()) },
            Some(text) => Source { message: Some(text), message_file: None },
            None => self,
        }
    }

    /// Reads the text to its end.
    ///
    /// # Errors
    /// `message_file_unreadable`
    pub fn read(self, call: &Call) -> Result<Body> {
        let Some(path) = self.message_file else {
            let bytes = self.message.unwrap_or_default().into_vec();
            return Ok(Body { size: bytes.len(), bytes });
        };
        let unreadable = |error: io::Error| {
            Error::new("message_file_unreadable").with_detail(format!("{}: {error}", path.display()))
        };
        if path.as_os_str() == "-" {
            return call.front().input().and_then(|input| keep(Patient(File::from(input)), None)).map_err(unreadable);
        }
        let file = File::open(call.expand(&path)?).and_then(|file| {
            let facts = file.metadata()?;
            keep(Patient(file), facts.is_file().then_some(facts.len() as usize))
        });
        file.map_err(unreadable)
    }
}

/// Keeps what a valid body can have and one byte more. The size of a larger one is known, or the rest is counted.
fn keep(mut input: impl Read, size: Option<usize>) -> io::Result<Body> {
    let mut bytes = Vec::new();
    input.by_ref().take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    let size = match size {
        _ if bytes.len() <= LIMIT => bytes.len(),
        Some(size) => size.max(bytes.len()),
        None => bytes.len() + io::copy(&mut input.take(COUNTED as u64), &mut io::sink())? as usize,
    };
    Ok(Body { size, bytes })
}

impl Body {
    /// Adds the numbers to a refusal of this body.
    pub fn explain(&self, error: Error) -> Error {
        match error.code.as_str() {
            "message_must_be_1_to_32000_bytes" if (1..=LIMIT).contains(&self.size) => {
                error.with_detail(format!("{} bytes, all of them blank; the limit is {LIMIT} bytes", self.size))
            }
            "message_must_be_1_to_32000_bytes" => {
                let more = if self.size == LIMIT + 1 + COUNTED { "at least " } else { "" };
                error.with_detail(format!("{more}{} bytes; the limit is {LIMIT} bytes", self.size))
            }
            "message_is_not_utf8" => {
                let valid = std::str::from_utf8(&self.bytes).map_or_else(|error| error.valid_up_to(), str::len);
                error.with_detail(format!("{} bytes, not UTF-8 at byte {valid}; the limit is {LIMIT} bytes", self.size))
            }
            "message_contains_nul" => {
                let place = self.bytes.iter().position(|byte| *byte == 0).unwrap_or_default();
                error.with_detail(format!("{} bytes, U+0000 at byte {place}; the limit is {LIMIT} bytes", self.size))
            }
            _ => error,
        }
    }
}
