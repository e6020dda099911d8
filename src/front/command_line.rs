//! The command line: one call a process. It prints the call's answer as one object on one line, and exits with the code
//! of the contract.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Map, Value};

use super::{json, signals};
use crate::answer::{Answer, Status};
use crate::call::{Call, Front, Handle, Progress, ReaderGone, Shared, Wanted};
use crate::environment::Environment;
use crate::error::Result;

/// The front of a process that makes one call.
#[derive(Default)]
pub struct CommandLine {
    /// Whether the answer is out. Held while it is printed, so that an interrupt neither cuts nor follows it.
    has_answered: Mutex<bool>,
}

/// Makes the one call of this process, prints its answer and exits. `refused` is how the verb ends where a rule or a
/// client says no.
pub fn run(wanted: Wanted, refused: Status, verb: impl FnOnce(&Call) -> Result<Answer>) -> ! {
    let front = Arc::new(CommandLine::default());
    let handle = Handle::default();
    let (interrupted, cancelled) = (front.clone(), handle.clone());
    signals::listen(move |code| {
        interrupted.answer(&cancelled, || {
            cancelled.cancel();
            (cancelled.interrupted(), code)
        });
    });
    let call = Call::new(handle.clone(), wanted, Environment::of_process(), front.clone(), &Shared::default());
    // The call is not dropped: the end of the process frees everything at once.
    let answer = call.run(refused, verb);
    front.answer(&handle, || (answer.clone(), code(answer.status)));
    // A signal came first; its thread is about to end the process.
    wait_for_the_end()
}

/// Ends the process with a text that is no answer: help, the version, or what is wrong with the arguments.
pub fn end_with(text: &str, is_misuse: bool) -> ! {
    if is_misuse {
        let _ = io::stderr().lock().write_all(text.as_bytes());
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

/// Waits until another thread ends the process.
fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

impl CommandLine {
    /// Prints a part of what the call gives, but nothing behind the answer of an interrupt.
    fn give(&self, text: &str) -> std::result::Result<(), ReaderGone> {
        let has_answered = self.has_answered.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_answered {
            drop(has_answered);
            wait_for_the_end();
        }
        print(text)
    }

    /// Prints the one answer of this process and exits, unless another thread has begun to.
    fn answer(&self, handle: &Handle, answer: impl FnOnce() -> (Answer, i32)) {
        let mut has_answered = self.has_answered.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *has_answered, true) {
            return;
        }
        let (answer, code) = answer();
        if let Some(object) = answer.object {
            let text = json::object(&handle.progress(), &object);
            // A reader that has gone needs no answer any more.
            let _ = print(&(text + "\n"));
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
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let _ = writeln!(io::stderr(), "htalk: error: can not write the result: {error}");
            exit(2);
        }
        ReaderGone
    })
}
