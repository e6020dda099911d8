//! A running command with all that it started: how it is begun, told apart, and ended.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Variables that a client gives to the commands it runs and that no other program is to see.
const SECRETS: [&str; 2] = ["CLAUDE_CODE_MESSAGING_TOKEN", "OPENCODE_SERVER_PASSWORD"];

/// The variable that marks a command and whatever it starts, for the day it has to be ended.
const MARKER: &str = "HTALK_CALL";

/// The commands that run now, for an interrupt: their group and their mark.
static RUNNING: Mutex<Vec<(Pid, String)>> = Mutex::new(Vec::new());

/// Ends all commands that run now with everything they started; for an interrupt, directly before the exit. No further
/// command is started afterwards: whoever wants to waits for ever.
pub fn end_all() {
    let running = running();
    for (leader, marker) in running.iter() {
        kill_family(*leader, marker);
    }
    std::mem::forget(running);
}

fn running() -> MutexGuard<'static, Vec<(Pid, String)>> {
    RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A running command in its own process group, ended with all that it started when this is dropped.
pub struct Group {
    child: Child,
    leader: Pid,
    marker: String,
    is_over: bool,
}

impl Group {
    /// Starts a command in a process group of its own, without the secrets of the clients in its environment.
    ///
    /// # Errors
    /// The command could not be started: nothing ran.
    pub fn spawn(command: &mut Command) -> io::Result<Group> {
        let marker = uuid::Uuid::new_v4().to_string();
        for name in SECRETS {
            command.env_remove(name);
        }
        let mut running = running();
        let child = command.env(MARKER, &marker).process_group(0).spawn()?;
        let leader = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        running.push((leader, marker.clone()));
        Ok(Group { child, leader, marker, is_over: false })
    }

    /// The command's standard input, output and error, where they were asked for as pipes.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits until the command exits by itself; whether it did.
    pub fn wait(&mut self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while !self.has_exited() {
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Ends the command and everything it started, also what left its group, within about a quarter of a second.
    pub fn end(&mut self) {
        if !self.is_over {
            kill_family(self.leader, &self.marker);
            _ = self.reap();
        }
    }

    /// Whether the command ended. It stays a zombie, so that its pid, the group's name, can't be given to another.
    #[cfg(target_os = "linux")]
    pub(super) fn has_exited(&mut self) -> bool {
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        !matches!(waitid(Id::Pid(self.leader), flags), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
    }

    /// Whether the command ended.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Takes the exit status of a command that exited, and ends what is left of its group.
    pub(super) fn finish(&mut self) -> io::Result<ExitStatus> {
        _ = killpg(self.leader, Signal::SIGKILL);
        self.reap()
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        // Struck off the list before the pid is free again.
        running().retain(|(leader, _)| *leader != self.leader);
        self.is_over = true;
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

fn kill_family(leader: Pid, marker: &str) {
    for _ in 0..50 {
        let family = family(leader, marker);
        _ = killpg(leader, Signal::SIGKILL);
        for &pid in &family {
            _ = kill(pid, Signal::SIGKILL);
        }
        if family.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The live processes that a command started, itself included: its descendants, and whoever carries its mark (a
/// descendant whose parent ended belongs to nobody any more).
#[cfg(target_os = "linux")]
fn family(leader: Pid, marker: &str) -> Vec<Pid> {
    let mark = format!("{MARKER}={marker}");
    let me = Pid::this();
    let mut parents = Vec::new();
    let mut members = vec![leader];
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()).map(Pid::from_raw) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name in parentheses may hold anything; the state and the parent follow the last one.
        let mut fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace();
        let (Some(state), Some(parent)) = (fields.next(), fields.next().and_then(|text| text.parse().ok())) else {
            continue;
        };
        if pid == me || state == "Z" || state == "X" {
            continue;
        }
        parents.push((pid, Pid::from_raw(parent)));
        let is_marked = std::fs::read(entry.path().join("environ"))
            .is_ok_and(|environment| environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes()));
        if is_marked && !members.contains(&pid) {
            members.push(pid);
        }
    }
    let mut at = 0;
    while at < members.len() {
        let parent = members[at];
        for &(pid, of) in &parents {
            if of == parent && !members.contains(&pid) {
                members.push(pid);
            }
        }
        at += 1;
    }
    members.retain(|member| parents.iter().any(|(pid, _)| pid == member));
    members
}

/// Elsewhere only the group is known.
#[cfg(not(target_os = "linux"))]
fn family(_: Pid, _: &str) -> Vec<Pid> {
    Vec::new()
}
