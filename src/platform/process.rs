//! Processes as the system shows them.

#[cfg(any(test, target_os = "macos"))]
mod date;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod seen;

use std::path::PathBuf;
use std::process::Child;

use super::Hidden;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
pub use seen::{Process, State};

impl Process {
    /// Looks at a process; none where there is no such process.
    ///
    /// # Errors
    /// The system does not show it.
    pub fn read(pid: i32) -> Result<Option<Process>, Hidden> {
        system::read(pid)
    }

    /// Whether the process that started at `start` under this pid still runs.
    ///
    /// # Errors
    /// The system does not show it.
    pub fn runs(pid: i32, start: u64) -> Result<bool, Hidden> {
        Ok(Process::read(pid)?.is_some_and(|process| process.start == start && process.state != State::Dead))
    }

    /// All processes that the system shows.
    ///
    /// # Errors
    /// It shows none.
    pub fn all() -> Result<Vec<Process>, Hidden> {
        Ok(system::pids()?.into_iter().filter_map(|pid| Process::read(pid).ok().flatten()).collect())
    }

    /// Whether a process with this pid and start, as programs write them down, may run where this one can't see it: in
    /// a sandbox with processes of its own, a record may come from outside. To be asked where no such process is seen.
    pub fn may_be_elsewhere(pid: i32, start: &str) -> bool {
        system::may_be_elsewhere(pid, start)
    }

    /// Whether a text names its start as programs write it down on this system: on Linux field 22 of `/proc/PID/stat`,
    /// on macOS the date of `ps -o lstart` in English and UTC, which tells seconds only.
    pub fn started_as(&self, text: &str) -> bool {
        system::is_start(self.start, text)
    }

    /// The path of its program; none where the system does not show it.
    pub fn program(&self) -> Option<PathBuf> {
        system::program(self.pid)
    }

    /// Whether its environment has this entry (`NAME=value`), as it was when its program started; no where the system
    /// does not show it.
    pub fn was_given(&self, entry: &str) -> bool {
        let is_entry = |environment: Vec<u8>| environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes());
        system::environment(self.pid).is_some_and(is_entry)
    }
}

/// Whether a child has exited. Where the system allows, it stays a zombie, so that its pid can't be given to another.
pub fn has_exited(child: &mut Child) -> bool {
    system::has_exited(child)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn a_child_is_seen_until_it_is_gone() {
        let mark = format!("HTALK_UNIT={}", uuid::Uuid::new_v4());
        let (name, value) = mark.split_once('=').unwrap();
        // Ends with its input.
        let mut child =
            Command::new("cat").env(name, value).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pid = child.id() as i32;
        let seen = Process::read(pid).unwrap().unwrap();
        assert_eq!((seen.pid, seen.parent, seen.state), (pid, std::process::id() as i32, State::Alive));
        // The program's name and environment are its own only once it has replaced the copy of this process.
        while !seen.was_given(&mark) {
            std::thread::yield_now();
        }
        let seen = Process::read(pid).unwrap().unwrap();
        assert_eq!(seen.name, "cat");
        assert!(seen.program().unwrap().is_absolute());
        assert!(!seen.was_given(name), "a whole entry counts");
        assert!(Process::all().unwrap().contains(&seen) || Process::all().unwrap().iter().any(|one| one.pid == pid));
        assert!(Process::runs(pid, seen.start).unwrap() && !Process::runs(pid, seen.start + 1).unwrap());
        assert!(!has_exited(&mut child));

        drop(child.stdin.take());
        while !has_exited(&mut child) {
            std::thread::yield_now();
        }
        // A zombie has its pid and start until it is waited for.
        assert_eq!(Process::read(pid).unwrap().unwrap().state, State::Dead);
        assert!(!Process::runs(pid, seen.start).unwrap());
        child.wait().unwrap();
        assert_eq!(Process::read(pid), Ok(None));
    }
}
