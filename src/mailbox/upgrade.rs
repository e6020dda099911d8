//! Making a mailbox, and bringing an older one to the present schema: a verified backup, then one atomic change.

use std::fs;
use std::path::{Path, PathBuf};

use include_dir::Dir;
use refinery_core::traits::sync::{Query, Transaction};
use refinery_core::{Migrate, Migration, Runner, Target};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::copies;
use super::leftovers::{self, Scratch};
use super::path::side_file;
use crate::error::{Error, Result};
use crate::sql::{self, Statement};

/// The schema number of this release, which is the number of the last migration.
pub const CURRENT: i64 = 28;

/// The schema number of the first migration of htalk. The numbers between harness-talk's and this one were written by
/// development versions only; such a mailbox is left as it is.
const FIRST: i64 = 23;

/// The `application_id` of a mailbox: "htlk".
pub const APPLICATION: u32 = 0x6874_6C6B;

/// Where refinery records which parts of the ledger of handoffs a mailbox has.
const LEDGER_HISTORY: &str = "handoff_schema_history";

/// The schema number of the last layout of harness-talk.
const HARNESS_TALK: i64 = 3;

/// What a file is that this release can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing at all.
    Empty,
    /// A mailbox of this release.
    Current,
    /// A mailbox of an earlier release, with its schema number.
    Old(i64),
}

/// Looks at what a file is, in one read transaction, and changes nothing.
///
/// # Errors
/// `unsupported_database_version`, `mailbox_lacks_its_marks` and `not_a_mailbox`
pub fn look(connection: &Connection) -> Result<Found> {
    // A current mailbox stays one.
    if stamp(connection)? == (i64::from(APPLICATION), CURRENT) {
        return Ok(Found::Current);
    }
    // Between two looks another process could have made a mailbox of an empty file.
    let start = || rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Deferred);
    let _moment = connection.is_autocommit().then(start).transpose()?;
    let (application, version) = stamp(connection)?;
    let ours = application == i64::from(APPLICATION);
    if ours && version == CURRENT {
        return Ok(Found::Current);
    }
    let tables = texts(connection, sql::LEGACY_TABLES)?;
    if version == 0 && tables.is_empty() {
        return Ok(Found::Empty);
    }
    // Where the two marks are missing or wrong, only the whole schema tells.
    if [0, CURRENT].contains(&version) && (ours || application == 0) && has_our_schema(connection)? {
        let path = connection.path().unwrap_or_default().replace('\'', r"'\''");
        let marks =
            sql::MARKS.replace("{application}", &APPLICATION.to_string()).replace("{version}", &CURRENT.to_string());
        let words =
            format!("this command sets application_id and user_version: sqlite3 '{path}' '{}'", marks.trim_end());
        return Err(Error::new("mailbox_lacks_its_marks").with_detail(words));
    }
    let mail = ["messages", "peers"].iter().all(|name| tables.iter().any(|table| table == name));
    if !mail || !(ours || application == 0) || version < 0 {
        return Err(Error::new("not_a_mailbox"));
    }
    // The first release set the version last; without one, only its exact columns tell its tables from others.
    if version == 0 && !texts(connection, sql::LEGACY_SCHEMA_MISSING)?.is_empty() {
        return Err(Error::new("not_a_mailbox"));
    }
    let writer = match (ours, version) {
        (_, ..=HARNESS_TALK) | (true, FIRST..=CURRENT) => return Ok(Found::Old(version)),
        (true, ..FIRST) => "a development version of htalk before its first release",
        (true, _) => "a newer htalk",
        (false, _) => "a newer harness-talk",
    };
    let program = env!("CARGO_PKG_VERSION");
    let words = format!("the file has schema {version}, written by {writer}; this htalk {program} writes {CURRENT}");
    Err(Error::new("unsupported_database_version").with_detail(words))
}

/// Whether a file has every table, index, trigger and view of a mailbox of this release, word by word.
fn has_our_schema(connection: &Connection) -> Result<bool> {
    let theirs = texts(connection, sql::LEGACY_SCHEMA_LIST)?;
    if theirs.is_empty() {
        return Ok(false);
    }
    let model = Connection::open_in_memory()?;
    build(&model, false)?;
    Ok(texts(&model, sql::LEGACY_SCHEMA_LIST)?.iter().all(|ours| theirs.contains(ours)))
}

/// The `application_id` of a file and its `user_version`.
fn stamp(connection: &Connection) -> Result<(i64, i64)> {
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok((application, version))
}

/// Brings the file to the present schema in one transaction; does nothing if another process did it meanwhile. An empty
/// file becomes a mailbox.
pub fn upgrade(connection: &Connection, path: &Path) -> Result<()> {
    prepare(connection)?;
    connection.pragma_update(None, "synchronous", "extra")?;
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    match look(connection)? {
        Found::Current => {}
        Found::Empty => migrate(connection, None)?,
        Found::Old(old) => {
            let backup = back_up(path, old)?;
            if let Err(error) = renew(connection, old) {
                // The mailbox is what it was, and a copy for each try would fill the disk.
                if transaction.rollback().is_ok() {
                    let _ = fs::remove_file(backup);
                }
                return Err(error);
            }
        }
    }
    transaction.commit()?;
    Ok(connection.pragma_update(None, "legacy_alter_table", "off")?)
}

/// Foreign keys can't be switched off inside a transaction, and the renaming of tables must leave references alone.
fn prepare(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "foreign_keys", "off")?;
    Ok(connection.pragma_update(None, "legacy_alter_table", "on")?)
}

/// Brings an old mailbox, of which there is a backup, to the present schema.
fn renew(connection: &Connection, old: i64) -> Result<()> {
    if old <= HARNESS_TALK {
        complete(connection)?;
        migrate(connection, Some(HARNESS_TALK))?;
    } else {
        migrate(connection, None)?;
    }
    // Migrations that were all run before change nothing: then somebody set the version back by hand.
    if connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? != CURRENT {
        return Err(Error::new("invalid_database_schema").with_detail("its version is older than its migrations"));
    }
    if has_ledger(connection)? {
        add_ledger(connection)?;
    }
    check(connection)
}

/// Whether the mailbox has the ledger of handoffs.
pub fn has_ledger(connection: &Connection) -> Result<bool> {
    Ok(connection.table_exists(None, LEDGER_HISTORY)?)
}

/// Adds what the mailbox lacks of the ledger of handoffs. Inside a transaction, as all migrations.
pub fn add_ledger(connection: &Connection) -> Result<()> {
    let mut runner = Runner::new(&migrations(&sql::HANDOFF)?);
    runner.set_migration_table_name(LEDGER_HISTORY);
    runner.set_grouped(true).run(&mut Inside(connection)).map_err(failed)?;
    Ok(())
}

/// Builds the present schema in an empty database, without the history of its migrations: refinery's checks would take
/// half of the time.
pub fn build(connection: &Connection, has_ledger: bool) -> Result<()> {
    connection.pragma_update(None, "legacy_alter_table", "on")?;
    let number = |file: &include_dir::File| -> Option<u32> {
        file.path().to_str()?.strip_prefix('V')?.split_once("__")?.0.parse().ok()
    };
    for folder in [Some(&sql::MIGRATIONS), has_ledger.then_some(&sql::HANDOFF)].into_iter().flatten() {
        let mut files: Vec<&include_dir::File> = folder.files().collect();
        files.sort_by_key(|file| number(file));
        for file in files {
            connection.execute_batch(file.contents_utf8().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Gives a mailbox of harness-talk the tables and columns of its last layout that it lacks.
fn complete(connection: &Connection) -> Result<()> {
    let missing = texts(connection, sql::LEGACY_SCHEMA_MISSING)?;
    if !missing.is_empty() {
        return Err(Error::new("invalid_database_schema").with_detail(format!("missing: {}", missing.join(", "))));
    }
    for step in texts(connection, sql::LEGACY_STEPS)? {
        let script = match step.as_str() {
            "peers_url" => sql::LEGACY_PEERS_URL,
            "peers_delivery" => sql::LEGACY_PEERS_DELIVERY,
            "messages_wait_returned_at" => sql::LEGACY_MESSAGES_WAIT_RETURNED_AT,
            "waits" => sql::LEGACY_WAITS,
            "retired_peers" => sql::LEGACY_RETIRED_PEERS,
            other => return Err(Error::new("invalid_database_schema").with_detail(format!("unknown step {other}"))),
        };
        connection.execute_batch(script.0)?;
    }
    Ok(())
}

/// Brings a copy that nobody else has to the present schema.
pub fn bring_up(connection: &Connection, old: i64) -> Result<()> {
    prepare(connection)?;
    copies::within(connection, || renew(connection, old))
}

/// Copies the mailbox, whose write lock is held, to `DB.backups/` and verifies the copy. Under its final name a backup
/// is always complete.
fn back_up(path: &Path, old: i64) -> Result<PathBuf> {
    let failed = |error: &dyn std::fmt::Display| Error::new("database_backup_failed").with_detail(error);
    let directory = copies::backups(path).map_err(|error| failed(&error))?;
    // Of an upgrade that was killed.
    leftovers::clear(&directory, |name| name.ends_with(copies::PARTIAL));
    let name = format!("schema-{old}-before-{CURRENT}-{}.sqlite3", uuid::Uuid::new_v4());
    let target = directory.join(name);
    let partial = Scratch::make(&side_file(&target, copies::PARTIAL)).map_err(|error| failed(&error))?;
    // The writing connection's own backup would wait for its own lock for ever.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(path, flags).map_err(|error| failed(&error))?;
    let told = |error: Error| failed(&error.detail.unwrap_or(error.code));
    copies::copy(&source, partial.path()).map_err(told)?;
    let damage = copies::examined(partial.path()).map(|copy| copies::damage(&copy)).map_err(told)?;
    if let Some(damage) = damage {
        return Err(Error::new("database_integrity_check_failed").with_detail(damage));
    }
    partial.keep_as(&target).map_err(|error| failed(&error))?;
    Ok(target)
}

/// Looks for rows that name peers or messages that are not there, before anything is committed.
pub fn check(connection: &Connection) -> Result<()> {
    let mut words = Vec::new();
    connection.pragma_query(None, "foreign_key_check", |row| {
        words.push(format!("{} names a missing row of {}", row.get::<_, String>(0)?, row.get::<_, String>(2)?));
        Ok(())
    })?;
    if words.is_empty() {
        Ok(())
    } else {
        Err(Error::new("database_foreign_key_violation").with_detail(words.join("; ")))
    }
}

/// The migrations in a folder, as refinery knows them.
fn migrations(folder: &Dir) -> Result<Vec<Migration>> {
    folder
        .files()
        .map(|file| {
            let name = file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            Migration::unapplied(name, file.contents_utf8().unwrap_or_default())
        })
        .collect::<std::result::Result<_, _>>()
        .map_err(failed)
}

/// Runs the migrations that are missing. Those up to `done` are recorded as done and not run.
fn migrate(connection: &Connection, done: Option<i64>) -> Result<()> {
    let migrations = migrations(&sql::MIGRATIONS)?;
    if let Some(done) = done {
        let target = Target::FakeVersion(done as _);
        Runner::new(&migrations).set_target(target).run(&mut Inside(connection)).map_err(failed)?;
    }
    Runner::new(&migrations).set_grouped(true).run(&mut Inside(connection)).map_err(failed)?;
    Ok(())
}

/// refinery's own words can quote a whole migration, so only SQLite's are passed on.
fn failed(error: refinery_core::Error) -> Error {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
        if let Some(sqlite) = deeper.downcast_ref::<rusqlite::Error>() {
            let code = match sqlite.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => "database_full",
                Some(ErrorCode::DatabaseCorrupt) => "database_corrupt",
                Some(ErrorCode::SystemIoFailure) => "database_unavailable",
                _ => "invalid_database_schema",
            };
            let words =
                sqlite.sqlite_error().map_or("SQLite refused a migration".to_owned(), |error| error.to_string());
            return Error::new(code).with_detail(words);
        }
    }
    Error::new("invalid_database_schema")
}

/// The first column of a statement's rows.
fn texts(connection: &Connection, statement: Statement) -> Result<Vec<String>> {
    let mut prepared = connection.prepare(statement.0)?;
    let rows = prepared.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A connection that is already inside a transaction. refinery's own begin and commit do nothing on it, so all that an
/// upgrade does commits together.
struct Inside<'a>(&'a Connection);

impl Transaction for Inside<'_> {
    type Error = rusqlite::Error;

    fn execute<'b, T: Iterator<Item = &'b str>>(&mut self, queries: T) -> rusqlite::Result<usize> {
        let mut count = 0;
        for query in queries {
            self.0.execute_batch(query)?;
            count += 1;
        }
        Ok(count)
    }
}

impl Query<Vec<Migration>> for Inside<'_> {
    fn query(&mut self, query: &str) -> rusqlite::Result<Vec<Migration>> {
        let mut prepared = self.0.prepare(query)?;
        let rows = prepared.query_map([], |row| {
            let malformed =
                |index| rusqlite::Error::InvalidColumnType(index, String::new(), rusqlite::types::Type::Text);
            let at =
                time::OffsetDateTime::parse(&row.get::<_, String>(2)?, &time::format_description::well_known::Rfc3339)
                    .map_err(|_| malformed(2))?;
            let checksum = row.get::<_, String>(3)?.parse().map_err(|_| malformed(3))?;
            Ok(Migration::applied(row.get(0)?, row.get(1)?, at, checksum))
        })?;
        rows.collect()
    }
}

impl Migrate for Inside<'_> {}
