//! Paths, environment, and who is calling.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use crate::caller::calling_session;
use crate::db::{self, Access, BUSY_LIMIT, Db, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::sql;

/// How often a read that a writer got in the way of is tried before it answers `database_busy`.
const READ_TRIES: usize = 3;

/// The global options of a run, resolved.
pub struct Run {
    mailbox: PathBuf,
    named: Option<String>,
}

/// The calling peer.
pub struct Actor {
    /// Its registered name.
    pub name: String,
    /// What named it: `option`, `HTALK_PEER` or `native_session`.
    pub source: &'static str,
}

impl Run {
    /// Resolves the mailbox and keeps the name of the actor for later.
    pub fn new(db: Option<PathBuf>, named: Option<String>) -> Result<Run> {
        let mailbox = db::resolve(&expand(&db.map_or_else(usual_mailbox, Ok)?)?)?;
        // Every answer names commands for this mailbox, and JSON can't name such a path.
        if mailbox.to_str().is_none() {
            return Err(Error::new("database_unavailable").with_detail("the path of the mailbox is not UTF-8"));
        }
        progress().mailbox.clone_from(&mailbox);
        Ok(Run { mailbox, named })
    }

    /// The resolved path of the mailbox.
    pub fn mailbox(&self) -> &Path {
        &self.mailbox
    }

    /// Opens the mailbox.
    pub fn open(&self, access: Access) -> Result<Db> {
        db::open(&self.mailbox, access)
    }

    /// Opens the mailbox for reading and runs `work` on one state of it; again if a writer got in the way, but not if
    /// that was waited for long enough.
    pub fn read<T>(&self, work: impl Fn(&Db) -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let mut tries = 1;
        loop {
            match self.open(Access::Read).and_then(|db| db.read(&work)) {
                Err(error) if error.is("database_busy") && tries < READ_TRIES && begin.elapsed() < BUSY_LIMIT => {
                    tries += 1
                }
                other => return other,
            }
        }
    }

    /// The actor: `--as`, else `HTALK_PEER`, else the peer registered for the calling client's session. It must be
    /// registered, and must not be the peer of another session of the calling client.
    pub fn actor(&self, db: &Db) -> Result<Actor> {
        let variable = || variable("HTALK_PEER").map(|name| (name.to_string_lossy().into_owned(), "HTALK_PEER"));
        let named = self.named.clone().map(|name| (name, "option")).or_else(variable);
        let (peer, source) = match named {
            Some((name, source)) => (known_peer(db, &name)?, source),
            None => (native_peer(db)?, "native_session"),
        };
        guard(&peer)?;
        let name = text(&peer, "name").to_owned();
        progress().actor = Some(name.clone());
        Ok(Actor { name, source })
    }
}

/// A non-empty environment variable.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The text in a column, and an empty one for NULL.
pub fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column).and_then(Value::as_str).unwrap_or_default()
}

/// A registered peer, or `unknown_peer` with the names that come close.
pub fn known_peer(db: &Db, name: &str) -> Result<Row> {
    match db.row(sql::PEER_GET, &[(":name", name.into())])? {
        Some(peer) => Ok(peer),
        None => Err(unknown_peer(db, name)),
    }
}

/// `unknown_peer` for a name, with the registered names that come close to it.
pub fn unknown_peer(db: &Db, name: &str) -> Error {
    let peers = db.rows(sql::PEER_LIST, &[(":all", 0.into())]).unwrap_or_default();
    let wanted = name.trim().to_lowercase();
    let mut near: Vec<(f64, &str)> = peers
        .iter()
        .map(|peer| text(peer, "name"))
        .map(|candidate| (strsim::jaro_winkler(&wanted, candidate), candidate))
        .filter(|(likeness, candidate)| *likeness > 0.75 || candidate.starts_with(&wanted) && !wanted.is_empty())
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.truncate(5);
    let near: Vec<&str> = near.into_iter().map(|(_, candidate)| candidate).collect();
    Error::new("unknown_peer").with_detail(format!("no peer is named {name:?}")).with_fact("nearest", near)
}

/// `~` and `~/…` as a shell expands them.
pub fn expand(path: &Path) -> Result<PathBuf> {
    match path.strip_prefix("~") {
        Ok(rest) => Ok(home()?.join(rest)),
        Err(_) => Ok(path.to_owned()),
    }
}

fn home() -> Result<PathBuf> {
    variable("HOME").map(PathBuf::from).ok_or_else(|| Error::new("database_unavailable").with_detail("HOME is not set"))
}

fn usual_mailbox() -> Result<PathBuf> {
    if let Some(path) = variable("HTALK_DB") {
        return Ok(path.into());
    }
    let data = match variable("XDG_DATA_HOME") {
        Some(path) => path.into(),
        None => home()?.join(".local/share"),
    };
    Ok(data.join("harness-talk/mail.sqlite3"))
}

/// The peer registered for the session that runs this command.
fn native_peer(db: &Db) -> Result<Row> {
    let find = |harness: &str, session: &str| {
        db.row(sql::PEER_FIND, &[(":harness", harness.into()), (":session_id", session.into())])
    };
    if let Some(session) = calling_session()
        && let Some(peer) = find("claude", &session)?
    {
        return Ok(peer);
    }
    if let Some(session) = codex_session()
        && let Some(peer) = find("codex", &session)?
    {
        return Ok(peer);
    }
    Err(Error::new("peer_required_use_as_or_HTALK_PEER"))
}

/// Guards against answering in the name of another session of the same client: a mistake, not an attack.
fn guard(peer: &Row) -> Result<()> {
    let (current, code) = match text(peer, "harness") {
        "codex" => (codex_session(), "actor_conflicts_with_CODEX_THREAD_ID"),
        "claude" => (calling_session(), "actor_conflicts_with_CLAUDE_CODE_SESSION_ID"),
        _ => return Ok(()),
    };
    let registered = text(peer, "session_id");
    match current {
        Some(current) if text(peer, "delivery") == "native" && current != registered => Err(Error::new(code)
            .with_fact("registered_peer", text(peer, "name"))
            .with_fact("registered_session_id", registered)
            .with_fact("current_session_id", current)),
        _ => Ok(()),
    }
}

fn codex_session() -> Option<String> {
    variable("CODEX_THREAD_ID").map(|id| id.to_string_lossy().to_lowercase())
}
