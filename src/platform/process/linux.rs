//! Linux: `/proc`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::super::Hidden;
use super::seen::{Process, State};

pub fn read(pid: i32) -> Result<Option<Process>, Hidden> {
    match fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse(pid, &stat).map(Some).ok_or(Hidden),
        Err(error) if is_absence(&error) && Path::new("/proc/self/stat").exists() => Ok(None),
        Err(_) => Err(Hidden),
    }
}

/// A process can end between the opening and the reading of its file.
fn is_absence(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(Errno::ESRCH as i32)
}

fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    // The name may hold spaces, parentheses and bytes that are no UTF-8: the last parenthesis ends it.
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
    let rest = std::str::from_utf8(stat.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = match fields.next()? {
        "Z" | "X" | "x" => State::Dead,
        "T" | "t" => State::Stopped,
        _ => State::Alive,
    };
    let parent = fields.next()?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Process { pid, parent, name, start, state })
}

pub fn pids() -> Result<Vec<i32>, Hidden> {
    let entries = fs::read_dir("/proc").map_err(|_| Hidden)?;
    let pids: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    if pids.is_empty() { Err(Hidden) } else { Ok(pids) }
}

pub fn program(pid: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

pub fn environment(pid: i32) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{pid}/environ")).ok()
}

pub fn is_start(start: u64, text: &str) -> bool {
    text.parse() == Ok(start)
}

/// The first namespace of processes, in which all others are seen; the kernel gives it this number.
const FIRST: &str = "pid:[4026531836]";

pub fn may_be_elsewhere(pid: i32, start: &str) -> bool {
    // Where `/proc` is that of a namespace around this one, it shows all that is asked for.
    let is_own = fs::read_link("/proc/self").is_ok_and(|link| link == Path::new(&std::process::id().to_string()));
    let is_first = fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link == Path::new(FIRST));
    if !is_own || is_first {
        return false;
    }
    let began = read(1).ok().flatten().map(|first| first.start);
    let last = fs::read_to_string("/proc/loadavg").ok().and_then(|text| last_pid(&text));
    is_foreign(pid, start, began, last)
}

/// Whether a process can't be of this namespace: it started before the first one here, or has a pid that was not given
/// here yet.
fn is_foreign(pid: i32, start: &str, began: Option<u64>, last: Option<i32>) -> bool {
    let is_older = began.is_some_and(|began| start.parse().is_ok_and(|start: u64| start < began));
    is_older || last.is_some_and(|last| pid > last)
}

/// The last number in `/proc/loadavg`: the pid that was given last in the reader's namespace.
fn last_pid(loadavg: &str) -> Option<i32> {
    loadavg.split_ascii_whitespace().nth(4)?.parse().ok()
}

pub fn has_exited(child: &mut Child) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let id = Id::Pid(Pid::from_raw(child.id() as i32));
    !matches!(waitid(id, flags), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise;

    #[test]
    fn what_began_before_a_sandbox_is_not_of_it() {
        assert_eq!(last_pid("10.92 9.27 7.77 8/334 30\n"), Some(30));
        assert_eq!(last_pid("10.92 9.27"), None);
        for (pid, start, is_so) in [(7, "99", true), (31, "100", true), (7, "100", false), (30, "x", false)] {
            assert_eq!(is_foreign(pid, start, Some(100), Some(30)), is_so, "{pid} {start}");
        }
        assert!(!is_foreign(7, "1", None, None));
    }

    #[test]
    fn a_name_may_hold_anything() {
        let stat = b"7 (a) R 1 (\xff) T 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 136341 1 1";
        let seen = parse(7, stat).unwrap();
        assert_eq!((seen.parent, seen.start, seen.state), (3, 136341, State::Stopped));
        assert_eq!(seen.name, "a) R 1 (\u{fffd}");
    }

    #[test]
    fn what_the_kernel_shows_may_have_any_form() {
        let lines = noise::bytes(&[
            "7 (a) R 1 (\u{fffd}) T 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 136341 1 1",
            "7 (cat) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 18446744073709551615 1 1\n",
            ")(",
        ]);
        noise::each(lines, |line| drop(parse(7, &line)));
        noise::each(noise::text(&["10.92 9.27 7.77 8/334 30\n"]), |text| {
            assert!(last_pid(&text).is_none_or(|pid| pid.to_string().len() <= text.len()))
        });
    }
}
