//! A fair queue for writers who found the mailbox locked: an advisory lock on a file beside it, taken only then.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::mpsc;
use std::time::Instant;

use nix::fcntl::{Flock, FlockArg};

use super::open::side_file;

/// The place at the head of the queue, until it is dropped.
pub struct Turn {
    _lock: Option<Flock<File>>,
}

impl Turn {
    /// Waits for the head of the queue, at most until `deadline`. Without a queue file (a full disk, say) or in time,
    /// the caller goes on without a turn: fairness is lost, nothing else.
    pub fn take(mailbox: &Path, deadline: Instant) -> Turn {
        let path = side_file(mailbox, "-queue");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let Ok(file) = file else { return Turn { _lock: None } };
        // Whatever the umask of whoever made it; others than its owner can't, and needn't.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
        // flock has no time limit of its own, so a thread waits for it; an overdue one ends with the process.
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(Flock::lock(file, FlockArg::LockExclusive).ok()));
        let left = deadline.saturating_duration_since(Instant::now());
        Turn { _lock: receiver.recv_timeout(left).ok().flatten() }
    }
}
