//! The mailbox file: open, upgrade, transaction, rows to JSON. Nothing else knows rusqlite, and this knows no verb.

pub mod bell;
mod connected;
mod connections;
mod file_times;
pub mod memory;
mod open;
pub mod other_database;
pub mod path;
mod private;
mod readonly;
mod row;
mod turn;
mod upgrade;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, Transaction, TransactionBehavior};

pub use connections::Connections;
pub use file_times::Look;
pub use open::{Access, reopen};
pub use private::{exposure, private_directory, require_private};
pub use row::Row;

use connected::{Connected, Identity};
use turn::Turn;

use crate::error::{Error, Result};
use crate::platform::cleanup::Scope;
use crate::sql::Statement;

/// How long a command waits for another writer before it answers `database_busy`.
pub const BUSY_LIMIT: Duration = Duration::from_secs(10);

/// The longest write-ahead log that a commit is added to, in pages.
const LOG_LIMIT: i64 = 100;

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

/// An open mailbox: one connection, which a call opens once.
pub struct Db {
    connection: Connection,
    path: PathBuf,
    /// How long another writer is waited for.
    patience: Duration,
    /// What is read in place of a file that can't be opened the ordinary way.
    source: Option<readonly::Source>,
    /// The call that uses it: once that is cancelled, nothing is waited for.
    scope: Scope,
    /// Dropped behind the connection; none in memory.
    connected: Option<Connected>,
}

impl Db {
    /// An empty mailbox in memory, with the same schema: its rules can be asked before there is a file. With the ledger
    /// of handoffs it takes nearly twice the time to make.
    pub fn rehearsal(has_ledger: bool) -> Result<Db> {
        let connection = Connection::open_in_memory()?;
        upgrade::build(&connection, has_ledger)?;
        let (path, scope) = (PathBuf::new(), Scope::default());
        Ok(Db { connection, path, patience: BUSY_LIMIT, source: None, scope, connected: None })
    }

    /// The resolved path of the mailbox.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Device and inode of the file; none in memory.
    fn identity(&self) -> Option<Identity> {
        self.connected.as_ref().map(Connected::identity)
    }

    /// Runs a statement and gives its rows to `each` until that answers false.
    pub fn each(&self, statement: Statement, args: Args, mut each: impl FnMut(Row) -> Result<bool>) -> Result<()> {
        let mut prepared = self.connection.prepare_cached(statement.0)?;
        for index in 1..=prepared.parameter_count() {
            // A parameter that nobody gives would be NULL in silence. Several statements can share arguments, so that
            // one which a statement does not take is none too many.
            let wanted = prepared.parameter_name(index);
            let given = args.iter().find(|(name, _)| Some(*name) == wanted).map(|(_, value)| value);
            let value = given.ok_or_else(|| missing_parameter(wanted))?;
            prepared.raw_bind_parameter(index, value)?;
        }
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            if !each(Row::read(row)?)? {
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
        if Some(now.identity) != self.identity() {
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
            let mut turn = Turn::join(&self.path);
            loop {
                turn = turn.pause();
                match start() {
                    Err(error) if error.is("database_busy") && Instant::now() < deadline && !self.scope.has_ended() => {
                    }
                    other => return other,
                }
            }
        });
        self.connection.busy_timeout(self.patience)?;
        begun
    }

    /// Waits for locks again, as after opening.
    fn reset(&self) -> Result<()> {
        Ok(self.connection.busy_timeout(self.patience)?)
    }
}

/// Nobody gives a parameter of a statement: a mistake of this program.
fn missing_parameter(name: Option<&str>) -> Error {
    Error::new("invalid_database_schema").with_detail(format!("a statement misses its parameter {name:?}"))
}
