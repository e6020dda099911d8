//! Putting a backup back: in place, under others who have the mailbox open, and into a damaged file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use uuid::Uuid;

use super::copies::{self, PARTIAL, copy, count, damage, examined, failed, step};
use super::file_times::Look;
use super::leftovers::{self, Scratch};
use super::open::{self, Header};
use super::path::side_file;
use super::upgrade::{self, Found};
use super::{BUSY_LIMIT, connected, place, readonly};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::platform::cleanup::Scope;
use crate::platform::locks;
use crate::sql;

/// The bytes of a file on which SQLite takes its locks.
const LOCK_BYTES: (i64, i64) = (0x4000_0000, 512);

/// What was put back.
#[derive(Debug)]
pub struct Restored {
    /// How many messages the mailbox holds now.
    pub messages: i64,
    /// The copy of what was there; none where there was nothing.
    pub kept: Option<PathBuf>,
    /// Whether that copy is whole.
    pub is_kept_sound: bool,
    /// Whether the mailbox has handoffs, whose proofs may be of a later time.
    pub has_ledger: bool,
}

/// Puts the content of a copy in the place of that of the mailbox, or makes a mailbox of it where there is none. What
/// was there is kept in a copy of its own. Whoever has the mailbox open goes on with the new content.
///
/// # Errors
/// `backup_is_unusable`, `not_a_mailbox`, `mailbox_not_writable`, `database_backup_failed` and those of opening a
/// mailbox; in all of them nothing was put back.
pub fn restore(path: &Path, from: &Path, environment: &Environment, scope: &Scope) -> Result<Restored> {
    place::require_one_way(path)?;
    let unusable = |words: &dyn std::fmt::Display| {
        Error::new("backup_is_unusable").with_detail(format!("{}: {words}", from.display()))
    };
    let source = connected::identity(from).map_err(|error| unusable(&error))?;
    if connected::identity(path).is_ok_and(|identity| identity == source) {
        return Err(unusable(&"this is the mailbox itself"));
    }
    let found = There::look(path)?;
    if found != There::Nothing && !open::is_writable(path) {
        return Err(open::not_writable(path, environment));
    }
    if found == There::Database && open::Header::read(path).is_ok_and(|header| header.is_wal()) {
        place::require_shared_memory(path)?;
    }
    let directory = side_file(path, ".backups");
    open::make_directories(&directory).map_err(|error| failed(&format!("{}: {error}", directory.display())))?;
    leftovers::clear(&directory, |name| name.ends_with(PARTIAL));
    let (staged, begun) = copies::partial(&partial_in(&directory, "restore"), scope)?;
    let facts = stage(from, staged.path()).map_err(|error| {
        let words = error.detail.map_or(error.code.clone(), |detail| format!("{}: {detail}", error.code));
        unusable(&words.replace(&*staged.path().to_string_lossy(), &from.to_string_lossy()))
    })?;
    let kept_as = directory.join(format!("before-restore-{}.sqlite3", Uuid::new_v4()));
    let in_place = match found {
        There::Database => put_in_place(path, staged.path(), &kept_as, scope),
        There::Empty => fill(path, staged.path()),
        There::Nothing | There::Unreadable => Ok(None),
    };
    let kept = match in_place {
        Ok(Some(kept)) => kept,
        // Nothing that SQLite can read and change is there.
        Ok(None) => replace(path, &staged, &kept_as)?,
        Err(error) => return Err(error),
    };
    drop(staged);
    begun.strike_off();
    Ok(Restored {
        messages: facts.messages,
        kept: kept.is_there.then_some(kept_as),
        is_kept_sound: kept.is_sound,
        has_ledger: facts.has_ledger,
    })
}

/// What is in the place of the mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum There {
    Nothing,
    /// A file without content.
    Empty,
    /// A file that begins as SQLite's do.
    Database,
    /// A file with another beginning.
    Unreadable,
}

impl There {
    fn look(path: &Path) -> Result<There> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
            Err(error) => return Err(Error::new("database_unavailable").with_detail(error)),
            Ok(found) if !found.is_file() => return Err(open::foreign(path)),
            Ok(found) if found.len() == 0 => return Ok(There::Empty),
            Ok(_) => {}
        }
        let (_connected, header) = connected::enter::<_, Error>(path, || Ok(Header::read(path)?))?;
        match header {
            Some(header) if !header.is_database() => Ok(There::Unreadable),
            Some(header) if header.is_foreign() => Err(open::foreign(path)),
            _ => Ok(There::Database),
        }
    }
}

/// What is known of a copy.
struct Facts {
    messages: i64,
    has_ledger: bool,
}

/// Copies a copy, brings what it holds to the present schema, and examines it. The original is only read.
fn stage(from: &Path, target: &Path) -> Result<Facts> {
    if !fs::metadata(from)?.is_file() {
        return Err(Error::new("not_a_mailbox").with_detail("not a regular file"));
    }
    let header = Header::read(from)?;
    if !header.is_database() || header.is_foreign() {
        return Err(Error::new("not_a_mailbox"));
    }
    if fs::metadata(side_file(from, "-journal")).is_ok_and(|found| found.len() > 0) {
        return Err(Error::new("database_unavailable").with_detail("a change of it is half done (its -journal)"));
    }
    let (source, moment) = readonly::open(from)?;
    let copied = copy(&source, target);
    moment.verify()?;
    copied?;
    drop(source);
    let connection = examined(target)?;
    if let Some(damage) = damage(&connection) {
        return Err(Error::new("database_integrity_check_failed").with_detail(damage));
    }
    match upgrade::look(&connection)? {
        Found::Empty => return Err(Error::new("not_a_mailbox")),
        Found::Current => upgrade::check(&connection)?,
        Found::Old(old) => upgrade::bring_up(&connection, old)?,
    }
    Ok(Facts { messages: count(&connection)?, has_ledger: upgrade::has_ledger(&connection)? })
}

/// What became of the former content.
struct Kept {
    is_there: bool,
    is_sound: bool,
}

/// Opens the mailbox whatever it holds.
fn as_it_is(path: &Path) -> Result<Connection> {
    let connection = open::connect(path, true)?;
    connection.busy_timeout(Duration::ZERO)?;
    // A file that was cut short can only be used then.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    // This reads the schema, which may be damaged; then it is FULL.
    let _ = connection.pragma_update(None, "synchronous", "extra");
    Ok(connection)
}

/// Puts a prepared copy into an empty file.
fn fill(path: &Path, staged: &Path) -> Result<Option<Kept>> {
    let (_connected, _) = connected::enter::<_, Error>(path, || Ok(()))?;
    let mut mailbox = as_it_is(path)?;
    let source = examined(staged)?;
    let transfer = Backup::new(&source, &mut mailbox)?;
    step(&transfer, -1, Instant::now() + BUSY_LIMIT)?;
    Ok(Some(Kept { is_there: false, is_sound: false }))
}

/// Keeps what the mailbox holds, and puts a prepared copy into it, in one transaction. None where SQLite can't.
fn put_in_place(path: &Path, staged: &Path, kept_as: &Path, scope: &Scope) -> Result<Option<Kept>> {
    let (_connected, _) = connected::enter::<_, Error>(path, || Ok(()))?;
    let reader = as_it_is(path)?;
    reader.busy_timeout(BUSY_LIMIT)?;
    match upgrade::look(&reader) {
        Err(error) if error.is("database_corrupt") => {}
        Err(error) if error.is("invalid_database_schema") => {}
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let mut mailbox = as_it_is(path)?;
    let source = examined(staged)?;
    if let (Ok(theirs), Ok(ours)) = (page_size(&mailbox), page_size(&source))
        && theirs != ours
    {
        source.pragma_update(None, "page_size", theirs)?;
        source.execute_batch(sql::COPY_REWRITE.0)?;
    }
    let deadline = Instant::now() + BUSY_LIMIT;
    let directory = kept_as.parent().unwrap_or(Path::new("/"));
    loop {
        let before = (Look::at(path), version(&reader));
        let (kept, begun) = copies::partial(&partial_in(directory, "before-restore"), scope)?;
        match copy(&reader, kept.path()) {
            Err(error) if error.is("database_corrupt") => return Ok(None),
            other => other.map_err(|error| if error.is("database_busy") { error } else { failed(&error.code) })?,
        }
        let is_whole = |copy: Connection| {
            let is_mailbox = matches!(upgrade::look(&copy), Ok(Found::Current | Found::Old(_)));
            is_mailbox && damage(&copy).is_none() && count(&copy).is_ok()
        };
        let is_sound = examined(kept.path()).is_ok_and(is_whole);
        let transfer = match Backup::new(&source, &mut mailbox) {
            Err(error) if is_damage(&error) => return Ok(None),
            other => other?,
        };
        // The first step takes the write lock. What was written before it and behind the copy would be kept nowhere.
        match step(&transfer, 0, deadline) {
            Err(error) if error.is("database_corrupt") => return Ok(None),
            other => other?,
        };
        if (Look::at(path), version(&reader)) != before && Instant::now() < deadline {
            continue;
        }
        kept.keep_as(kept_as).map_err(|error| failed(&format!("{}: {error}", kept_as.display())))?;
        begun.strike_off();
        step(&transfer, -1, deadline)?;
        drop(transfer);
        // The log holds the whole mailbox now; what can't be copied yet stays there.
        let _ = mailbox.pragma(None, "wal_checkpoint", "passive", |_| Ok(()));
        return Ok(Some(Kept { is_there: true, is_sound }));
    }
}

fn page_size(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "page_size", |row| row.get(0))
}

/// Changes with every commit of others; none where they let nobody read.
fn version(reader: &Connection) -> Option<i64> {
    reader.pragma_query_value(None, "data_version", |row| row.get(0)).ok()
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Puts a prepared copy in the place of a file that SQLite can't read, if there is one: byte by byte it is kept.
fn replace(path: &Path, staged: &Scratch, kept_as: &Path) -> Result<Kept> {
    let is_there = path.exists();
    if is_there {
        let is_open = || {
            let file = File::open(path)?;
            locks::is_locked(&file, LOCK_BYTES.0, LOCK_BYTES.1)
        };
        let (_connected, is_open) = connected::enter::<_, Error>(path, || Ok(is_open()?))?;
        if is_open.unwrap_or(true) {
            let words = "the mailbox can't be read, and somebody has it open: end every watch and wait, and repeat";
            return Err(Error::new("database_busy").with_detail(words));
        }
        let copy = Scratch::make(&side_file(kept_as, PARTIAL))?;
        fs::write(copy.path(), fs::read(path)?)?;
        copy.keep_as(kept_as)?;
    }
    let _ = fs::remove_file(side_file(path, "-shm"));
    for ending in ["-journal", "-wal"] {
        let (from, to) = (side_file(path, ending), side_file(kept_as, ending));
        match fs::rename(from, to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    if is_there {
        staged.put_over(path)?
    } else {
        staged.keep_as(path)?
    }
    Ok(Kept { is_there, is_sound: false })
}

/// The name of a file that is prepared in a directory.
fn partial_in(directory: &Path, what: &str) -> PathBuf {
    directory.join(format!("{what}-{}{PARTIAL}", Uuid::new_v4()))
}
