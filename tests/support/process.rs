//! Processes that are started, watched and interrupted.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::sys::socket::{Shutdown, shutdown};
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

/// A command that no signal is ignored by, even where the tests themselves were started so (`nohup`, a background
/// command of a script): what a process ignores, its children ignore.
pub fn responsive(program: impl AsRef<OsStr>) -> Command {
    static IS_DEAF: OnceLock<bool> = OnceLock::new();
    let is_deaf = IS_DEAF.get_or_init(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored =
            status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
        let asked = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].map(|signal| 1_u64 << (signal as u64 - 1));
        ignored.is_some_and(|ignored| asked.iter().any(|bit| ignored & bit != 0))
    });
    if !is_deaf {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal").arg(program);
    command
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

/// Waits for the number that another process writes into a file, as a line.
#[track_caller]
pub fn awaited(path: &Path) -> u32 {
    let mut text = String::new();
    until("the number", || {
        text = fs::read_to_string(path).unwrap_or_default();
        text.ends_with('\n')
    });
    text.trim().parse().unwrap()
}

/// The state of a process as `/proc` names it, such as `T` for one that is stopped and `Z` for a zombie.
pub fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether a process is there and no zombie.
pub fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

/// Waits until a process has gone to sleep and woken up so many more times by itself.
#[track_caller]
pub fn wakes(child: &Child, more: u64) {
    let count = || -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    };
    let before = count();
    until("a process that wakes up", || count() >= before + more);
}

/// What began then has kept its time limit. The ceiling is ten times the limit, for a machine may be slow; what it is
/// tried on must go on for longer than that.
#[track_caller]
pub fn assert_within(limit: Duration, begun: Instant) {
    assert!(begun.elapsed() < 10 * limit, "{:?} where {limit:?} are the limit", begun.elapsed());
}

/// What is done without any waiting. A busy machine is slow now and then; a wait that should not be is there each time.
#[track_caller]
pub fn at_once<T>(run: impl FnMut() -> T) -> T {
    soon(Duration::from_secs(1), run)
}

/// What can be done within this time, and if not at the first try, because the machine is busy, then at a later one.
#[track_caller]
pub fn soon<T>(most: Duration, mut run: impl FnMut() -> T) -> T {
    for _ in 0..10 {
        let begun = Instant::now();
        let done = run();
        if begun.elapsed() < most {
            return done;
        }
    }
    panic!("not once within {most:?}");
}

/// Stops listening for certain. To close the listener is not enough: what a test beside this one starts meanwhile has a
/// copy of the descriptor for a moment, and whoever connects then is accepted.
pub fn stop_listening(listener: impl AsRawFd) {
    shutdown(listener.as_raw_fd(), Shutdown::Both).unwrap();
}

/// Makes a socket on which nobody listens any more.
pub fn deserted_socket(path: &Path) {
    stop_listening(UnixListener::bind(path).unwrap());
}

/// A pipe whose reader has gone already.
pub fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}
