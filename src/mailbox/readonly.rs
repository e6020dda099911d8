//! Reading a mailbox whose directory can't be written: SQLite needs its side files for that, and may not make them.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::path::{side_file, uri};
use crate::error::{Error, Result};

/// A mailbox that is read without locks, and what it looked like before it was opened.
pub struct Source {
    path: PathBuf,
    before: Fingerprint,
}

impl Source {
    /// Refuses what was read if a writer came along meanwhile; the reader may repeat it.
    ///
    /// # Errors
    /// `database_busy`
    pub fn verify(&self) -> Result<()> {
        if fingerprint(&self.path)? == self.before {
            return Ok(());
        }
        Err(Error::new("database_busy").with_detail("the mailbox changed while it was read"))
    }
}

/// Opens a mailbox that could not be opened the ordinary way, for reading only.
///
/// With a `-wal` and no `-shm` the newest commits lie in the `-wal`, which an immutable look would miss in silence; in
/// exclusive mode SQLite keeps its index of the `-wal` in memory, and without locks nobody is kept out. With neither,
/// the file is complete as it stands.
pub fn open(path: &Path) -> Result<(Connection, Source)> {
    let source = Source { path: path.to_owned(), before: fingerprint(path)? };
    let how = if source.before.log.is_empty() { "immutable=1" } else { "vfs=unix-none" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(path, how), flags)?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    Ok((connection, source))
}

/// What changes when the pages that a reader relies on are replaced.
#[derive(PartialEq, Eq)]
struct Fingerprint {
    /// Inode, size in bytes, and time of the last change of the file.
    file: (u64, u64, i64, i64),
    /// The head of the `-wal`, other each time that it is begun anew; what is appended to it does no harm. Empty where
    /// there is none, or was no room for one.
    log: Vec<u8>,
}

fn fingerprint(path: &Path) -> Result<Fingerprint> {
    let facts = fs::metadata(path)?;
    let mut log = Vec::new();
    if let Ok(file) = File::open(side_file(path, "-wal")) {
        file.take(32).read_to_end(&mut log)?;
    }
    Ok(Fingerprint { file: (facts.ino(), facts.size(), facts.mtime(), facts.mtime_nsec()), log })
}
