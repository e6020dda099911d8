//! What a session reports about a frame.
//!
//! Seen on 2.1.332: where `from` names a socket beside the recipient's own, and the process that sent the frame listens
//! there, the session connects to it and writes one line when it held, dropped or refused the frame; it says nothing
//! about a frame that it took.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use serde_json::Value;

/// A report is about 400 bytes; a longer line than this is none.
const REPORT_BYTES: usize = 16 * 1024;

/// What a session said about one frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// A dialog asks the person at the session; the frame may still reach the model, or never.
    Held,
    /// The person let a held frame through.
    Delivered,
    /// The person declined it.
    Denied,
    /// The session's settings refuse such frames.
    Refused,
    /// It was held and dropped without an answer.
    Expired,
    /// A guard of the session dropped it: `duplicate`, `rate-limited`, `queue-full`...
    Dropped(String),
    /// The recipient's process wrote something about the frame that htalk does not know.
    NotUnderstood,
}

impl Report {
    /// Understands one line; none where it is about something else. A line counts by the id that only the recipient
    /// has been told.
    pub fn parse(line: &[u8], message_id: &str) -> Option<Self> {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return Some(Report::NotUnderstood) };
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        if text("type") != Some("control") || text("action") != Some("peer_message_status") {
            return None;
        }
        let among_dropped = value.get("dropped_msg_ids").and_then(Value::as_array);
        let is_listed = among_dropped.is_some_and(|ids| ids.iter().any(|id| id.as_str() == Some(message_id)));
        match text("orig_msg_id") {
            Some(id) if id == message_id => {}
            _ if is_listed => {}
            Some(_) => return None,
            None => return Some(Report::NotUnderstood),
        }
        Some(match text("status") {
            Some("held") => Report::Held,
            Some("delivered") => Report::Delivered,
            Some("denied") => Report::Denied,
            Some("refused") => Report::Refused,
            Some("expired") if text("status_detail") == Some("refused") => Report::Refused,
            Some("expired") => Report::Expired,
            Some("dropped") => Report::Dropped(word(text("drop_reason"))),
            _ => Report::NotUnderstood,
        })
    }
}

/// A reason as one short word that may stand in a code.
fn word(reason: Option<&str>) -> String {
    let is_word = |text: &&str| {
        (1..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    reason.filter(is_word).unwrap_or("unknown").to_owned()
}

/// A connection on which a report may come.
pub struct Incoming {
    stream: UnixStream,
    /// The process that connected, where the system tells.
    pub pid: Option<i32>,
    line: Vec<u8>,
}

impl Incoming {
    /// A connection of a process; its stream never blocks.
    pub fn new(stream: UnixStream, pid: Option<i32>) -> Self {
        Incoming { stream, pid, line: Vec::new() }
    }

    /// The descriptor to poll for bytes.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Reads what is there. Answers the lines that are complete now, and whether more may come; the end of the
    /// connection completes a last line, and a line that is too long ends the connection.
    pub fn read(&mut self) -> (Vec<Vec<u8>>, bool) {
        let mut buffer = [0; 4096];
        let mut is_open = true;
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => is_open = false,
                Ok(count) => self.line.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => is_open = false,
            }
            if !is_open || self.line.len() > REPORT_BYTES {
                break;
            }
        }
        let mut lines: Vec<Vec<u8>> = self.line.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        self.line = lines.pop().unwrap_or_default();
        if !is_open || self.line.len() > REPORT_BYTES {
            lines.push(std::mem::take(&mut self.line));
            is_open = false;
        }
        lines.retain(|line| !line.is_empty());
        (lines, is_open)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::noise;

    #[test]
    fn a_report_of_any_form_is_understood_or_not() {
        const REPORT: &str = r#"{"type":"control","action":"peer_message_status","status":"dropped","drop_reason":"x",
            "orig_msg_id":"m"}"#;
        noise::each(noise::bytes(&[REPORT, r#"{"type":"control","dropped_msg_ids":["m"]}"#]), |line| {
            if let Some(Report::Dropped(reason)) = Report::parse(&line, "m") {
                assert!((1..=40).contains(&reason.len()) && !reason.contains(':'), "{reason}");
            }
        });
    }

    #[test]
    fn a_line_without_end_ends_the_connection() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut incoming = Incoming::new(ours, None);
        theirs.set_nonblocking(true).unwrap();
        for _ in 0..64 {
            // As much as the socket takes.
            while theirs.write(&[b'x'; 4096]).is_ok() {}
            let (lines, is_open) = incoming.read();
            if !is_open {
                assert!(lines.iter().all(|line| line.len() <= REPORT_BYTES + 4096));
                return;
            }
        }
        panic!("it is read for ever");
    }
}
