//! A cheap look at whether a mailbox may have changed, by the times of its files: three system calls, no lock.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::path::side_file;

/// Two changes within one tick of the file system's clock can leave the same time; so what is younger than this counts
/// as changed. Ticks are some milliseconds long.
const FRESH: Duration = Duration::from_secs(1);

/// Which files lie beside a mailbox: device and inode of its `-wal` and its `-shm`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SideFiles([Option<(u64, u64)>; 2]);

impl SideFiles {
    /// Those that are there now.
    pub fn of(mailbox: &Path) -> SideFiles {
        SideFiles(["-wal", "-shm"].map(|ending| identity(fs::metadata(side_file(mailbox, ending)).ok().as_ref())))
    }

    /// Whether one of them is there no more, or is another file: whoever has it open sees nothing that others write.
    pub fn have_gone(&self, now: SideFiles) -> bool {
        self.0.iter().zip(now.0).any(|(then, now)| then.is_some() && *then != now)
    }
}

fn identity(facts: Option<&Metadata>) -> Option<(u64, u64)> {
    facts.map(|facts| (facts.dev(), facts.ino()))
}

/// What the files of a mailbox looked like.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Device and inode of the mailbox.
    pub identity: (u64, u64),
    /// Size and time of the last change, of the mailbox and of its `-wal`.
    files: [Option<(u64, SystemTime)>; 2],
    /// The files beside it.
    pub beside: SideFiles,
    /// Whether the mailbox has more than one name.
    pub is_linked: bool,
}

impl Look {
    /// Looks at a mailbox; none if it is not there.
    pub fn at(path: &Path) -> Option<Look> {
        let file = fs::metadata(path).ok()?;
        let log = fs::metadata(side_file(path, "-wal")).ok();
        let memory = fs::metadata(side_file(path, "-shm")).ok();
        Some(Look {
            identity: (file.dev(), file.ino()),
            files: [stamp(&file), log.as_ref().and_then(stamp)],
            beside: SideFiles([identity(log.as_ref()), identity(memory.as_ref())]),
            is_linked: file.nlink() > 1,
        })
    }

    /// Whether something changed just now, or in the future of a clock that was set back.
    pub fn is_fresh(&self) -> bool {
        self.files.iter().flatten().any(|(_, time)| time.elapsed().map_or(true, |age| age < FRESH))
    }
}

fn stamp(facts: &Metadata) -> Option<(u64, SystemTime)> {
    facts.modified().ok().map(|time| (facts.len(), time))
}
