//! The mailbox file: open, upgrade, transaction, rows to JSON. Nothing else knows rusqlite, and this knows no verb.

pub mod foreign;
mod look;
mod open;
mod private;
mod queue;
mod readonly;
mod upgrade;

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row as SqlRow, ToSql, Transaction, TransactionBehavior};
use serde_json::{Map, Value};

pub use look::Look;
pub use open::{Access, open, private_directory, reopen, resolve};
pub use private::{exposure, require_private};

use crate::error::{Error, Result};
use crate::sql::{self, Statement};

/// How long a command waits for another writer before it answers `database_busy`.
pub const BUSY_LIMIT: Duration = Duration::from_secs(10);

/// The longest write-ahead log that a commit is added to, in pages.
const LOG_LIMIT: i64 = 100;

/// One row as JSON: the column names are the keys, in their order.
pub type Row = Map<String, Value>;

/// A value bound to a named parameter of a statement.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    /// NULL.
    Null,
    /// An integer; a boolean is 0 or 1.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// Bytes of a body: a text where they are UTF-8, else a BLOB, which the rules refuse in their own order.
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Arg::Text(text)
    }
}

impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Arg::Null, Arg::Text)
    }
}

impl From<i64> for Arg<'_> {
    fn from(number: i64) -> Self {
        Arg::Int(number)
    }
}

impl ToSql for Arg<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Arg::Null => ValueRef::Null,
            Arg::Int(number) => ValueRef::Integer(number),
            Arg::Real(number) => ValueRef::Real(number),
            Arg::Text(text) => ValueRef::Text(text.as_bytes()),
            Arg::Bytes(bytes) if std::str::from_utf8(bytes).is_ok() => ValueRef::Text(bytes),
            Arg::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// The schema number of this release.
pub fn schema_version() -> i64 {
    upgrade::CURRENT
}

/// The named parameters of a statement.
pub type Args<'a> = &'a [(&'a str, Arg<'a>)];

/// An open mailbox: one connection, which a command opens once.
pub struct Db {
    /// Never closed: everything is written when a transaction ends, and the end of the process frees it all at once.
    connection: ManuallyDrop<Connection>,
    path: PathBuf,
    /// Device and inode of the file, where there is one.
    identity: Option<(u64, u64)>,
    /// How long another writer is waited for.
    patience: Duration,
    /// What is read in place of a file that can't be opened the ordinary way.
    source: Option<readonly::Source>,
}

impl Db {
    /// An empty mailbox in memory, with the same schema: its rules can be asked before there is a file.
    pub fn rehearsal() -> Result<Db> {
        let connection = Connection::open_in_memory()?;
        upgrade::build(&connection)?;
        Ok(Db {
            connection: ManuallyDrop::new(connection),
            path: PathBuf::new(),
            identity: None,
            patience: BUSY_LIMIT,
            source: None,
        })
    }

    /// The resolved path of the mailbox.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a statement and gives its rows to `each` until that answers false.
    pub fn each(&self, statement: Statement, args: Args, mut each: impl FnMut(Row) -> Result<bool>) -> Result<()> {
        let mut prepared = self.connection.prepare_cached(statement.0)?;
        for (name, value) in args {
            if let Some(index) = prepared.parameter_index(name)? {
                prepared.raw_bind_parameter(index, value)?;
            }
        }
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            if !each(json(row)?)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs a statement and returns all its rows.
    pub fn rows(&self, statement: Statement, args: Args) -> Result<Vec<Row>> {
        let mut all = Vec::new();
        self.each(statement, args, |row| {
            all.push(row);
            Ok(true)
        })?;
        Ok(all)
    }

    /// Runs a statement to its end and returns its first row.
    pub fn row(&self, statement: Statement, args: Args) -> Result<Option<Row>> {
        Ok(self.rows(statement, args)?.into_iter().next())
    }

    /// Runs `work` in one transaction that sees one state of the mailbox and writes nothing.
    pub fn read<T>(&self, work: impl FnOnce(&Db) -> Result<T>) -> Result<T> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
        let result = work(self)?;
        transaction.commit()?;
        self.source.as_ref().map_or(Ok(()), readonly::Source::verify)?;
        Ok(result)
    }

    /// Runs `work` in one transaction that holds the write lock from its start, and commits it durably; an error of
    /// `work` undoes everything. Waits up to [`BUSY_LIMIT`] for another writer, then `database_busy`.
    pub fn write<T>(&self, work: impl FnOnce(&Db) -> Result<T>) -> Result<T> {
        let transaction = self.begin()?;
        let result = work(self)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Runs `work` as [`Db::write`] does and takes everything back: what do the rules say to it?
    pub fn rehearse<T>(&self, work: impl FnOnce(&Db) -> Result<T>) -> Result<T> {
        let transaction = self.begin()?;
        let result = work(self);
        transaction.rollback()?;
        result
    }

    /// Whether the mailbox has the ledger of handoffs, without which no statement about handoffs can be prepared.
    pub fn has_handoffs(&self) -> Result<bool> {
        upgrade::has_ledger(&self.connection)
    }

    /// Adds the ledger of handoffs to the mailbox; does nothing where it is. To be called inside [`Db::write`].
    pub fn add_handoffs(&self) -> Result<()> {
        upgrade::add_ledger(&self.connection)
    }

    /// Copies a write-ahead log that has grown long into the mailbox, so that the next commit begins it anew.
    ///
    /// The first process to open a mailbox reads the whole log. SQLite's own checkpoints come after a commit, and what
    /// they have copied is forgotten when the last process leaves: a log that only short processes use would never
    /// begin anew. (Emptying the file costs more: a log that is written over is synced faster than one that grows.)
    fn shorten_log(&self) {
        let mut length = 0;
        let look = self.connection.pragma(None, "wal_checkpoint", "noop", |row| {
            length = row.get(1)?;
            Ok(())
        });
        if look.is_ok() && length > LOG_LIMIT {
            // Whatever goes wrong here, the next write tries again.
            let _ = self.connection.pragma(None, "wal_checkpoint", "passive", |_| Ok(()));
        }
    }

    /// Whether somebody may have committed since the last look; `last` is what the look saw, and is renewed.
    ///
    /// # Errors
    /// `database_not_found` and `database_unavailable`, when the mailbox was deleted, moved or replaced since it was
    /// opened: nobody else writes to it then.
    pub fn may_have_changed(&self, last: &mut Look) -> Result<bool> {
        let gone = || Error::new("database_not_found").with_fact("resolved_path", self.path.to_string_lossy());
        let now = Look::at(&self.path).ok_or_else(gone)?;
        if Some(now.identity) != self.identity {
            let words = "the mailbox was replaced while it was open";
            return Err(Error::new("database_unavailable").with_detail(words));
        }
        let has_changed = now != *last || now.is_fresh();
        *last = now;
        Ok(has_changed)
    }

    /// From now on a lock of another process is answered at once and not waited for; for loops that come back anyway.
    pub fn stop_waiting_for_locks(&self) -> Result<()> {
        Ok(self.connection.busy_timeout(Duration::ZERO)?)
    }

    fn begin(&self) -> Result<Transaction<'_>> {
        let deadline = Instant::now() + self.patience;
        let start =
            || Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(Error::from);
        self.connection.busy_timeout(Duration::ZERO)?;
        self.shorten_log();
        let begun = start().or_else(|error| {
            if !error.is("database_busy") {
                return Err(error);
            }
            // SQLite's own back-off lets late comers overtake; so those who found the lock taken line up.
            let _turn = queue::Turn::take(&self.path, deadline);
            loop {
                match start() {
                    Err(error) if error.is("database_busy") && Instant::now() < deadline => {
                        std::thread::sleep(Duration::from_micros(500));
                    }
                    other => return other,
                }
            }
        });
        self.connection.busy_timeout(self.patience)?;
        begun
    }
}

/// What a code means: its row of `error_codes`. The mailbox may be unreadable, so the binary's own text is asked.
pub fn error_row(code: &str) -> Option<Row> {
    // A part after a colon was filled in at run time.
    let code = code.split(':').next().unwrap_or(code);
    Db::rehearsal().ok()?.row(sql::ERROR_GET, &[(":code", code.into())]).ok().flatten()
}

/// A column named `is_…` is a boolean, one named `…_json` is embedded without that ending. A text that is not UTF-8 is
/// shown with U+FFFD, a BLOB likewise.
fn json(row: &SqlRow) -> Result<Row> {
    let statement: &rusqlite::Statement = row.as_ref();
    let mut object = Map::with_capacity(statement.column_count());
    for index in 0..statement.column_count() {
        let mut name = statement.column_name(index)?;
        let is_json = name.ends_with("_json");
        name = name.trim_end_matches("_json");
        let value = match row.get_ref(index)? {
            ValueRef::Null => Value::Null,
            // What is no JSON was written by another program.
            ValueRef::Text(bytes) if is_json => serde_json::from_slice(bytes).unwrap_or_default(),
            ValueRef::Integer(number) if name.starts_with("is_") => Value::Bool(number != 0),
            ValueRef::Integer(number) => Value::from(number),
            ValueRef::Real(number) => Value::from(number),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
        };
        object.insert(name.to_owned(), value);
    }
    Ok(object)
}
