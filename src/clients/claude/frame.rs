//! One frame on a session's messaging socket: the connection, the line, the write.
//!
//! Seen on 2.1.332: a line of JSON ended by a newline, at most 1,048,576 characters; the session answers nothing on
//! this connection and leaves it open. A frame with another `session_id` is dropped in silence.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv};
use nix::unistd::geteuid;
use serde_json::json;

use crate::platform::socket;

/// How long a full queue of the recipient's socket is waited for.
const CONNECT_TIME: Duration = Duration::from_millis(500);

/// How long the write may take in all.
const WRITE_TIME: Duration = Duration::from_millis(1000);

/// The frame as one line.
///
/// `from` and the id are new for every attempt, so the session's rule against repeats (the same `from` and text within
/// 30 s) cannot meet two notices.
pub fn line(session_id: &str, message_id: &str, from: &str, text: &str) -> Vec<u8> {
    let frame = json!({
        "type": "user",
        "session_id": session_id,
        "uuid": message_id,
        "msg_id": message_id,
        "from": from,
        // A session whose tool runs sees it in the next request of the same turn, and the tool goes on.
        "priority": "next",
        "message": { "role": "user", "content": text },
    });
    let mut line = frame.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Whether a path is a socket of this user, not a link to one.
pub fn is_owned_socket(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.file_type().is_socket() {
        return Err(io::Error::other("not a socket"));
    }
    if metadata.uid() != geteuid().as_raw() {
        return Err(io::Error::other("a socket of another user"));
    }
    Ok(())
}

/// How a write ended.
pub enum Written {
    /// The system took all bytes.
    All,
    /// It took none.
    Nothing,
    /// It took a part of them.
    Part,
}

/// A connection to a session.
pub struct Connection {
    stream: UnixStream,
    /// The process at the other end, where the system tells.
    pub pid: Option<i32>,
}

/// What the recipient did with its end of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is open.
    Open,
    /// It was closed after everything had been read.
    Closed,
    /// It was closed with bytes of the frame unread.
    Reset,
}

impl Connection {
    /// Connects to an owned socket whose listener is a process of this user, within 500 ms.
    pub fn open(path: &Path) -> io::Result<Self> {
        is_owned_socket(path)?;
        let stream = socket::connect(path, CONNECT_TIME)?;
        let peer = socket::peer(&stream)?;
        if peer.uid != geteuid().as_raw() {
            return Err(io::Error::other("a process of another user listens"));
        }
        Ok(Connection { stream, pid: peer.pid })
    }

    /// Writes a line within 1 s.
    pub fn write(&self, line: &[u8]) -> Written {
        let deadline = Instant::now() + WRITE_TIME;
        let mut done = 0;
        while done < line.len() {
            match socket::send(&self.stream, &line[done..]) {
                Ok(count) => done += count,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) if Instant::now() < deadline => {
                    let mut wanted = [PollFd::new(self.descriptor(), PollFlags::POLLOUT)];
                    let _ = poll(&mut wanted, timeout(deadline));
                }
                Err(_) if done == 0 => return Written::Nothing,
                Err(_) => return Written::Part,
            }
        }
        Written::All
    }

    /// The descriptor to poll for the end of the connection.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Looks whether the recipient closed the connection; whatever it says on it is thrown away.
    pub fn ending(&self) -> Ending {
        let mut buffer = [0; 4096];
        match recv(self.stream.as_raw_fd(), &mut buffer, MsgFlags::MSG_DONTWAIT) {
            Ok(0) => Ending::Closed,
            Ok(_) | Err(Errno::EAGAIN | Errno::EINTR) => Ending::Open,
            Err(_) => Ending::Reset,
        }
    }
}

/// The time until a moment, for `poll`: whole milliseconds, rounded up, so that it never turns into a busy loop.
pub fn timeout(until: Instant) -> PollTimeout {
    let rest = until.saturating_duration_since(Instant::now());
    PollTimeout::try_from(rest.as_micros().div_ceil(1000).min(60_000) as i32).unwrap_or(PollTimeout::ZERO)
}
