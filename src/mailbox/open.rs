//! Finding, recognising and opening the mailbox file.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::file_times::SideFiles;
use super::path::side_file;
use super::private::private_directory;
use super::upgrade::{self, Found};
use super::{BUSY_LIMIT, Db, Link, connected, log, place, readonly};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::platform::NEEDS_FULL_SYNC;
use crate::platform::cleanup::Scope;
use crate::sql;

/// What a command is about to do with the mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only read; also possible where nothing can be written.
    Read,
    /// Read and write.
    Write,
    /// Read and write, and make a mailbox where there is no file.
    Create,
    /// Read and write, and make a mailbox of an empty file, but none where there is no file.
    CreateInEmpty,
}

/// Opens the mailbox at a resolved path, upgrading it first where an earlier release wrote it.
///
/// # Errors
/// `database_not_found`, `not_a_mailbox`, `unsupported_database_version`, `mailbox_not_writable`,
/// `mailbox_has_another_name`, `shared_memory_unavailable` and the codes of an upgrade; in all of them the file is left
/// as it was.
pub fn open(path: &Path, access: Access, environment: &Environment, scope: &Scope) -> Result<Db> {
    place::require_one_way(path)?;
    let (connected, header) = connected::enter(path, || match Header::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && access == Access::Create => {
            let refuse = || not_writable(path, environment);
            create(path).map_err(|error| if error.is("mailbox_not_writable") { refuse() } else { error })?;
            Ok(Header::default())
        }
        Err(error) => Err(unreadable(path, &error)),
        Ok(header) if header.is_foreign() => Err(foreign(path)),
        Ok(header) => {
            let read = || Ok(Header::read(path)?.bytes);
            if log::is_of_another_file(path, header.bytes, read)? {
                let detail = format!("{} does not belong to {}", side_file(path, "-wal").display(), path.display());
                return Err(Error::new("mailbox_was_overwritten").with_detail(detail));
            }
            Ok(header)
        }
    })?;
    let link = link(path, access, environment, header.as_ref())?;
    let mut db = Db::new(link, path, environment, Some(connected));
    db.scope = scope.clone();
    Ok(db)
}

/// Connects to a file that is known to be SQLite's, and finds out how it can be read or written here. `header` is what
/// it began with; none where the process has it open.
pub(super) fn link(path: &Path, access: Access, environment: &Environment, header: Option<&Header>) -> Result<Link> {
    let refuse = || not_writable(path, environment);
    // SQLite would make and change files beside it before it finds that it can't use them.
    if header.is_none_or(Header::is_wal) && is_writable(path) && !place::has_shared_memory(path) {
        return unshared(path, access);
    }
    let connection = connect(path, side_file(path, "-wal").exists())?;
    let (connection, source) = match upgrade::look(&connection) {
        Ok(Found::Current) => (connection, None),
        Ok(Found::Empty) if !matches!(access, Access::Create | Access::CreateInEmpty) => return Err(foreign(path)),
        Ok(_) if !is_writable(path) => return Err(refuse()),
        Ok(found) => {
            if found == Found::Empty {
                fs::set_permissions(path, Permissions::from_mode(0o600))?;
            }
            upgrade::upgrade(&connection, path)?;
            (connection, None)
        }
        // A directory that can't be written, or has no room for side files, shows at the first read.
        Err(error) if access == Access::Read && (!is_writable(path) || error.is("database_full")) => {
            drop(connection);
            return in_place_of_the_file(path, refuse);
        }
        Err(error) if error.is("database_unavailable") && !is_writable(path) => return Err(refuse()),
        Err(error) => return Err(error),
    };
    apply_pragmas(&connection)?;
    if access != Access::Read {
        if connection.is_readonly("main")? {
            return Err(refuse());
        }
        if header.is_none_or(|header| !header.is_wal()) {
            prefer_wal(&connection, path)?;
        }
    }
    // A close must not pay for a checkpoint, and the kept side files let a sandboxed session read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(Link { connection, source, beside: SideFiles::of(path), is_open: true })
}

/// A mailbox with a write-ahead log where memory can't be shared: it can be read, and is not written.
fn unshared(path: &Path, access: Access) -> Result<Link> {
    if access != Access::Read {
        return Err(place::unshared(path));
    }
    in_place_of_the_file(path, || place::unshared(path))
}

/// Reads a current mailbox without SQLite's side files and locks.
fn in_place_of_the_file(path: &Path, refuse: impl Fn() -> Error) -> Result<Link> {
    let (connection, source) = readonly::open(path)?;
    match upgrade::look(&connection)? {
        Found::Current => {}
        Found::Empty => return Err(foreign(path)),
        Found::Old(_) => return Err(refuse()),
    }
    apply_pragmas(&connection)?;
    Ok(Link { connection, source: Some(source), beside: SideFiles::of(path), is_open: true })
}

/// Opens a mailbox once more, to undo what a cancelled call registered in it: it waits for another writer for a second
/// at most.
pub fn reopen(path: &Path) -> Result<Db> {
    let (connected, _) = connected::enter::<_, Error>(path, || Ok(()))?;
    let connection = connect(path, true)?;
    apply_pragmas(&connection)?;
    let link = Link { connection, source: None, beside: SideFiles::default(), is_open: true };
    let mut db = Db::new(link, path, &Environment::of_process(), Some(connected));
    db.patience = Duration::from_secs(1);
    Ok(db)
}

/// The refusal of what is no mailbox.
pub(super) fn foreign(path: &Path) -> Error {
    Error::new("not_a_mailbox").with_fact("resolved_path", path.to_string_lossy())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::new("database_not_found").with_fact("resolved_path", path.to_string_lossy()),
        _ => Error::new("database_unavailable").with_detail(error),
    }
}

/// Opens a connection; the file is not looked at yet.
pub(super) fn connect(path: &Path, has_log: bool) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_LIMIT)?;
    if NEEDS_FULL_SYNC {
        connection.pragma_update(None, "fullfsync", "on")?;
    }
    // The last one to close a file moves its `-wal` into it: not before it is known whose file it is.
    if has_log {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    Ok(connection)
}

/// Switches to a write-ahead log: two syncs a commit become one, and readers don't wait for writers. Where that is not
/// possible (another process is at work, or the file system has no shared memory) the rollback journal stays, with a
/// sync of its directory. SQLite would find the latter out behind the change, when nothing can read the file any more.
fn prefer_wal(connection: &Connection, path: &Path) -> Result<()> {
    if !place::has_shared_memory(path) {
        return Ok(connection.pragma_update(None, "synchronous", "extra")?);
    }
    connection.busy_timeout(Duration::ZERO)?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
    connection.busy_timeout(BUSY_LIMIT)?;
    if !matches!(mode.as_deref(), Ok("wal")) {
        connection.pragma_update(None, "synchronous", "extra")?;
    }
    Ok(())
}

/// Runs `sql/connect.sql`. Separate from [`connect`], because its pragmas read the schema: a foreign file is refused
/// first.
fn apply_pragmas(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch(sql::CONNECT)?)
}

/// Makes an empty private file, and private directories up to it, durably and whatever the umask.
fn create(path: &Path) -> Result<()> {
    make_directories(path.parent().unwrap_or(Path::new("/")))?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => Ok(file.set_permissions(Permissions::from_mode(0o600))?),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes private directories up to this one where they are missing, durably and whatever the umask.
pub(super) fn make_directories(directory: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    for ancestor in missing.into_iter().rev() {
        match private_directory(ancestor) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            other => other?,
        }
        File::open(ancestor.parent().unwrap_or(Path::new("/")))?.sync_all()?;
    }
    Ok(())
}

/// Whether the file and its directory can be written.
pub(super) fn is_writable(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(Path::new("/"));
    nix::unistd::access(directory, nix::unistd::AccessFlags::W_OK).is_ok()
        && nix::unistd::access(path, nix::unistd::AccessFlags::W_OK).is_ok()
}

/// The refusal to write, with the system's reason and, for a caller inside Codex, the setting that would allow it.
pub(super) fn not_writable(path: &Path, environment: &Environment) -> Error {
    let directory = path.parent().unwrap_or(Path::new("/"));
    // Of a file that is to be made, what exists of the way to it is asked.
    let reason = path
        .ancestors()
        .filter(|place| place.exists())
        .take(2)
        .find_map(|place| nix::unistd::access(place, nix::unistd::AccessFlags::W_OK).err())
        .map_or_else(|| "read-only".to_owned(), |errno| std::io::Error::from(errno).to_string());
    let mut detail = format!("{}: {reason}", path.display());
    if environment.get("CODEX_THREAD_ID").is_some() {
        let root = serde_json::Value::from(directory.to_string_lossy());
        detail.push_str(&format!(
            "; in Codex, config.toml allows it with [sandbox_workspace_write] writable_roots = [{root}]"
        ));
    }
    Error::new("mailbox_not_writable").with_detail(detail)
}

/// The first 100 bytes of a file. They only serve to leave foreign files alone: what the file says of itself may still
/// lie in its `-wal`, so versions are asked of SQLite.
pub(super) struct Header {
    bytes: log::FirstPage,
    /// A file of nothing but zeros is not empty.
    is_empty: bool,
}

impl Default for Header {
    fn default() -> Self {
        Header { bytes: [0; 100], is_empty: true }
    }
}

impl Header {
    pub(super) fn read(path: &Path) -> std::io::Result<Header> {
        // Without NONBLOCK a FIFO would hold the command up.
        let file = OpenOptions::new().read(true).custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits()).open(path)?;
        let facts = file.metadata()?;
        let mut header = Header { is_empty: facts.is_file() && facts.len() == 0, ..Header::default() };
        if facts.is_file() {
            let mut bytes = Vec::with_capacity(100);
            file.take(100).read_to_end(&mut bytes)?;
            header.bytes[..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(header)
    }

    /// Whether it begins as files of SQLite do.
    pub(super) fn is_database(&self) -> bool {
        self.bytes.starts_with(b"SQLite format 3\0")
    }

    pub(super) fn is_foreign(&self) -> bool {
        let application = u32::from_be_bytes([self.bytes[68], self.bytes[69], self.bytes[70], self.bytes[71]]);
        !self.is_empty && (!self.is_database() || ![0, upgrade::APPLICATION].contains(&application))
    }

    pub(super) fn is_wal(&self) -> bool {
        self.bytes[18] == 2
    }
}
