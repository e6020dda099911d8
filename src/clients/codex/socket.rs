//! An app server behind a Unix socket, as a WebSocket.

use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{ClientRequestBuilder, HandshakeError, Message, WebSocket};

use super::wire::{CONVERSATION, Fault, MESSAGE, Wire};
use crate::platform::socket;

/// Why a socket can't be used. Nothing was sent.
#[derive(Debug)]
pub enum Unusable {
    /// Nothing is there.
    Missing,
    /// Nobody listens: a server that was killed leaves its socket behind.
    Deserted,
    /// The system does not let this process reach it, as in Codex's own sandbox.
    Forbidden(io::Error),
    /// It is no socket, or another user's.
    Foreign(String),
    /// The server is there and does not answer as one.
    Silent(Fault),
}

/// Opens a WebSocket on the Unix socket at `path`: of this user, within `limit`.
///
/// # Errors
/// See [`Unusable`].
pub fn open(path: &Path, limit: Duration) -> Result<Box<dyn Wire>, Unusable> {
    let stream = Bounded { stream: dial(path, limit)?, until: Instant::now() + limit, left: CONVERSATION };
    // Any path and host do, and no origin is asked for (0.171.0).
    let request = ClientRequestBuilder::new("ws://localhost/".parse().expect("a constant URI"));
    let config = WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
    match tungstenite::client::client_with_config(request, stream, Some(config)) {
        Ok((socket, _)) => Ok(Box::new(socket)),
        Err(HandshakeError::Failure(error)) => Err(Unusable::Silent(error.into())),
        Err(HandshakeError::Interrupted(_)) => Err(Unusable::Silent(Fault::TimedOut)),
    }
}

fn dial(path: &Path, limit: Duration) -> Result<UnixStream, Unusable> {
    let by_kind = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unusable::Missing,
        io::ErrorKind::ConnectionRefused => Unusable::Deserted,
        io::ErrorKind::PermissionDenied => Unusable::Forbidden(error),
        _ => Unusable::Foreign(error.to_string()),
    };
    path.symlink_metadata().map_err(by_kind)?;
    // Codex's own path is a symlink into the temporary directory; a link whose target is gone was left by a kill.
    let found = path.metadata().map_err(|error| match by_kind(error) {
        Unusable::Missing => Unusable::Deserted,
        other => other,
    })?;
    let me = nix::unistd::geteuid().as_raw();
    if !found.file_type().is_socket() {
        return Err(Unusable::Foreign("not a socket".into()));
    }
    if found.uid() != me {
        return Err(Unusable::Foreign(format!("owned by user {}", found.uid())));
    }
    let stream = socket::connect(path, limit).map_err(by_kind)?;
    let foreign = |error: io::Error| Unusable::Foreign(error.to_string());
    match socket::peer(&stream).map_err(foreign)?.uid {
        user if user == me => stream.set_nonblocking(false).map_err(foreign)?,
        user => return Err(Unusable::Foreign(format!("served by user {user}"))),
    }
    Ok(stream)
}

/// A stream on which every single read and write ends at the deadline, so that a server that sends a byte now and then
/// gains nothing.
struct Bounded {
    stream: UnixStream,
    until: Instant,
    left: usize,
}

impl Bounded {
    fn remaining(&self) -> io::Result<Duration> {
        let remaining = self.until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(remaining.max(Duration::from_millis(1)))
        }
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let room = buffer.len().min(self.left);
        loop {
            self.stream.set_read_timeout(Some(self.remaining()?))?;
            match self.stream.read(&mut buffer[..room]) {
                Ok(length) => {
                    self.left -= length;
                    return Ok(length);
                }
                // A process that was stopped and goes on.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timed_out(error)),
            }
        }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.stream.set_write_timeout(Some(self.remaining()?))?;
            match self.stream.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(timed_out),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A socket's timeout shows as "would block", which the library would take for a pause.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Wire for WebSocket<Bounded> {
    fn send(&mut self, text: &str) -> Result<(), Fault> {
        Ok(WebSocket::send(self, Message::text(text))?)
    }

    fn receive(&mut self) -> Result<String, Fault> {
        loop {
            match self.read()? {
                Message::Text(text) => return Ok(text.to_string()),
                Message::Close(_) => return Err(Fault::Closed),
                Message::Binary(_) => return Err(Fault::Malformed),
                _ => {}
            }
        }
    }

    fn allow(&mut self, limit: Duration) {
        self.get_mut().until = Instant::now() + limit;
    }
}
