//! What the kernel accounts to a process, and what strace and callgrind count.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio, exit};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::mailbox::Mailbox;

/// The calls that wait for the disk.
pub const SYNCS: &str = "fsync,fdatasync,sync,syncfs,sync_file_range,msync";

/// What one process used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Processor time, in milliseconds.
    pub cpu: f64,
    /// The most memory it had, in megabytes.
    pub memory: f64,
}

/// Runs one command on a mailbox and returns what it used. The kernel tells of all children of a process together, so a
/// process of its own, this program again, starts the command and asks.
pub fn usage(mailbox: &Mailbox, words: &[&str]) -> Usage {
    let mut command = mailbox.command_under(env::current_exe().unwrap(), &["--meter"], words);
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut numbers = printed.split_whitespace().map(|number| number.parse::<f64>().unwrap());
    assert!(output.status.success(), "{command:?}");
    Usage { cpu: numbers.next().unwrap() / 1000.0, memory: numbers.next().unwrap() / 1024.0 }
}

/// The other end of [`usage`]: runs the rest of the arguments and prints microseconds and kilobytes.
pub fn run(mut words: impl Iterator<Item = OsString>) -> ! {
    let status = Command::new(words.next().unwrap()).args(words).stdout(Stdio::null()).status().unwrap();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    println!("{} {}", (usage.user_time() + usage.system_time()).num_microseconds(), usage.max_rss());
    exit(status.code().unwrap_or(1));
}

/// How many system calls a command makes, or how many of the `only` ones; none where strace is missing or not allowed.
pub fn calls(mailbox: &Mailbox, only: Option<&str>, words: &[&str]) -> Option<u64> {
    let log = mailbox.beside("strace");
    let filter = only.map(|names| format!("trace={names}"));
    let mut options = vec!["-f", "-qq", "-e", "signal=none", "-o", log.to_str().unwrap()];
    if let Some(filter) = &filter {
        options.extend(["-e", filter]);
    }
    let output = mailbox.command_under("strace", &options, words).output().ok()?;
    let calls = fs::read_to_string(&log).ok()?;
    // A call that was interrupted by another thread's has a second line.
    output.status.success().then(|| calls.lines().filter(|line| !line.contains(" resumed>")).count() as u64)
}

/// Whether [`instructions`] can count here.
pub fn has_callgrind() -> bool {
    let asked = Command::new("valgrind").args(["--tool=callgrind", "--version"]).stdout(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// How many instructions a command takes, its threads included; what the kernel does for it does not count. The mailbox
/// is left as the command leaves it.
pub fn instructions(mailbox: &Mailbox, words: &[&str]) -> u64 {
    let profile = mailbox.beside("callgrind");
    let out = format!("--callgrind-out-file={}", profile.display());
    let options = ["--quiet", "--tool=callgrind", &out];
    let output = mailbox.command_under("valgrind", &options, words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stdout));
    let profile = fs::read_to_string(profile).unwrap();
    profile.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap().parse().unwrap()
}
