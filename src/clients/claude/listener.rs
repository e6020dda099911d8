//! The socket on which htalk listens for a report, beside the recipient's own and named `PID.sock` like it.
//!
//! A killed htalk leaves its socket behind, and `PID.sock` alone would not tell whose it was. So the socket is made
//! under a name of htalk's own, `.htalk-PID-START.sock`, and `PID.sock` is a second link to the same inode: a later run
//! removes both names when that very process has ended, and `PID.sock` only while it is still that inode. Where one
//! process listens several times at once, the others are named `.htalk-PID-START-N.sock`, and are no `PID.sock`.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::fcntl::OFlag;
use nix::unistd::geteuid;

use super::frame::Connection;
use super::report::Incoming;
use crate::platform::cleanup::{Begun, Scope};
use crate::platform::process::Process;
use crate::platform::socket;

/// A directory that is held open, so that its names mean the same inode whatever happens to its path meanwhile.
#[derive(Clone)]
struct Folder {
    handle: Arc<File>,
    path: PathBuf,
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
        Ok(Folder { handle: Arc::new(handle), path: path.to_owned() })
    }

    /// A path to a name in it, short where that can be: a socket's path may have 107 bytes only.
    fn path(&self, name: &str) -> PathBuf {
        socket::path_in(&self.handle, &self.path, name)
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
            let Some((pid, start, _)) = name.to_str().and_then(marker_owner) else { continue };
            let marker = name.to_string_lossy();
            // A process that can't be seen may run.
            if Process::runs(pid, start).unwrap_or(true) || self.socket(&marker).is_none() {
                continue;
            }
            let probe = Connection::open(&self.path(&marker));
            if probe.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                self.remove(&marker, &public_name(pid));
            }
        }
    }
}

fn marker_name(pid: i32, start: u64, number: u32) -> String {
    if number == 0 { format!(".htalk-{pid}-{start}.sock") } else { format!(".htalk-{pid}-{start}-{number}.sock") }
}

fn public_name(pid: i32) -> String {
    format!("{pid}.sock")
}

/// The process that made a socket of this name, and the socket's number; none for a name that is not htalk's.
fn marker_owner(name: &str) -> Option<(i32, u64, u32)> {
    let mut parts = name.strip_prefix(".htalk-")?.strip_suffix(".sock")?.splitn(3, '-');
    let (pid, start) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let number = parts.next().map_or(Some(0), |text| text.parse().ok())?;
    (marker_name(pid, start, number) == name).then_some((pid, start, number))
}

/// How often one process can listen at once.
const SOCKETS: u32 = 256;

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
    address: PathBuf,
    /// Undone: its names are removed.
    _begun: Begun,
}

impl Listener {
    /// Listens in a recipient's socket directory, after it was freed of what killed runs left there, until the scope
    /// ends at the latest.
    ///
    /// Fails where the directory cannot be written, where other users can write to it, and where the scope has ended.
    pub fn open(scope: &Scope, directory: &Path) -> io::Result<Self> {
        let folder = Folder::open(directory)?;
        folder.sweep();
        let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let own = Process::read(pid)?.ok_or_else(|| io::Error::other("this process is not shown"))?;
        let public = public_name(pid);
        let ((socket, marker), begun) = scope.begin(|| {
            let (socket, marker) = bind(&folder, pid, own.start)?;
            let names = Names { folder: folder.clone(), marker: marker.clone(), public: public.clone() };
            Ok(((socket, marker), move || names.remove()))
        })?;
        fs::set_permissions(folder.path(&marker), Permissions::from_mode(0o600))?;
        socket.set_nonblocking(true)?;
        // Where a client that was killed left a socket of this very pid, or this process listens already, the report
        // still finds the other name: 2.1.332 takes any name that ends in `.sock` in its own directory (a duplicate was
        // reported to it).
        let is_linked = fs::hard_link(folder.path(&marker), folder.path(&public)).is_ok();
        let address = directory.join(if is_linked { &public } else { &marker });
        Ok(Listener { socket, address, _begun: begun })
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
        let peer = socket::peer(&stream).ok()?;
        if peer.uid != geteuid().as_raw() {
            return None;
        }
        stream.set_nonblocking(true).ok()?;
        Some(Incoming::new(stream, peer.pid))
    }
}

/// Listens under the first name of this process that is free.
fn bind(folder: &Folder, pid: i32, start: u64) -> io::Result<(UnixListener, String)> {
    for number in 0..SOCKETS {
        let marker = marker_name(pid, start, number);
        match UnixListener::bind(folder.path(&marker)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            other => return other.map(|socket| (socket, marker)),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::DirBuilderExt;

    use super::{Listener, marker_name, marker_owner};
    use crate::noise;
    use crate::platform::cleanup::Scope;
    use crate::platform::socket;

    #[test]
    fn calls_of_one_process_listen_side_by_side() {
        let directory = std::env::temp_dir().join(format!("htalk-unit-{}", uuid::Uuid::new_v4()));
        fs::DirBuilder::new().mode(0o700).create(&directory).unwrap();
        let names = || {
            let mut names: Vec<_> = fs::read_dir(&directory)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        let (ended, other) = (Scope::new(), Scope::new());
        let (first, second) =
            (Listener::open(&ended, &directory).unwrap(), Listener::open(&other, &directory).unwrap());
        assert_eq!(first.address(), format!("uds:{}/{}.sock", directory.display(), std::process::id()));
        assert_eq!(names().len(), 3, "{:?}", names());
        let path = second.address().trim_start_matches("uds:").to_owned();
        let reaches_second = || {
            let _connection = socket::connect(path.as_ref(), std::time::Duration::from_secs(5)).unwrap();
            first.accept().is_none() && second.accept().is_some()
        };
        assert!(reaches_second());
        ended.end();
        assert_eq!(names().len(), 1, "{:?}", names());
        assert!(reaches_second() && Listener::open(&ended, &directory).is_err());
        // Its name is another's now, and is not removed with it.
        let third = Listener::open(&other, &directory).unwrap();
        drop(first);
        assert_eq!(names().len(), 3, "{:?}", names());
        drop((second, third));
        assert!(names().is_empty(), "{:?}", names());
        fs::remove_dir(&directory).unwrap();
    }

    #[test]
    fn only_names_of_htalk_have_an_owner() {
        for (number, name) in [(0, ".htalk-7-99.sock"), (3, ".htalk-7-99-3.sock")] {
            assert_eq!(marker_name(7, 99, number), name);
            assert_eq!(marker_owner(name), Some((7, 99, number)));
        }
        for other in ["7.sock", ".htalk-7.sock", ".htalk-7-99-0.sock", ".htalk-7-099.sock", ".htalk-7-99-3-1.sock"] {
            assert_eq!(marker_owner(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_of_any_form_is_htalks_or_not() {
        noise::each(noise::text(&[".htalk-7-136341.sock", ".htalk-7-136341-3.sock", "7.sock"]), |name| {
            if let Some((pid, start, number)) = marker_owner(&name) {
                assert_eq!(marker_name(pid, start, number), name);
            }
        });
    }
}
