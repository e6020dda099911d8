//! The mailbox file: open, upgrade, transaction, rows to JSON. Nothing else knows rusqlite, and this knows no verb.

mod backup;
pub mod bell;
mod connected;
mod connections;
mod copies;
mod file_times;
mod leftovers;
mod log;
pub mod memory;
mod open;
pub mod other_database;
pub mod path;
mod place;
mod private;
mod readonly;
pub mod restore;
mod row;
mod turn;
mod upgrade;

use std::cell::{Cell, Ref, RefCell};
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
use file_times::SideFiles;
use turn::Turn;

use crate::environment::Environment;
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

/// A connection, and the files that it has open.
struct Link {
    connection: Connection,
    /// What is read in place of a file that can't be opened the ordinary way.
    source: Option<readonly::Source>,
    /// What lay beside the mailbox when it was opened.
    beside: SideFiles,
    /// False where it was closed and could not be opened anew yet.
    is_open: bool,
}

/// Of which line of states the present one of a mailbox is: as long as it is the same, messages are only added.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    renewed: u64,
    /// SQLite counts it up with every restore in place too.
    schema: i64,
}

/// The named parameters of a statement.
pub type Args<'a> = &'a [(&'a str, Arg<'a>)];

/// An open mailbox: one connection, which a call opens once.
pub struct Db {
    link: RefCell<Link>,
    path: PathBuf,
    environment: Environment,
    /// How long another writer is waited for.
    patience: Duration,
    /// Whether a lock of another process is answered at once by what only reads.
    is_impatient: Cell<bool>,
    /// How often the connection was made anew.
    renewed: Cell<u64>,
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
        let link = Link { connection, source: None, beside: SideFiles::default(), is_open: true };
        Ok(Db::new(link, Path::new(""), &Environment::of_process(), None))
    }

    fn new(link: Link, path: &Path, environment: &Environment, connected: Option<Connected>) -> Db {
        Db {
            link: RefCell::new(link),
            path: path.to_owned(),
            environment: environment.clone(),
            patience: BUSY_LIMIT,
            is_impatient: Cell::new(false),
            renewed: Cell::new(0),
            scope: Scope::default(),
            connected,
        }
    }

    fn connection(&self) -> Ref<'_, Connection> {
        Ref::map(self.link.borrow(), |link| &link.connection)
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
        let connection = self.connection();
        let mut prepared = connection.prepare_cached(statement.0)?;
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
        self.require_open()?;
        let link = self.link.borrow();
        let transaction = Transaction::new_unchecked(&link.connection, TransactionBehavior::Deferred)?;
        let result = work(self);
        // What was read while it was replaced says nothing, not even that it is damaged.
        link.source.as_ref().map_or(Ok(()), readonly::Source::verify)?;
        let result = result?;
        transaction.commit()?;
        Ok(result)
    }

    /// Runs `work` in one transaction that holds the write lock from its start, and commits it durably; an error of
    /// `work` undoes everything. Waits up to [`BUSY_LIMIT`] for another writer, then `database_busy`.
    pub fn write<T>(&self, work: impl FnOnce(&Db) -> Result<T>) -> Result<T> {
        self.require_open()?;
        let connection = self.connection();
        let transaction = self.begin(&connection)?;
        let result = work(self)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Runs `work` as [`Db::write`] does and takes everything back: what do the rules say to it?
    pub fn rehearse<T>(&self, work: impl FnOnce(&Db) -> Result<T>) -> Result<T> {
        self.require_open()?;
        let connection = self.connection();
        let transaction = self.begin(&connection)?;
        let result = work(self);
        transaction.rollback()?;
        result
    }

    /// Whether the mailbox has the ledger of handoffs, without which no statement about handoffs can be prepared.
    pub fn has_handoffs(&self) -> Result<bool> {
        upgrade::has_ledger(&self.connection())
    }

    /// Adds the ledger of handoffs to the mailbox; does nothing where it is. To be called inside [`Db::write`].
    pub fn add_handoffs(&self) -> Result<()> {
        upgrade::add_ledger(&self.connection())
    }

    /// Copies a write-ahead log that has grown long into the mailbox, so that the next commit begins it anew.
    ///
    /// The first process to open a mailbox reads the whole log. SQLite's own checkpoints come after a commit, and what
    /// they have copied is forgotten when the last process leaves: a log that only short processes use would never
    /// begin anew. (Emptying the file costs more: a log that is written over is synced faster than one that grows.)
    ///
    /// Answers whether the next commit begins a log.
    fn shorten_log(connection: &Connection) -> bool {
        // How long the log is, and how much of it is in the mailbox; both -1 without a log.
        let look = |how| {
            let mut seen = (-1_i64, -1_i64);
            connection.pragma(None, "wal_checkpoint", how, |row| {
                seen = (row.get(1)?, row.get(2)?);
                Ok(())
            })?;
            Ok::<_, rusqlite::Error>(seen)
        };
        let mut seen = look("noop");
        // Whatever goes wrong here, the next write tries again.
        if seen.as_ref().is_ok_and(|(length, _)| *length > LOG_LIMIT) {
            seen = look("passive");
        }
        seen.is_ok_and(|(length, copied)| length >= 0 && length == copied)
    }

    /// Whether somebody may have committed since the last look; `last` is what the look saw, and is renewed. Where the
    /// files beside the mailbox were replaced, or what is read is of one moment, the mailbox is opened anew.
    ///
    /// # Errors
    /// `database_not_found` and `database_unavailable`, when the mailbox was deleted, moved or replaced since it was
    /// opened: nobody else writes to it then. `mailbox_has_another_name`, when others may write beside it. What can
    /// come of opening it; `database_busy` passes.
    pub fn may_have_changed(&self, last: &mut Look) -> Result<bool> {
        let now = Look::at(&self.path).ok_or_else(|| self.gone())?;
        if Some(now.identity) != self.identity() {
            let words = "the mailbox was replaced while it was open";
            return Err(Error::new("database_unavailable").with_detail(words));
        }
        if now.is_linked {
            place::require_one_way(&self.path)?;
        }
        let has_changed = now != *last || now.is_fresh();
        let is_outdated = {
            let link = self.link.borrow();
            !link.is_open || link.beside != now.beside || link.source.is_some() && has_changed
        };
        if is_outdated {
            self.renew()?;
        }
        *last = now;
        Ok(has_changed || is_outdated)
    }

    /// Opens the mailbox anew. The old connection goes first: within a process SQLite gives all connections to a file
    /// the same `-shm`, be it deleted.
    fn renew(&self) -> Result<()> {
        let inside = |_| Error::new("database_unavailable").with_detail("the mailbox is opened anew while it is used");
        let mut link = self.link.try_borrow_mut().map_err(inside)?;
        link.is_open = false;
        link.connection = Connection::open_in_memory()?;
        *link = open::link(&self.path, Access::Read, &self.environment, None)?;
        self.renewed.set(self.renewed.get() + 1);
        let patience = if self.is_impatient.get() { Duration::ZERO } else { self.patience };
        Ok(link.connection.busy_timeout(patience)?)
    }

    fn require_open(&self) -> Result<()> {
        let is_open = self.link.borrow().is_open;
        if is_open { Ok(()) } else { self.renew() }
    }

    /// Of which line of states the present one is. Where it is another one than before, messages may have gone, and
    /// numbers may have been given anew.
    pub fn lineage(&self) -> Result<Lineage> {
        let schema = self.connection().pragma_query_value(None, "schema_version", |row| row.get(0))?;
        Ok(Lineage { renewed: self.renewed.get(), schema })
    }

    /// From now on a lock of another process is answered at once and not waited for; for loops that come back anyway.
    pub fn stop_waiting_for_locks(&self) -> Result<()> {
        self.is_impatient.set(true);
        Ok(self.connection().busy_timeout(Duration::ZERO)?)
    }

    fn begin<'a>(&self, connection: &'a Connection) -> Result<Transaction<'a>> {
        let deadline = Instant::now() + self.patience;
        let start = || Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(Error::from);
        self.require_side_files()?;
        connection.busy_timeout(Duration::ZERO)?;
        let begins_log = Db::shorten_log(connection);
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
        connection.busy_timeout(self.patience)?;
        let begun = begun?;
        self.require_side_files()?;
        if begins_log {
            // Nothing but a change of the first page, by which the log is known as that of this file.
            connection.pragma_update(None, "user_version", upgrade::CURRENT)?;
        }
        Ok(begun)
    }

    /// The error of a mailbox that was deleted or moved while it was open.
    fn gone(&self) -> Error {
        Error::new("database_not_found").with_fact("resolved_path", self.path.to_string_lossy())
    }

    /// Refuses to write into side files that nobody else has any more: what is written there is lost.
    fn require_side_files(&self) -> Result<()> {
        if self.connected.is_some() && self.link.borrow().beside.have_gone(SideFiles::of(&self.path)) {
            if !self.path.exists() {
                return Err(self.gone());
            }
            let words = "the -wal or -shm of the mailbox was removed or replaced while it was open";
            return Err(Error::new("database_unavailable").with_detail(words));
        }
        Ok(())
    }

    /// Waits for locks again, as after opening.
    fn reset(&self) -> Result<()> {
        self.is_impatient.set(false);
        Ok(self.connection().busy_timeout(self.patience)?)
    }
}

/// Nobody gives a parameter of a statement: a mistake of this program.
fn missing_parameter(name: Option<&str>) -> Error {
    Error::new("invalid_database_schema").with_detail(format!("a statement misses its parameter {name:?}"))
}
