//! Another program's SQLite file, read and never changed.
//!
//! One statement, bounded in time, rows and bytes. The file has to be a regular file of the same user. No side file is
//! left behind where the owner has closed its database: it is then read as immutable and checked afterwards.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value};

use super::path::{side_file, uri};

/// Why a foreign file gave no rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There is no such file.
    Missing,
    /// It lacks a table or a column that the statement needs: an unknown layout. SQLite's words.
    Layout(String),
    /// It is not a regular file of this user, not readable, not a database, locked for too long, or a limit was hit.
    Unreadable(String),
}

/// What one read may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time for everything, locks included.
    pub time: Duration,
    /// Rows; further ones are left out in silence, so ask for one more than you want.
    pub rows: usize,
    /// Bytes of text in all rows together; beyond them the read fails.
    pub bytes: usize,
}

/// Runs one statement with text parameters on the file and returns its rows, columns in the statement's order.
/// BLOBs come back as null, invalid UTF-8 as U+FFFD.
///
/// # Errors
/// See [`Failure`].
pub fn rows(path: &Path, sql: &str, parameters: &[&str], limits: Limits) -> Result<Vec<Map<String, Value>>, Failure> {
    let until = Instant::now() + limits.time;
    let before = inspect(path)?;
    // A closed WAL database has no side files, and a plain read-only connection would make them.
    if !side_file(path, "-wal").exists() && !side_file(path, "-journal").exists() {
        let found = read(path, "immutable=1", sql, parameters, limits, until);
        let after = inspect(path)?;
        if !side_file(path, "-wal").exists() && stamp(&before) == stamp(&after) {
            return found;
        }
    }
    read(path, "mode=ro", sql, parameters, limits, until)
}

fn inspect(path: &Path) -> Result<Metadata, Failure> {
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Failure::Missing,
        _ => Failure::Unreadable(error.to_string()),
    })?;
    if !found.is_file() {
        return Err(Failure::Unreadable("not a regular file".into()));
    }
    if found.uid() != nix::unistd::geteuid().as_raw() {
        return Err(Failure::Unreadable(format!("owned by user {}", found.uid())));
    }
    Ok(found)
}

fn stamp(found: &Metadata) -> (u64, u64, i64, i64) {
    (found.ino(), found.size(), found.mtime(), found.mtime_nsec())
}

fn read(
    path: &Path,
    mode: &str,
    sql: &str,
    parameters: &[&str],
    limits: Limits,
    until: Instant,
) -> Result<Vec<Map<String, Value>>, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut file = Connection::open_with_flags(uri(path, mode), flags).map_err(failure)?;
    file.busy_timeout(limits.time / 2).map_err(failure)?;
    file.progress_handler(10_000, Some(move || Instant::now() > until)).map_err(failure)?;
    let mut statement = file.prepare(sql).map_err(failure)?;
    let names: Vec<String> = statement.column_names().map(String::from).collect();
    let mut found = statement.query(rusqlite::params_from_iter(parameters)).map_err(failure)?;
    let mut rows = Vec::new();
    let mut left = limits.bytes;
    while rows.len() < limits.rows {
        let Some(row) = found.next().map_err(failure)? else { break };
        rows.push(object(row, &names, &mut left)?);
    }
    Ok(rows)
}

fn object(row: &Row, names: &[String], left: &mut usize) -> Result<Map<String, Value>, Failure> {
    let mut object = Map::new();
    for (at, name) in names.iter().enumerate() {
        let value = match row.get_ref(at).map_err(failure)? {
            ValueRef::Null | ValueRef::Blob(_) => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) => {
                *left = left.checked_sub(text.len()).ok_or_else(|| Failure::Unreadable("too many bytes".into()))?;
                String::from_utf8_lossy(text).into_owned().into()
            }
        };
        object.insert(name.clone(), value);
    }
    Ok(object)
}

/// A `file:` URI, every byte that is not plain written as `%XX`.
fn failure(error: rusqlite::Error) -> Failure {
    let words = match &error {
        rusqlite::Error::SqliteFailure(_, Some(words)) => words.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    if words.starts_with("no such column") || words.starts_with("no such table") {
        Failure::Layout(words)
    } else {
        Failure::Unreadable(words)
    }
}
