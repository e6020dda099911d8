//! Processes that are started, watched and interrupted.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::unistd::Pid;

pub use nix::sys::signal::Signal;

/// How long an event that must come is waited for: far beyond what a slow machine needs.
pub const CEILING: Duration = Duration::from_secs(60);

/// Makes a program of a script. Another process writes it: whatever a test beside this one starts meanwhile would
/// inherit our descriptor, and what somebody has open to write can't be run.
pub fn write_program(path: &Path, script: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
    super::run(&mut command, script.as_bytes()).text();
}

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
