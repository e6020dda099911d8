//! Streams that other processes gave to this one. They may be non-blocking (a parent that runs an event loop makes its
//! own ends so, and some ends are shared): whoever has nothing to do meanwhile waits for the stream. Its flags are
//! left as they are, for they are the parent's as well.

use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use nix::errno::Errno;
use nix::libc::PIPE_BUF;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A stream whose reads wait until there is something to read.
pub struct Patient<T>(pub T);

impl<T: Read + AsFd> Read for Patient<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(self.0.as_fd(), PollFlags::POLLIN, None)?,
                other => return other,
            }
        }
    }
}

/// Writes all of this, and waits wherever the stream takes nothing more for now.
///
/// # Errors
/// Those of the stream; `TimedOut`: it has not taken all of it until then.
pub fn write_all(out: BorrowedFd, mut bytes: &[u8], until: Option<Instant>) -> io::Result<()> {
    while !bytes.is_empty() {
        let mut piece = bytes;
        if until.is_some() {
            // A pipe with room takes so much without blocking; more could block beyond the time.
            piece = &bytes[..bytes.len().min(PIPE_BUF)];
            wait(out, PollFlags::POLLOUT, until)?;
        }
        match nix::unistd::write(out, piece) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => wait(out, PollFlags::POLLOUT, until)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits until a stream is ready, or has something to say against it.
fn wait(stream: BorrowedFd, ready: PollFlags, until: Option<Instant>) -> io::Result<()> {
    loop {
        let limit = match until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(left) if left.is_zero() => return Err(ErrorKind::TimedOut.into()),
            // Rounded up, so that the rest of a millisecond is no busy loop.
            Some(left) => PollTimeout::from(left.as_micros().div_ceil(1000).min(60_000) as u16),
            None => PollTimeout::NONE,
        };
        match poll(&mut [PollFd::new(stream, ready)], limit) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
