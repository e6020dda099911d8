//! The message of a handoff.

use std::path::Path;
use std::time::Instant;

use super::super::blank::is_blank;
use super::input;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::seal;

/// The largest message, in characters and in bytes.
const CHARS: usize = 1_000_000;
const BYTES: usize = 4_000_000;

/// A message that can be handed over: UTF-8, not blank, without U+0000, within the limits.
pub struct Message {
    /// The message itself.
    pub body: String,
    /// Its length in characters.
    pub chars: usize,
    /// SHA-256 of its bytes; bound to the handoff and never shown.
    pub digest: String,
}

impl Message {
    /// Reads a message from a private file, or from standard input (`-`) until a moment.
    pub fn read(call: &Call, path: &Path, until: Instant) -> Result<Message> {
        Message::judge(match path.as_os_str().as_encoded_bytes() {
            b"-" => input::from_stdin(call, BYTES, until)?,
            _ => input::from_private_file(call, path, BYTES)?,
        })
    }

    /// What can be judged by the message alone; the rest the rules of the ledger decide.
    fn judge(bytes: Vec<u8>) -> Result<Message> {
        let too_large = |size: &str| {
            let limit = format!("{size}; the limit is {CHARS} characters in {BYTES} bytes");
            Error::new("handoff_message_must_be_1_to_1000000_characters").with_detail(limit)
        };
        if bytes.len() > BYTES {
            return Err(too_large(&format!("more than {BYTES} bytes")));
        }
        let body = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            Error::new("message_is_not_utf8").with_detail(format!("not UTF-8 at byte {valid}"))
        })?;
        if let Some(place) = body.find('\0') {
            return Err(Error::new("message_contains_nul").with_detail(format!("U+0000 at byte {place}")));
        }
        let chars = body.chars().count();
        if chars > CHARS || is_blank(&body) {
            return Err(too_large(&format!("{chars} characters{}", if chars > CHARS { "" } else { ", all blank" })));
        }
        Ok(Message { chars, digest: seal::hex_digest(&[body.as_bytes()]), body })
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn a_message_is_judged_by_its_text() {
        let judge = |bytes: &[u8]| Message::judge(bytes.to_vec()).map(|message| message.chars);
        let sizes = "handoff_message_must_be_1_to_1000000_characters";
        assert_eq!(judge("héé".as_bytes()).unwrap(), 3);
        assert_eq!(judge(&b"x".repeat(1_000_000)).unwrap(), 1_000_000);
        for (bytes, code) in [
            (&b"x".repeat(1_000_001)[..], sizes),
            (b"", sizes),
            (b" \n\t", sizes),
            ("\u{2003}\u{3000}".as_bytes(), sizes),
            ("\u{200b}\u{feff}\u{ad}".as_bytes(), sizes),
            (&"\u{1f600}".repeat(1_000_001).into_bytes(), sizes),
            (b"a\0b", "message_contains_nul"),
            (b"a\xff", "message_is_not_utf8"),
        ] {
            assert_eq!(judge(bytes).unwrap_err().code, code);
        }
    }
}
