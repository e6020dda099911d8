//! A cheap look at whether a mailbox may have changed, by the times of its files: two system calls, no lock.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::path::side_file;

/// Two changes within one tick of the file system's clock can leave the same time; so what is younger than this counts
/// as changed. Ticks are some milliseconds long.
const FRESH: Duration = Duration::from_secs(1);

/// What the files of a mailbox looked like.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Device and inode of the mailbox.
    pub identity: (u64, u64),
    /// Size and time of the last change, of the mailbox and of its `-wal`.
    files: [Option<(u64, SystemTime)>; 2],
}

impl Look {
    /// Looks at a mailbox; none if it is not there.
    pub fn at(path: &Path) -> Option<Look> {
        let file = fs::metadata(path).ok()?;
        let log = fs::metadata(side_file(path, "-wal")).ok();
        Some(Look { identity: (file.dev(), file.ino()), files: [stamp(&file), log.as_ref().and_then(stamp)] })
    }

    /// Whether something changed just now, or in the future of a clock that was set back.
    pub fn is_fresh(&self) -> bool {
        self.files.iter().flatten().any(|(_, time)| time.elapsed().map_or(true, |age| age < FRESH))
    }
}

fn stamp(facts: &Metadata) -> Option<(u64, SystemTime)> {
    facts.modified().ok().map(|time| (facts.len(), time))
}
