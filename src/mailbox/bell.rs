//! The doorbell of a wait: a FIFO beside the mailbox, named by the wait's token, rung by whoever commits the answer.
//!
//! It only says "look now". Without it, or rung by nobody (a plain SQL writer), the waiter's own slow look finds the
//! answer.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;

/// The waiter's side.
pub struct Bell {
    path: PathBuf,
    fifo: Option<File>,
}

fn path(mailbox: &Path, token: &str) -> PathBuf {
    let mut path = std::ffi::OsString::from(mailbox);
    path.push("-wait-");
    path.push(token);
    path.into()
}

fn open(path: &Path, write_only: bool) -> std::io::Result<File> {
    // The waiter opens its FIFO for writing as well, so that it never sees the end of the file; the ringer does not, so
    // that a bell nobody listens to is an error.
    OpenOptions::new().read(!write_only).write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Rings the bell of a wait; removes one that its waiter left behind.
pub fn ring(mailbox: &Path, token: &str) {
    let path = path(mailbox, token);
    match open(&path, true) {
        Ok(mut fifo) => drop(fifo.write(&[1])),
        Err(error) if error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32) => drop(fs::remove_file(path)),
        Err(_) => {}
    }
}

/// Removes the bell of a wait that is over.
pub fn remove(mailbox: &Path, token: &str) {
    let _ = fs::remove_file(path(mailbox, token));
}

/// Removes the bells beside a mailbox that nobody listens to and that belong to none of these tokens: their waits were
/// killed before they registered. To be called with the write lock, under which bells are hung.
pub fn clear(mailbox: &Path, tokens: &[&str]) {
    let (Some(directory), Some(name)) = (mailbox.parent(), mailbox.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let token = file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix("-wait-"));
        let is_bell = entry.file_type().is_ok_and(|kind| kind.is_fifo());
        if let Some(token) = token.filter(|token| is_bell && !tokens.contains(token))
            && open(&entry.path(), true)
                .is_err_and(|error| error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32))
        {
            remove(mailbox, token);
        }
    }
}

impl Bell {
    /// Puts up a bell, private whatever the umask. A file system without FIFOs gives a silent one.
    pub fn hang(mailbox: &Path, token: &str) -> Bell {
        let path = path(mailbox, token);
        let hung = nix::unistd::mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).is_ok();
        let fifo = hung
            .then(|| fs::set_permissions(&path, Permissions::from_mode(0o600)).and_then(|()| open(&path, false)).ok());
        Bell { path, fifo: fifo.flatten() }
    }

    /// Waits until it rings, at most so long (rounded up to a millisecond).
    pub fn wait(&mut self, limit: Duration) {
        let Some(fifo) = &mut self.fifo else { return std::thread::sleep(limit) };
        let milliseconds = limit.as_micros().div_ceil(1000).min(60_000) as u16;
        let mut polled = [PollFd::new(fifo.as_fd(), PollFlags::POLLIN)];
        if matches!(poll(&mut polled, PollTimeout::from(milliseconds)), Ok(1..)) {
            let _ = fifo.read(&mut [0; 64]);
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
