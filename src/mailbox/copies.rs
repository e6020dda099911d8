//! Whole copies of a mailbox, through SQLite's backup API.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use uuid::Uuid;

use super::BUSY_LIMIT;
use super::leftovers::{self, Scratch};
use super::path::side_file;
use super::private::private_directory;
use crate::error::{Error, Result};
use crate::platform::cleanup::{Begun, Scope};
use crate::sql;

/// The end of the names of copies that are being made.
pub const PARTIAL: &str = ".partial";

/// How long a writer that holds the mailbox is left alone between two tries.
const PAUSE: Duration = Duration::from_millis(3);

/// A backup that can't be made, and why.
pub fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::new("database_backup_failed").with_detail(error)
}

/// Copies all pages of an open file into an empty one, which is complete by itself, whatever the journal of the
/// original.
pub fn copy(source: &Connection, target: &Path) -> Result<()> {
    let mut copy = examined(target)?;
    let transfer = Backup::new(source, &mut copy)?;
    step(&transfer, -1, Instant::now() + BUSY_LIMIT)?;
    drop(transfer);
    copy.close().map_err(|(_, error)| error)?;
    // The first page of a mailbox with a write-ahead log says so (its bytes 18 and 19 are 2). SQLite could change that
    // only where it can read the schema.
    let file = File::options().read(true).write(true).open(target)?;
    file.write_all_at(&[1, 1], 18)?;
    // All copies would have the same change counter, by which a log knows its file. It stands there twice.
    let counter = Uuid::new_v4().as_u128() as u32 >> 2 | 0x1000_0000;
    for at in [24, 92] {
        file.write_all_at(&counter.to_be_bytes(), at)?;
    }
    Ok(())
}

/// Opens a copy that nobody else has. Nothing comes to lie beside it, not even where it says that it has a write-ahead
/// log; whoever keeps it syncs it as a whole.
pub fn examined(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update_and_check(None, "journal_mode", "memory", |_| Ok(()))?;
    Ok(connection)
}

/// Takes a step of a transfer, waiting for whoever holds one of the files.
pub fn step(transfer: &Backup, pages: i32, deadline: Instant) -> Result<StepResult> {
    loop {
        match transfer.step(pages)? {
            StepResult::Busy | StepResult::Locked if Instant::now() < deadline => std::thread::sleep(PAUSE),
            StepResult::Busy | StepResult::Locked => return Err(Error::new("database_busy")),
            done => return Ok(done),
        }
    }
}

/// What an integrity check finds.
pub fn damage(connection: &Connection) -> Option<String> {
    match connection.pragma_query_value(None, "integrity_check", |row| row.get::<_, String>(0)) {
        Ok(words) if words == "ok" => None,
        Ok(words) => Some(words),
        Err(error) => Some(error.to_string()),
    }
}

/// How many messages a copy holds.
pub fn count(connection: &Connection) -> Result<i64> {
    Ok(connection.query_row(sql::MESSAGE_COUNT.0, [], |row| row.get(0))?)
}

/// Does work on a copy in one transaction.
pub fn within<T>(connection: &Connection, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let done = work()?;
    transaction.commit()?;
    Ok(done)
}

/// Makes the directory of the backups of a mailbox, if it is not there.
pub fn backups(mailbox: &Path) -> io::Result<PathBuf> {
    let directory = side_file(mailbox, ".backups");
    match private_directory(&directory) {
        Err(error) if !directory.is_dir() => Err(error),
        _ => Ok(directory),
    }
}

/// A file in which something is prepared; removed when the call is cancelled.
pub fn partial(path: &Path, scope: &Scope) -> Result<(Scratch, Begun)> {
    let made = scope.begin(|| {
        let undo = path.to_owned();
        Ok((Scratch::make(path)?, move || leftovers::remove(&undo)))
    });
    made.map_err(|error| failed(&format!("{}: {error}", path.display())))
}
