//! An app server of our own: `codex app-server --stdio`, one JSON object a line.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::wire::{CONVERSATION, Fault, MESSAGE, Wire};
use crate::platform::cleanup::Scope;
use crate::platform::command::{self, Group};

/// How long a child server may take to end by itself once its input is closed (0.02 s on Codex 0.171.0).
const FAREWELL: Duration = Duration::from_millis(300);

/// A server of our own, on pipes.
struct Pipes {
    // Dropped in this order: end of input, then the end of the process.
    input: Option<ChildStdin>,
    output: ChildStdout,
    group: Group,
    unread: Vec<u8>,
    until: Instant,
    left: usize,
}

/// Starts `command` (an app server on its standard input and output) in a scope and talks to it within `limit`.
///
/// # Errors
/// It could not be started.
pub fn start(scope: &Scope, command: &mut Command, limit: Duration) -> io::Result<Box<dyn Wire>> {
    let mut group = Group::spawn(scope, command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let (input, output, _) = group.pipes();
    let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Box::new(Pipes { input, output, group, unread: Vec::new(), until: Instant::now() + limit, left: CONVERSATION }))
}

impl Wire for Pipes {
    fn send(&mut self, text: &str) -> Result<(), Fault> {
        // Far less than a pipe holds, so this does not block.
        let input = self.input.as_mut().ok_or(Fault::Closed)?;
        input.write_all(format!("{text}\n").as_bytes())?;
        Ok(())
    }

    fn receive(&mut self) -> Result<String, Fault> {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return String::from_utf8(line).map_err(|_| Fault::Malformed);
            }
            if self.unread.len() > MESSAGE || self.left == 0 {
                return Err(Fault::TooLarge);
            }
            let remaining = self.until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return Err(Fault::TimedOut);
            }
            if !command::wait_for(&mut [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)], remaining)? {
                continue;
            }
            let mut chunk = [0; 8192];
            let length = self.output.read(&mut chunk)?;
            if length == 0 {
                return Err(Fault::Closed);
            }
            self.left = self.left.saturating_sub(length);
            self.unread.extend_from_slice(&chunk[..length]);
        }
    }

    fn allow(&mut self, limit: Duration) {
        self.until = Instant::now() + limit;
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.input = None;
        self.group.wait(FAREWELL);
    }
}
