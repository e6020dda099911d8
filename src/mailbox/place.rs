//! Where a mailbox lies: what SQLite needs there, and what would make two mailboxes of one.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::leftovers::{self, Scratch};
use super::path::side_file;
use crate::error::{Error, Result};
use crate::platform::mount;

/// What the names of files have in which it is tried what a place can do, behind that of the mailbox.
const TRIAL: &str = "-trial-";

/// Refuses a file to which there is a second way with other side files: SQLite finds the `-wal` by the name of the
/// file, so each side would write a log of its own, and both into one file.
///
/// # Errors
/// `mailbox_has_another_name`
pub fn require_one_way(path: &Path) -> Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.is_file() {
        return Ok(());
    }
    let refuse = |words: String| {
        let detail = format!("{}: {words}", path.display());
        Err(Error::new("mailbox_has_another_name").with_detail(detail))
    };
    match found.nlink() {
        0 | 1 => {}
        links => return refuse(format!("the file has {links} names (hard links)")),
    }
    if mount::is_from_elsewhere(path) {
        return refuse("the file alone is mounted here, without its directory".to_owned());
    }
    Ok(())
}

/// Whether processes can share memory through files beside the mailbox, as a write-ahead log needs. Tried on a database
/// of its own: the mailbox is not touched. For whoever opens the files of a mailbox on a mount whose locks are not
/// those of the mount below takes itself for the only one, and begins the memory of the others anew under their hands.
/// What can't be tried is taken for possible.
pub fn has_shared_memory(mailbox: &Path) -> bool {
    if mailbox.parent().is_some_and(mount::shares_memory) {
        return true;
    }
    if let (Some(directory), Some(name)) = (mailbox.parent(), mailbox.file_name().and_then(|name| name.to_str())) {
        leftovers::clear(directory, |leftover| {
            leftover.strip_prefix(name).is_some_and(|rest| rest.starts_with(TRIAL) && !rest.ends_with("-shm"))
        });
    }
    let Ok(scratch) = Scratch::make(&side_file(mailbox, &format!("{TRIAL}{}", Uuid::new_v4()))) else { return true };
    can_log(scratch.path()).unwrap_or(false)
}

/// Refuses to write a mailbox with a write-ahead log where memory is not shared.
///
/// # Errors
/// `shared_memory_unavailable`
pub fn require_shared_memory(mailbox: &Path) -> Result<()> {
    if has_shared_memory(mailbox) { Ok(()) } else { Err(unshared(mailbox)) }
}

/// The refusal.
pub fn unshared(mailbox: &Path) -> Error {
    let words = "files can't be mapped into shared memory on this mount, and the mailbox has a write-ahead log";
    Error::new("shared_memory_unavailable").with_detail(format!("{}: {words}", mailbox.display()))
}

fn can_log(path: &Path) -> rusqlite::Result<bool> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "synchronous", "off")?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    // The first read maps the memory.
    connection.pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))?;
    Ok(mode == "wal")
}
