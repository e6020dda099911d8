//! Reading a mailbox whose directory can't be written: SQLite needs its side files for that, and may not make them.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::open::{private_directory, side_file};
use crate::error::{Error, Result};
use crate::progress::progress;

/// How often a mailbox is copied again because it changed meanwhile.
const TRIES: usize = 20;

/// What is read in place of the mailbox as it is.
pub enum Source {
    /// The file alone, taken as one that nobody changes.
    Immutable {
        /// The file.
        path: PathBuf,
        /// What it looked like before it was opened.
        before: Fingerprint,
    },
    /// A private copy in the temporary directory, removed with this value.
    Copy(PathBuf),
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Copy(directory) = self {
            let _ = fs::remove_dir_all(directory);
        }
    }
}

impl Source {
    /// Refuses what was read if a writer came along meanwhile; the reader may repeat it.
    ///
    /// # Errors
    /// `database_busy`
    pub fn verify(&self) -> Result<()> {
        match self {
            Source::Immutable { path, before }
                if holds_commits(&side_file(path, "-wal")) || fingerprint(path)? != *before =>
            {
                Err(Error::new("database_busy").with_detail("the mailbox changed while it was read"))
            }
            _ => Ok(()),
        }
    }
}

/// Opens a mailbox that could not be opened the ordinary way, for reading only.
///
/// With a `-wal` and no `-shm` the newest commits lie in the `-wal`, which an immutable look would miss in silence: so
/// a copy of both is read. With neither, the file is complete as it stands.
pub fn open(path: &Path) -> Result<(Connection, Source)> {
    let wal = side_file(path, "-wal");
    if !holds_commits(&wal) {
        let source = Source::Immutable { path: path.to_owned(), before: fingerprint(path)? };
        return Ok((immutable(path)?, source));
    }
    let directory = std::env::temp_dir().join(format!("htalk-{}", uuid::Uuid::new_v4()));
    private_directory(&directory)?;
    progress().scratch.push(directory.clone());
    let source = Source::Copy(directory.clone());
    let target = directory.join("mail.sqlite3");
    for _ in 0..TRIES {
        let before = (fingerprint(path)?, fingerprint(&wal).ok());
        fs::copy(path, &target)?;
        match fs::copy(&wal, side_file(&target, "-wal")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        if before == (fingerprint(path)?, fingerprint(&wal).ok()) {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            return Ok((Connection::open_with_flags(&target, flags)?, source));
        }
    }
    Err(Error::new("database_busy").with_detail("the mailbox changed while it was copied"))
}

/// Whether there is a `-wal` with anything in it; where there was no room for it, it is empty.
fn holds_commits(wal: &Path) -> bool {
    fs::metadata(wal).is_ok_and(|facts| facts.size() > 0)
}

fn immutable(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri, flags)?)
}

/// Inode, size in bytes, and time of the last change.
type Fingerprint = (u64, u64, i64, i64);

fn fingerprint(path: &Path) -> Result<Fingerprint> {
    let facts = fs::metadata(path)?;
    Ok((facts.ino(), facts.size(), facts.mtime(), facts.mtime_nsec()))
}
