//! Processes that are started, watched and interrupted.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::unistd::Pid;

pub use nix::sys::signal::Signal;

/// How long an event that must come is waited for: far beyond what a slow machine needs.
pub const CEILING: Duration = Duration::from_secs(60);

/// Sends a signal to a started command.
pub fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
}

/// Waits until something that another process does is seen.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < CEILING, "never seen: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A pipe whose reader has gone already.
pub fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}
