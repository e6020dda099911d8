//! The socket on which htalk listens for a report, beside the recipient's own and named `PID.sock` like it.
//!
//! A killed htalk leaves its socket behind, and `PID.sock` alone would not tell whose it was. So the socket is made
//! under a name of htalk's own, `.htalk-PID-START.sock`, and `PID.sock` is a second link to the same inode: a later run
//! removes both names when that very process has ended, and `PID.sock` only while it is still that inode.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use nix::fcntl::OFlag;
use nix::sys::socket::{getsockopt, sockopt};
use nix::unistd::geteuid;

use super::frame::Connection;
use super::proc::Process;
use super::report::Incoming;

/// A directory that is held open, so that its names mean the same inode whatever happens to its path meanwhile.
struct Folder {
    handle: File,
}

impl Folder {
    /// Opens a directory in which no other user can plant or move names.
    fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let handle = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
        let metadata = handle.metadata()?;
        let is_ours = metadata.uid() == geteuid().as_raw();
        let is_closed = metadata.mode() & 0o022 == 0;
        // `/tmp` and its like: everybody writes, nobody moves what another made.
        let is_sticky = metadata.mode() & 0o1000 != 0;
        let is_safe = if is_sticky { is_ours || metadata.uid() == 0 } else { is_ours && is_closed };
        if !is_safe {
            return Err(io::Error::other("other users can write to the socket's directory"));
        }
        Ok(Folder { handle })
    }

    /// A path to a name in it that stays short: a socket's path may have 107 bytes only.
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.handle.as_raw_fd()))
    }

    /// The owned socket of this name.
    fn socket(&self, name: &str) -> Option<fs::Metadata> {
        let metadata = fs::symlink_metadata(self.path(name)).ok()?;
        (metadata.file_type().is_socket() && metadata.uid() == geteuid().as_raw()).then_some(metadata)
    }

    /// Removes the names of a socket that htalk made: first the public one, so that a kill in between leaves the
    /// other one for the next run.
    fn remove(&self, marker: &str, public: &str) {
        let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        if let Some(ours) = self.socket(marker).map(inode) {
            if self.socket(public).map(inode) == Some(ours) {
                let _ = fs::remove_file(self.path(public));
            }
            let _ = fs::remove_file(self.path(marker));
        }
    }

    /// Removes what killed runs of htalk left: its own names only, of processes that have ended, on which nobody
    /// listens (the process may live in another pid namespace).
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.path(".")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((pid, start)) = name.to_str().and_then(marker_owner) else { continue };
            let marker = name.to_string_lossy();
            if Process::runs(pid, start) || self.socket(&marker).is_none() {
                continue;
            }
            let probe = Connection::open(&self.path(&marker));
            if probe.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                self.remove(&marker, &public_name(pid));
            }
        }
    }
}

fn marker_name(pid: i32, start: u64) -> String {
    format!(".htalk-{pid}-{start}.sock")
}

fn public_name(pid: i32) -> String {
    format!("{pid}.sock")
}

/// The process that made a socket of this name; none for a name that is not htalk's.
fn marker_owner(name: &str) -> Option<(i32, u64)> {
    let (pid, start) = name.strip_prefix(".htalk-")?.strip_suffix(".sock")?.split_once('-')?;
    let owner = (pid.parse().ok()?, start.parse().ok()?);
    (marker_name(owner.0, owner.1) == name).then_some(owner)
}

/// The names of the sockets on which this process listens now, for an interrupt.
static LISTENING: Mutex<Vec<Arc<Names>>> = Mutex::new(Vec::new());

fn listening() -> MutexGuard<'static, Vec<Arc<Names>>> {
    LISTENING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Removes the names of all listening sockets; for an interrupt, directly before the exit. None is made afterwards:
/// whoever wants one waits for ever.
pub fn end_all() {
    let listening = listening();
    listening.iter().for_each(|names| names.remove());
    std::mem::forget(listening);
}

/// Both names of one listening socket.
struct Names {
    folder: Folder,
    marker: String,
    public: String,
}

impl Names {
    fn remove(&self) {
        self.folder.remove(&self.marker, &self.public);
    }
}

/// A listening socket beside the recipient's, mode 0600, whose names are gone when it is dropped.
pub struct Listener {
    socket: UnixListener,
    names: Arc<Names>,
    address: PathBuf,
}

impl Listener {
    /// Listens in a recipient's socket directory, after it was freed of what killed runs left there.
    ///
    /// Fails where the directory cannot be written, or where other users can write to it.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let folder = Folder::open(directory)?;
        folder.sweep();
        let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let own = Process::read(pid).ok_or_else(|| io::Error::other("/proc has no record of this process"))?;
        let names = Arc::new(Names { folder, marker: marker_name(pid, own.start), public: public_name(pid) });
        let (marker, public) = (names.folder.path(&names.marker), names.folder.path(&names.public));
        let mut listening = listening();
        let socket = UnixListener::bind(&marker)?;
        listening.push(names.clone());
        drop(listening);
        let mut listener = Listener { socket, address: directory.join(&names.marker), names };
        fs::set_permissions(&marker, Permissions::from_mode(0o600))?;
        listener.socket.set_nonblocking(true)?;
        // Where a client that was killed left a socket of this very pid, the report still finds the other name: 2.1.332
        // takes any name that ends in `.sock` in its own directory (a duplicate was reported to it).
        if fs::hard_link(&marker, &public).is_ok() {
            listener.address = directory.join(&listener.names.public);
        }
        Ok(listener)
    }

    /// The sender's address as a frame's `from`.
    pub fn address(&self) -> String {
        format!("uds:{}", self.address.display())
    }

    /// The descriptor to poll for a connection.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Takes a connection of this user, where one is waiting.
    pub fn accept(&self) -> Option<Incoming> {
        let (stream, _) = self.socket.accept().ok()?;
        let peer = getsockopt(&stream, sockopt::PeerCredentials).ok()?;
        if peer.uid() != geteuid().as_raw() {
            return None;
        }
        stream.set_nonblocking(true).ok()?;
        Some(Incoming::new(stream, peer.pid()))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.names.remove();
        listening().retain(|names| !Arc::ptr_eq(names, &self.names));
    }
}
