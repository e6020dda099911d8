//! The one positive sign that a session took a frame: the line of its transcript that says so.
//!
//! Seen on 2.1.332: a session that queues a message for its model appends `{"type":"queue-operation","operation":
//! "enqueue","content":TEXT}` to `projects/WORKSPACE/SESSION.jsonl` about 100 ms later, busy or idle; held, dropped and
//! refused frames leave no such line. The status `busy` in the session's record comes sooner but proves nothing: it may
//! be another sender's message (of 60 frames at once, 7 were dropped 300 ms after the record had turned busy).
//!
//! A missing line tells something too, in a transcript that has such lines: the queue of a busy session holds 50, and
//! what it drops it reports only 0.6 to 1.1 s later.
//!
//! What was appended after the write is read to find the notice's own text in it, and the last part of the file before
//! to see whether this client writes such lines at all. Nothing of it is kept.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use serde_json::Value;

/// A transcript that grows by more than this many bytes while a report is waited for is not read on.
const GROWTH: u64 = 4 * 1024 * 1024;

/// How much of the end of a transcript is searched for a line about any queued message.
const BACKWARDS: u64 = 256 * 1024;

/// How a line about a queue begins.
const QUEUE_LINE: &[u8] = br#"{"type":"queue-operation","operation":"enqueue""#;

/// The end of a transcript, from a moment on.
pub struct Tail {
    path: PathBuf,
    offset: u64,
    end: u64,
    line: Vec<u8>,
}

impl Tail {
    /// Remembers where the transcript of a session ends now; it need not exist yet.
    pub fn new(config: &Path, directory: &Path, session_id: &str) -> Self {
        let path = config.join("projects").join(folder(directory)).join(format!("{session_id}.jsonl"));
        let offset = open(&path).and_then(|file| file.metadata().ok()).map_or(0, |metadata| metadata.len());
        Tail { path, offset, end: offset + GROWTH, line: Vec::new() }
    }

    /// Whether a line that was appended since the last look says that `text` was queued.
    pub fn has_queued(&mut self, text: &str) -> bool {
        let mut appended = Vec::new();
        let read = open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset)).ok()?;
            file.take(self.end - self.offset).read_to_end(&mut appended).ok()
        });
        self.offset += read.unwrap_or(0) as u64;
        self.line.extend_from_slice(&appended);
        let Some(complete) = self.line.iter().rposition(|byte| *byte == b'\n') else { return false };
        let lines: Vec<u8> = self.line.drain(..=complete).collect();
        lines.split(|byte| *byte == b'\n').any(|line| queues(line, text))
    }

    /// Whether the transcript says of some message, by now, that it was queued: then it would say so of any.
    pub fn tells_of_a_queue(&self) -> bool {
        let mut end = Vec::new();
        let read = open(&self.path).and_then(|mut file| {
            let length = file.metadata().ok()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(BACKWARDS))).ok()?;
            file.take(BACKWARDS).read_to_end(&mut end).ok()
        });
        read.is_some() && end.split(|byte| *byte == b'\n').any(|line| line.starts_with(QUEUE_LINE))
    }
}

/// Whether a line says that exactly this text was queued.
fn queues(line: &[u8], text: &str) -> bool {
    // Other lines hold whole conversations; these begin with their type.
    if !line.starts_with(QUEUE_LINE) {
        return false;
    }
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value["content"] == text)
}

/// The folder of a working directory's transcripts, as the client names it: everything but letters and digits is `-`.
fn folder(directory: &Path) -> String {
    directory.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Opens a regular file of this user.
fn open(path: &Path) -> Option<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && metadata.uid() == geteuid().as_raw()).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise;

    /// What a transcript holds is never read without bounds, and no line of it is taken for another.
    #[test]
    fn a_transcript_of_any_form_says_yes_only_to_its_own_text() {
        const LINE: &str = "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"hello\"}\n";
        noise::each(noise::bytes(&[LINE, "{\"type\":\"mode\"}\n", "{\"type\":\"queue-operation\""]), |line| {
            let is_so = serde_json::from_slice::<Value>(&line).is_ok_and(|value| value["content"] == "hello");
            assert!(is_so || !queues(&line, "hello"));
        });

        let config = std::env::temp_dir().join(format!("htalk-unit-{}", uuid::Uuid::new_v4()));
        let mut tail = Tail::new(&config, Path::new("/work"), "s");
        std::fs::create_dir_all(tail.path.parent().unwrap()).unwrap();
        // One that grows for ever, in a line without an end.
        std::fs::write(&tail.path, vec![b'x'; 2 * GROWTH as usize]).unwrap();
        for _ in 0..3 {
            assert!(!tail.has_queued("hello"));
        }
        assert!(tail.line.len() as u64 <= GROWTH);
        // One that is shorter than it was.
        let mut tail = Tail::new(&config, Path::new("/work"), "s");
        std::fs::write(&tail.path, LINE).unwrap();
        assert!(!tail.has_queued("hello") && tail.tells_of_a_queue());
        std::fs::remove_dir_all(&config).unwrap();
    }
}
