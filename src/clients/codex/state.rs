//! The threads of Codex's state database, and which of them is a recipient. Only read. Seen on Codex 0.171.0.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::super::{Address, Refusal};
use super::home::Place;
use crate::mailbox::other_database::{self, Failure, Limits};

const THREAD: &str = include_str!("../../../sql/clients/codex_thread.sql");
const THREADS: &str = include_str!("../../../sql/clients/codex_threads.sql");

/// Threads that discovery takes from one database, the youngest.
pub const LISTED: usize = 2000;

/// A thread as the state database or an app server describes it.
#[derive(Debug, Clone)]
pub struct Thread {
    /// Its id.
    pub id: String,
    /// The directory it works in, as written there.
    pub workspace: PathBuf,
    /// Who started it, in Codex's own words.
    pub source: String,
    /// Whether a person started it.
    pub is_persons: bool,
    /// Whether it was put away.
    pub is_archived: bool,
    /// Whether it is a helper that is never saved.
    pub is_ephemeral: bool,
}

impl Thread {
    /// A row of either statement.
    fn of_row(row: &Map<String, Value>) -> Option<Thread> {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let source = text("source")?;
        // The column holds a plain word, or JSON for a custom source or a helper.
        let as_json = serde_json::from_str(source).unwrap_or_else(|_| Value::from(source));
        Some(Thread {
            id: text("id")?.to_owned(),
            workspace: PathBuf::from(text("cwd")?),
            source: source.to_owned(),
            is_persons: is_persons(&as_json, text("thread_source"), text("attached_thread_parent_id").is_some()),
            is_archived: row.get("archived").and_then(Value::as_i64) != Some(0),
            is_ephemeral: row.get("ephemeral").and_then(Value::as_i64).is_some_and(|flag| flag != 0),
        })
    }

    /// Whether this is the thread that was registered, one that a person started and can still see.
    ///
    /// # Errors
    /// The code of the first thing that is not so.
    pub fn verify(&self, address: &Address) -> Result<(), Refusal> {
        if !self.id.eq_ignore_ascii_case(&address.session_id) {
            let detail = format!("Codex answered for session {}", self.id);
            return Err(Refusal::new("recipient_identity_changed").with_detail(detail));
        }
        if self.is_ephemeral {
            return Err(Refusal::new("recipient_session_ephemeral"));
        }
        if self.is_archived {
            return Err(Refusal::new("recipient_session_archived"));
        }
        if !self.is_persons {
            return Err(Refusal::new("codex_session_not_started_by_a_person").with_detail(&self.source));
        }
        if !address.is_anywhere() && resolved(&self.workspace) != resolved(&address.workspace) {
            let detail = format!("the session works in {}", self.workspace.display());
            return Err(Refusal::new("recipient_identity_changed").with_detail(detail));
        }
        Ok(())
    }

    /// Whether a person could register it: all of [`Thread::verify`], in a workspace that exists.
    pub fn is_listed(&self) -> bool {
        uuid::Uuid::parse_str(&self.id).is_ok()
            && self.is_persons
            && !self.is_archived
            && !self.is_ephemeral
            && self.workspace.is_dir()
    }
}

/// Whether a person started a thread: Codex's own index of interactive threads has these sources (0.171.0), and a
/// `thread_source` besides `user` (a title writer) or a parent (a side thread) marks a helper.
pub fn is_persons(source: &Value, thread_source: Option<&str>, is_attached: bool) -> bool {
    let is_interactive = match source {
        Value::String(word) => matches!(word.as_str(), "cli" | "vscode"),
        Value::Object(object) => matches!(object.get("custom").and_then(Value::as_str), Some("atlas" | "chatgpt")),
        _ => false,
    };
    is_interactive && !is_attached && thread_source.is_none_or(|by| by == "user")
}

/// A path with its symlinks resolved; as it stands where it does not exist.
pub fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The newest layout's state database in a directory (`state_5.sqlite` in 0.171.0), if there is one.
pub fn database(directory: &Path) -> Option<PathBuf> {
    let layout = |name: &str| -> Option<u32> { name.strip_prefix("state_")?.strip_suffix(".sqlite")?.parse().ok() };
    let newest = fs::read_dir(directory)
        .ok()?
        .flatten()
        .filter_map(|entry| Some((layout(entry.file_name().to_str()?)?, entry.path())))
        .max_by_key(|(number, _)| *number);
    newest.map(|(_, path)| path)
}

/// The row of a thread, the database it was found in, and the place.
///
/// # Errors
/// No such row in any place, or a database that can't be read before one was found.
pub fn thread(places: &[Place], id: &str) -> Result<(Thread, PathBuf, Place), Refusal> {
    let limits = Limits { time: Duration::from_millis(1500), rows: 1, bytes: 1 << 20 };
    let mut looked = Vec::new();
    for place in places {
        let Some(path) = database(&place.directory) else {
            looked.push(format!("no state database in {}", place.directory.display()));
            continue;
        };
        match other_database::rows(&path, THREAD, &[id], limits) {
            Ok(rows) => {
                if let Some(thread) = rows.first().and_then(Thread::of_row) {
                    return Ok((thread, path, place.clone()));
                }
                looked.push(format!("not in {}", path.display()));
            }
            Err(failure) => return Err(refusal(&path, failure)),
        }
    }
    Err(Refusal::new("recipient_not_in_codex_state").with_detail(looked.join("; ")))
}

/// The threads of a database that could be registered, how many rows were not understood, and whether there are more
/// than [`LISTED`].
///
/// # Errors
/// The database can't be read.
pub fn threads(path: &Path) -> Result<(Vec<Thread>, usize, bool), Refusal> {
    let limits = Limits { time: Duration::from_millis(2500), rows: LISTED + 1, bytes: 8 << 20 };
    let rows = other_database::rows(path, THREADS, &[], limits).map_err(|failure| refusal(path, failure))?;
    let is_cut = rows.len() > LISTED;
    let taken = rows.len().min(LISTED);
    let understood = |thread: &Thread| uuid::Uuid::parse_str(&thread.id).is_ok();
    let mut threads: Vec<Thread> = rows.iter().take(LISTED).filter_map(Thread::of_row).filter(understood).collect();
    let rejected = taken - threads.len();
    threads.retain(Thread::is_listed);
    Ok((threads, rejected, is_cut))
}

fn refusal(path: &Path, failure: Failure) -> Refusal {
    match failure {
        Failure::Missing => Refusal::new("recipient_not_in_codex_state").with_detail(path.display()),
        Failure::Layout(words) => {
            Refusal::new("codex_state_layout_unknown").with_detail(format!("{}: {words}", path.display()))
        }
        Failure::Unreadable(words) => {
            Refusal::new("codex_state_unreadable").with_detail(format!("{}: {words}", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Thread;
    use crate::noise;

    #[test]
    fn a_row_of_any_form_is_a_thread_or_not() {
        const WORDS: &[&str] =
            &["id", "cwd", "source", "cli", "{\"custom\":\"atlas\"}", "archived", "[[[", "{", "user"];
        let row =
            json!({"id": "t", "cwd": "/tmp", "source": "cli", "archived": 0, "thread_source": "user", "ephemeral": 0});
        noise::each(noise::nearly(row, WORDS), |row| {
            if let Some(thread) = row.as_object().and_then(Thread::of_row) {
                let _ = thread.is_listed();
            }
        });
    }
}
