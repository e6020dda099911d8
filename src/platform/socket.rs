//! Unix sockets: connecting within a time, writing without a signal, and who is at the other end.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, connect as join, send as put, socket};

/// How long a socket whose queue is full is left alone before the next try.
const PAUSE: Duration = Duration::from_millis(5);

/// The process at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its effective user.
    pub uid: u32,
    /// Its pid; none where the system does not tell.
    pub pid: Option<i32>,
}

/// Connects to a socket within a time: a server that accepts nothing fills its queue. The stream never blocks.
///
/// # Errors
/// `TimedOut`, and what the system answers: `NotFound`, `ConnectionRefused` where nobody listens, `PermissionDenied`.
pub fn connect(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    // A link's target can be short enough for an address (108 bytes on Linux) where the link is not.
    let address =
        UnixAddr::new(path).or_else(|_| UnixAddr::new(&path.canonicalize().map_err(|_| Errno::ENAMETOOLONG)?))?;
    let stream = UnixStream::from(unconnected()?);
    stream.set_nonblocking(true)?;
    let until = Instant::now() + limit;
    loop {
        match join(stream.as_raw_fd(), &address) {
            Ok(()) | Err(Errno::EISCONN) => return Ok(stream),
            Err(Errno::EAGAIN | Errno::EINTR | Errno::EINPROGRESS | Errno::EALREADY) if Instant::now() < until => {
                thread::sleep(PAUSE);
            }
            Err(Errno::EAGAIN | Errno::EINPROGRESS | Errno::EALREADY) => return Err(Errno::ETIMEDOUT.into()),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_vendor = "apple"))]
fn unconnected() -> io::Result<OwnedFd> {
    Ok(socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?)
}

/// There is no flag for either here, so a command that another thread starts in between inherits the socket.
#[cfg(target_vendor = "apple")]
fn unconnected() -> io::Result<OwnedFd> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    use std::os::fd::AsFd;
    let descriptor = socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None)?;
    fcntl(&descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    #[cfg(target_os = "macos")]
    super::darwin::no_sigpipe(descriptor.as_fd())?;
    Ok(descriptor)
}

/// Writes what the socket takes now. A connection of [`connect`] that was closed at the other end is an error and never
/// a signal, whatever this process does with signals.
///
/// # Errors
/// `EAGAIN` where it takes nothing now.
pub fn send(stream: &UnixStream, bytes: &[u8]) -> nix::Result<usize> {
    #[cfg(not(target_vendor = "apple"))]
    let flags = MsgFlags::MSG_NOSIGNAL;
    // There the socket itself was told.
    #[cfg(target_vendor = "apple")]
    let flags = MsgFlags::empty();
    put(stream.as_raw_fd(), bytes, flags)
}

/// Who is at the other end.
///
/// # Errors
/// The system does not tell.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let found = nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerCredentials)?;
    Ok(Peer { uid: found.uid(), pid: Some(found.pid()).filter(|pid| *pid > 0) })
}

/// Who is at the other end.
///
/// # Errors
/// The system does not tell.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let (user, _) = nix::unistd::getpeereid(stream)?;
    #[cfg(target_vendor = "apple")]
    let pid = nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::LocalPeerPid).ok();
    #[cfg(not(target_vendor = "apple"))]
    let pid = None;
    Ok(Peer { uid: user.as_raw(), pid: pid.filter(|pid| *pid > 0) })
}

/// A path to a name in a directory that is held open, for a socket's address. On Linux it stays short however long the
/// directory's own path is, and leads to the held directory whatever happens to that path meanwhile.
pub fn path_in(held: &File, directory: &Path, name: &str) -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", held.as_raw_fd()))
    } else {
        directory.join(name)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_connection_knows_its_ends_and_survives_the_other_one() {
        let directory = std::env::temp_dir().join(format!("htalk-unit-{}", uuid::Uuid::new_v4()));
        fs::create_dir(&directory).unwrap();
        let path = directory.join("s");
        let absent = connect(&path, Duration::ZERO).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);

        let listener = UnixListener::bind(&path).unwrap();
        let stream = connect(&path, Duration::from_secs(5)).unwrap();
        let (other, _) = listener.accept().unwrap();
        let me = Peer { uid: nix::unistd::geteuid().as_raw(), pid: Some(std::process::id() as i32) };
        assert_eq!((peer(&stream).unwrap(), peer(&other).unwrap()), (me, me));
        assert_eq!(send(&stream, b"hello"), Ok(5));
        drop(other);
        assert!(matches!(send(&stream, b"hello"), Err(Errno::EPIPE | Errno::ECONNRESET)));

        drop(listener);
        let deserted = connect(&path, Duration::from_secs(5)).unwrap_err();
        assert_eq!(deserted.kind(), io::ErrorKind::ConnectionRefused);
        fs::remove_dir_all(&directory).unwrap();
    }
}
