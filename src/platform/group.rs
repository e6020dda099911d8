//! A running command with all that it started: how it is begun, told apart, and ended.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::cleanup::{Begun, Scope};
use super::process::{Process, State, has_exited};
use super::signals;

/// The variable that marks a command and whatever it starts, for the day it has to be ended.
const MARKER: &str = "HTALK_CALL";

/// A running command in its own process group, ended with all that it started when this is dropped.
pub struct Group {
    child: Child,
    leader: Pid,
    /// Undone: everything that the command started is ended. None: it is over, and its exit status was taken.
    begun: Option<Begun>,
}

impl Group {
    /// Starts a command in a process group of its own. The end of the scope ends it with all that it started.
    ///
    /// # Errors
    /// The command could not be started, or the scope has ended: nothing ran.
    pub fn spawn(scope: &Scope, command: &mut Command) -> io::Result<Group> {
        let marker = uuid::Uuid::new_v4().to_string();
        signals::pass_on(command);
        let ((child, leader), begun) = scope.begin(|| {
            let child = command.env(MARKER, &marker).process_group(0).spawn()?;
            let leader = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
            Ok(((child, leader), move || kill_family(leader, &marker)))
        })?;
        Ok(Group { child, leader, begun: Some(begun) })
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
        if let Some(begun) = self.begun.take() {
            // Before the exit status is taken: from then on the pid can be another's.
            drop(begun);
            _ = self.child.wait();
        }
    }

    /// Whether the command exited. Where the system allows it stays a zombie, so that its pid, which is the group's
    /// name, can't be given to another.
    pub(super) fn has_exited(&mut self) -> bool {
        has_exited(&mut self.child)
    }

    /// Takes the exit status of a command that exited, and ends what is left of its group.
    pub(super) fn finish(&mut self) -> io::Result<ExitStatus> {
        _ = killpg(self.leader, Signal::SIGKILL);
        if let Some(begun) = self.begun.take() {
            begun.strike_off();
        }
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
/// descendant whose parent ended belongs to nobody any more). Where the system shows no processes, only the group is
/// known.
fn family(leader: Pid, marker: &str) -> Vec<Pid> {
    let mark = format!("{MARKER}={marker}");
    let (leader, me) = (leader.as_raw(), Pid::this().as_raw());
    let mut seen = Process::all().unwrap_or_default();
    seen.retain(|process| process.pid != me && process.state != State::Dead);
    let mut members = vec![leader];
    members.extend(seen.iter().filter(|one| one.pid != leader && one.was_given(&mark)).map(|one| one.pid));
    let mut at = 0;
    while at < members.len() {
        let parent = members[at];
        for child in seen.iter().filter(|process| process.parent == parent) {
            if !members.contains(&child.pid) {
                members.push(child.pid);
            }
        }
        at += 1;
    }
    members.retain(|member| seen.iter().any(|process| process.pid == *member));
    members.into_iter().map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use super::super::cleanup::Cancelled;
    use super::*;

    /// Starts a shell in a scope that has started another command, and answers that one's pid too. Both read an input
    /// that does not end while it is held.
    fn start(scope: &Scope) -> (Group, i32, ChildStdin) {
        let mut command = Command::new("sh");
        command.args(["-c", "exec 3<&0; cat <&3 & echo $!; cat"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut group = Group::spawn(scope, &mut command).unwrap();
        let (input, output, _) = group.pipes();
        let mut line = String::new();
        BufReader::new(output.unwrap()).read_line(&mut line).unwrap();
        (group, line.trim().parse().unwrap(), input.unwrap())
    }

    /// Whether a process still runs; its new parent may not have looked at it yet.
    fn runs(pid: i32) -> bool {
        Process::read(pid).unwrap().is_some_and(|process| process.state != State::Dead)
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn a_scope_ends_its_own_commands_and_no_others() {
        let (ended, other) = (Scope::new(), Scope::new());
        let ((mut first, of_first, _held), (mut second, of_second, _held_too)) = (start(&ended), start(&other));
        ended.end();
        assert!(first.has_exited() && !runs(of_first), "a command and what it started");
        assert!(!second.has_exited() && runs(of_second), "a command of another scope");
        // What was ended is still waited for as usual.
        first.end();
        assert_eq!(Process::read(first.leader.as_raw()), Ok(None));

        let refused = Group::spawn(&ended, &mut Command::new("true")).map(|_| ()).unwrap_err();
        assert!(Cancelled::is_cause_of(&refused));
        drop(second);
        assert!(!runs(of_second), "dropped");
    }
}
