//! A client's command, run within limits: its own process group, a given standard input, bounded output, and at a limit
//! ended with everything it started.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::cleanup::Scope;
pub use super::group::Group;
use crate::environment::Environment;

/// How long output may stay open after the command itself ended (something it started holds it).
const OUTPUT_GRACE: Duration = Duration::from_millis(200);

/// How much more than is kept a command may write to standard error: a result may stand behind many warnings.
const NOISE: usize = 16;

/// What a command may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From start to exit.
    pub time: Duration,
    /// Bytes of standard output, and of what is kept of standard error; [`NOISE`] times as many may come there.
    pub output: usize,
}

/// How a command ended.
#[derive(Debug)]
pub enum Ended {
    /// By itself, within the limits.
    Exited {
        /// Its exit code or signal.
        status: ExitStatus,
        /// All that it wrote to standard output.
        stdout: Vec<u8>,
        /// The beginning of what it wrote to standard error.
        stderr: Vec<u8>,
    },
    /// It was ended at a limit; what it did until then is not known.
    Limit {
        /// Which one.
        limit: Limit,
        /// What it had written to standard output.
        stdout: Vec<u8>,
    },
}

/// The limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// It ran for too long.
    Time,
    /// It wrote too much.
    Output,
    /// The system no longer tells how it goes on.
    Lost,
}

/// The absolute path of a program in `PATH`, relative entries left out: they would name a file of the workspace.
pub fn find(environment: &Environment, program: &str) -> Option<PathBuf> {
    std::env::split_paths(&environment.get("PATH")?).filter(|directory| directory.is_absolute()).find_map(|directory| {
        let path = directory.join(program);
        let found = path.metadata().ok()?;
        (found.is_file() && found.permissions().mode() & 0o111 != 0).then_some(path)
    })
}

/// Runs a command with this standard input to its end or to a limit. Whatever is left of its process group is ended
/// either way, and where the scope ends.
///
/// # Errors
/// The command could not be started, or the scope has ended: nothing ran.
pub fn run(scope: &Scope, command: &mut Command, input: Vec<u8>, limits: Limits) -> io::Result<Ended> {
    let until = Instant::now() + limits.time;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    let mut group = Group::spawn(scope, command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (stdin, out, err) = group.pipes();
    let mut stdout = Capture::new(out, limits.output, limits.output);
    let mut stderr = Capture::new(err, limits.output, limits.output.saturating_mul(NOISE));
    let mut stdin = Feed::new(stdin, input);
    // From here on it runs, so that no failure may look as if it had not.
    stdin.begin().and_then(|()| follow(&mut group, &mut stdin, &mut stdout, &mut stderr, until)).or_else(|_| {
        group.end();
        Ok(Ended::Limit { limit: Limit::Lost, stdout: stdout.bytes })
    })
}

/// Waits until a running command ends or hits a limit.
fn follow(
    group: &mut Group,
    stdin: &mut Feed,
    stdout: &mut Capture<ChildStdout>,
    stderr: &mut Capture<ChildStderr>,
    until: Instant,
) -> io::Result<Ended> {
    let mut nap = Duration::from_micros(200);
    let mut close_by = None;
    loop {
        let exited = group.has_exited();
        if exited && close_by.is_none() {
            close_by = Some(until.min(Instant::now() + OUTPUT_GRACE));
        }
        let open = stdout.is_open() || stderr.is_open();
        if exited && (!open || close_by.is_some_and(|by| Instant::now() >= by)) {
            break;
        }
        if Instant::now() >= until {
            group.end();
            return Ok(Ended::Limit { limit: Limit::Time, stdout: std::mem::take(&mut stdout.bytes) });
        }
        // Without an open pipe nothing wakes this loop: look again soon.
        nap = if open { Duration::from_millis(10) } else { (nap * 2).min(Duration::from_millis(10)) };
        exchange(stdin, stdout, stderr, nap.min(until.saturating_duration_since(Instant::now())))?;
        if stdout.is_full || stderr.is_full {
            group.end();
            return Ok(Ended::Limit { limit: Limit::Output, stdout: std::mem::take(&mut stdout.bytes) });
        }
    }
    let status = group.finish()?;
    let (stdout, stderr) = (std::mem::take(&mut stdout.bytes), std::mem::take(&mut stderr.bytes));
    Ok(Ended::Exited { status, stdout, stderr })
}

/// What one pipe brought so far.
struct Capture<T> {
    pipe: Option<T>,
    bytes: Vec<u8>,
    /// How many bytes are kept.
    kept: usize,
    /// How many more may come.
    left: usize,
    is_full: bool,
}

impl<T: Read + AsFd> Capture<T> {
    fn new(pipe: Option<T>, kept: usize, most: usize) -> Self {
        Capture { pipe, bytes: Vec::new(), kept, left: most, is_full: false }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads once; the pipe has to be readable.
    fn read(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        let mut chunk = [0; 8192];
        match pipe.read(&mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(length) => {
                let room = self.kept - self.bytes.len();
                self.bytes.extend_from_slice(&chunk[..length.min(room)]);
                self.is_full = length > self.left;
                self.left = self.left.saturating_sub(length);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// What is left to be written to a command's standard input.
struct Feed {
    pipe: Option<ChildStdin>,
    bytes: Vec<u8>,
    written: usize,
}

impl Feed {
    fn new(pipe: Option<ChildStdin>, bytes: Vec<u8>) -> Self {
        Feed { pipe, bytes, written: 0 }
    }

    /// Makes this end of the pipe non-blocking; the command's own end is another.
    fn begin(&self) -> io::Result<()> {
        if let Some(pipe) = &self.pipe {
            fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        Ok(())
    }

    /// Writes what there is room for, and closes the pipe behind the last byte.
    fn write(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        match pipe.write(&self.bytes[self.written..]) {
            Ok(length) => self.written += length,
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            // It need not read all of it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.pipe = None,
            Err(error) => return Err(error),
        }
        if self.written == self.bytes.len() {
            self.pipe = None;
        }
        Ok(())
    }
}

/// Waits for at most `nap` until a pipe is ready, and takes or gives what there is.
fn exchange(
    stdin: &mut Feed,
    stdout: &mut Capture<ChildStdout>,
    stderr: &mut Capture<ChildStderr>,
    nap: Duration,
) -> io::Result<()> {
    let [gives, takes, complains] = {
        let pipes = [
            stdin.pipe.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLOUT)),
            stdout.pipe.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)),
            stderr.pipe.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)),
        ];
        let is_open = [pipes[0].is_some(), pipes[1].is_some(), pipes[2].is_some()];
        let mut polled: Vec<PollFd> = pipes.into_iter().flatten().collect();
        wait_for(&mut polled, nap)?;
        let mut ready = polled.iter().map(|pipe| pipe.any().unwrap_or(false));
        is_open.map(|is_open| is_open && ready.next().unwrap_or(false))
    };
    if gives {
        stdin.write()?;
    }
    if takes {
        stdout.read()?;
    }
    if complains {
        stderr.read()?;
    }
    Ok(())
}

/// `poll` that takes an interruption by a signal for "nothing yet".
pub fn wait_for(polled: &mut [PollFd], limit: Duration) -> io::Result<bool> {
    // Rounded up: a limit under a millisecond is not to become a busy loop.
    let milliseconds = limit.as_micros().div_ceil(1000).min(u128::from(u16::MAX)) as u16;
    match poll(polled, PollTimeout::from(milliseconds)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
