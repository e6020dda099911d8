//! A queue for writers who found the mailbox locked: an advisory lock on a file beside it, taken only then.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};

use super::path::side_file;

/// How long the one at the head of the queue pauses between two tries.
const HEAD_PAUSE: Duration = Duration::from_micros(500);

/// How long all others pause: they leave the mailbox to the head, and take it only where the head does not.
const PAUSE: Duration = Duration::from_millis(3);

/// A place in the queue, until it is dropped.
pub enum Turn {
    /// The head of the queue.
    Head { _lock: Flock<File> },
    /// Behind it.
    Behind(File),
    /// Without a queue file (a full disk, say) there is no order: fairness is lost, nothing else.
    Without,
}

impl Turn {
    /// Joins the queue.
    pub fn join(mailbox: &Path) -> Turn {
        let path = side_file(mailbox, "-queue");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let Ok(file) = file else { return Turn::Without };
        // Whatever the umask of whoever made it; others than its owner can't, and needn't.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
        Turn::Behind(file)
    }

    /// Moves up where the head is free, and pauses until the next try. Whoever is behind tries as well, though less
    /// often: the head may be a process that was stopped.
    pub fn pause(self) -> Turn {
        let turn = match self {
            Turn::Behind(file) => match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => Turn::Head { _lock: lock },
                Err((file, _)) => Turn::Behind(file),
            },
            other => other,
        };
        std::thread::sleep(if matches!(turn, Turn::Behind(_)) { PAUSE } else { HEAD_PAUSE });
        turn
    }
}
