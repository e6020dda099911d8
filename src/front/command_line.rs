//! The command line: one call a process. It prints the call's answer as one object on one line, and exits with the code
//! of the contract.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Map, Value};

use super::{json, signals};
use crate::answer::{Answer, Status};
use crate::call::{Call, Front, Handle, Progress, ReaderGone, Shared, Wanted};
use crate::environment::Environment;
use crate::error::Result;
use crate::platform::streams;

/// How long an interrupt waits for a reader that pauses: first for the end of what is being printed, so that nothing
/// is printed half, then for room for its own object.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The front of a process that makes one call.
#[derive(Default)]
pub struct CommandLine {
    /// Whether somebody prints. Whoever prints the last words of the process does not give the output back, so that
    /// nothing follows them.
    is_taken: Mutex<bool>,
    is_given_back: Condvar,
}

/// Makes the one call of this process, prints its answer and exits. `refused` is how the verb ends where a rule or a
/// client says no.
pub fn run(wanted: Wanted, refused: Status, verb: impl FnOnce(&Call) -> Result<Answer>) -> ! {
    let front = Arc::new(CommandLine::default());
    let handle = Handle::default();
    let (interrupted, cancelled) = (front.clone(), handle.clone());
    signals::listen(move |code| {
        interrupted.interrupt(&cancelled, code);
    });
    let call = Call::new(handle.clone(), wanted, Environment::of_process(), front.clone(), &Shared::default());
    // The call is not dropped: the end of the process frees everything at once.
    let answer = call.run(refused, verb);
    front.take(None);
    if let Some(object) = answer.object {
        // A reader that has gone needs no answer any more.
        let _ = print(&(json::object(&handle.progress(), &object) + "\n"));
    }
    exit(code(answer.status));
}

/// Ends the process with a text that is no answer: help, the version, or what is wrong with the arguments.
pub fn end_with(text: &str, is_misuse: bool) -> ! {
    if is_misuse {
        let _ = streams::write_all(io::stderr().as_fd(), text.as_bytes(), None);
        exit(2);
    }
    let _ = print(text);
    exit(0);
}

/// The exit code of an ending; that of an interrupt depends on its signal.
fn code(status: Status) -> i32 {
    match status {
        Status::Done => 0,
        Status::Unmet => 1,
        Status::Failed | Status::Interrupted => 2,
    }
}

impl CommandLine {
    /// Takes the output, and waits for it while another thread prints: at most so long. Whether it was taken.
    fn take(&self, limit: Option<Duration>) -> bool {
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

    /// Prints a part of what the call gives, but nothing behind the answer of an interrupt.
    fn give(&self, text: &str) -> std::result::Result<(), ReaderGone> {
        self.take(None);
        let printed = print(text);
        *self.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.is_given_back.notify_all();
        printed
    }

    /// Cancels the call, prints the answer of a cancelled one and exits. Where a reader pauses in the middle of
    /// something longer for too long, there is no place for an answer.
    fn interrupt(&self, handle: &Handle, code: i32) -> ! {
        let may_print = self.take(Some(LAST_WORDS));
        handle.cancel();
        if may_print && let Some(object) = handle.interrupted().object {
            let text = json::object(&handle.progress(), &object) + "\n";
            let _ = streams::write_all(io::stdout().as_fd(), text.as_bytes(), Some(Instant::now() + LAST_WORDS));
        }
        exit(code);
    }
}

impl Front for CommandLine {
    fn show(&self, call: &Progress, object: &Map<String, Value>) -> String {
        json::object(call, object)
    }

    fn line(&self, line: &Value) -> std::result::Result<(), ReaderGone> {
        self.give(&(json::text(line) + "\n"))
    }

    fn text(&self, text: &str) -> std::result::Result<(), ReaderGone> {
        self.give(text)
    }

    fn sleep(&self, limit: Duration) -> std::result::Result<(), ReaderGone> {
        let stdout = io::stdout();
        let mut polled = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
        let milliseconds = limit.as_millis().min(60_000) as u16;
        match poll(&mut polled, PollTimeout::from(milliseconds)) {
            Ok(1..) => Err(ReaderGone),
            _ => Ok(()),
        }
    }

    fn input(&self) -> io::Result<OwnedFd> {
        io::stdin().as_fd().try_clone_to_owned()
    }
}

/// Prints text as it is. A reader that has gone is for the caller to know; where the text can't be written for another
/// reason, a full disk say, somebody expects it: that ends the process as a failure.
fn print(text: &str) -> std::result::Result<(), ReaderGone> {
    streams::write_all(io::stdout().as_fd(), text.as_bytes(), None).map_err(|error| {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let words = format!("htalk: error: can not write the result: {error}\n");
            let _ = streams::write_all(io::stderr().as_fd(), words.as_bytes(), None);
            exit(2);
        }
        ReaderGone
    })
}
