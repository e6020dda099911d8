//! Whether a write-ahead log belongs to the file beside it. SQLite does not ask: it finds the log by its name, and
//! where another file was put in the place of the mailbox, a copy say, it undoes that or mixes both.
//!
//! Each change of the first page of a file counts its change counter up by one, in the log as well. So the counter of
//! the file is that before the first such change in the log, or, once the log was copied into the file, the whole first
//! page is that of one in the log. htalk begins each log with a change of the first page.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::path::side_file;

/// The bytes before the first frame.
const HEAD: usize = 32;

/// The bytes before the page in a frame.
const FRAME_HEAD: usize = 24;

/// The beginning of a first page that is compared.
pub const PAGE_HEAD: usize = 100;

/// The first bytes of a mailbox.
pub type FirstPage = [u8; PAGE_HEAD];

/// Whether the log of a mailbox contradicts the file, whose first bytes `read` reads. What is not told is no
/// contradiction: no log, or one that another program began.
///
/// # Errors
/// Those of `read`.
pub fn is_of_another_file(
    mailbox: &Path,
    mut first: FirstPage,
    read: impl Fn() -> io::Result<FirstPage>,
) -> io::Result<bool> {
    loop {
        let Ok(log) = Log::open(&side_file(mailbox, "-wal")) else { return Ok(false) };
        if !log.contradicts(&first) {
            return Ok(false);
        }
        // Others may have copied the log into the file, and begun it anew, between the two looks.
        let again = read()?;
        if again == first && Log::open(&side_file(mailbox, "-wal")).is_ok_and(|now| now.salts() == log.salts()) {
            return Ok(true);
        }
        first = again;
    }
}

/// The change counter of a file, in a first page.
fn counter(first: &[u8]) -> u32 {
    number(first, 24)
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// A write-ahead log with its first frame.
struct Log {
    file: File,
    head: [u8; HEAD + FRAME_HEAD + PAGE_HEAD],
}

impl Log {
    fn open(path: &Path) -> io::Result<Log> {
        let file = File::open(path)?;
        let mut head = [0; HEAD + FRAME_HEAD + PAGE_HEAD];
        file.read_exact_at(&mut head, 0)?;
        Ok(Log { file, head })
    }

    /// Which beginning of the log this is.
    fn salts(&self) -> &[u8] {
        &self.head[16..24]
    }

    fn contradicts(&self, first: &FirstPage) -> bool {
        // A frame with other salts was left by an earlier beginning.
        let is_log = number(&self.head, 0) | 1 == 0x377f_0683 && self.salts() == &self.head[HEAD + 8..HEAD + 16];
        if !is_log {
            return false;
        }
        // Whoever ends the log of a file removes it before the file says so.
        if first[18] != 2 {
            return true;
        }
        if number(&self.head, HEAD) != 1 || counter(first) == counter(&self.head[HEAD + FRAME_HEAD..]).wrapping_sub(1) {
            return false;
        }
        !self.holds(first)
    }

    /// Whether a frame of the log has this first page.
    fn holds(&self, first: &FirstPage) -> bool {
        let size = u64::from(number(&self.head, 8)) + FRAME_HEAD as u64;
        let mut frame = [0; FRAME_HEAD + PAGE_HEAD];
        for at in (0..).map(|index| HEAD as u64 + index * size) {
            if self.file.read_exact_at(&mut frame, at).is_err() || frame[8..16] != *self.salts() {
                return false;
            }
            if number(&frame, 0) == 1 && frame[FRAME_HEAD..] == first[..] {
                return true;
            }
        }
        false
    }
}
