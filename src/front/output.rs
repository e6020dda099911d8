//! Standard output, which several threads of a front share: nothing is printed half, and nothing behind the last words.

use std::io;
use std::os::fd::AsFd;
use std::process::exit;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::call::ReaderGone;
use crate::platform::streams;

/// How long an interrupt waits for a reader that pauses: first for the end of what is being printed, so that nothing
/// is printed half, then for room for its own object.
pub const LAST_WORDS: Duration = Duration::from_secs(2);

/// Standard output, and whether somebody prints.
#[derive(Default)]
pub struct Output {
    /// Whoever prints the last words of the process does not give the output back, so that nothing follows them.
    is_taken: Mutex<bool>,
    is_given_back: Condvar,
}

impl Output {
    /// Takes the output, and waits for it while another thread prints: at most so long. Whether it was taken.
    pub fn take(&self, limit: Option<Duration>) -> bool {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *is_taken {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            is_taken = match left {
                Some(left) if left.is_zero() => return false,
                Some(left) => self.is_given_back.wait_timeout(is_taken, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.is_given_back.wait(is_taken).unwrap_or_else(PoisonError::into_inner),
            };
        }
        *is_taken = true;
        true
    }

    /// Prints a text in one piece, but nothing behind the last words.
    ///
    /// # Errors
    /// The reader has gone.
    pub fn give(&self, text: &str) -> Result<(), ReaderGone> {
        self.take(None);
        let printed = print(text);
        *self.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.is_given_back.notify_all();
        printed
    }
}

/// Prints text as it is. A reader that has gone is for the caller to know; where the text can't be written for another
/// reason, a full disk say, somebody expects it: that ends the process as a failure.
///
/// # Errors
/// The reader has gone.
pub fn print(text: &str) -> Result<(), ReaderGone> {
    streams::write_all(io::stdout().as_fd(), text.as_bytes(), None).map_err(|error| {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let words = format!("htalk: error: can not write the result: {error}\n");
            let _ = streams::write_all(io::stderr().as_fd(), words.as_bytes(), None);
            exit(2);
        }
        ReaderGone
    })
}
