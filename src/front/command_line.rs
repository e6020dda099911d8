//! The command line: one call a process. It prints the call's answer as one object on one line, and exits with the code
//! of the contract.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Map, Value};

use super::output::{LAST_WORDS, Output, print};
use super::{json, signals};
use crate::answer::{Answer, Status};
use crate::call::{Call, Front, Handle, Progress, ReaderGone, Shared, Wanted};
use crate::environment::Environment;
use crate::error::Result;
use crate::platform::streams;

/// The front of a process that makes one call.
#[derive(Default)]
pub struct CommandLine {
    output: Output,
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
    front.output.take(None);
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
    /// Cancels the call, prints the answer of a cancelled one and exits. Where a reader pauses in the middle of
    /// something longer for too long, there is no place for an answer.
    fn interrupt(&self, handle: &Handle, code: i32) -> ! {
        let may_print = self.output.take(Some(LAST_WORDS));
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
        self.output.give(&(json::text(line) + "\n"))
    }

    fn text(&self, text: &str) -> std::result::Result<(), ReaderGone> {
        self.output.give(text)
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
