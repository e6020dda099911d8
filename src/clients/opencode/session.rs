//! What an OpenCode server says of a session, and whether that is the registered recipient.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::clients::{Address, Refusal};

/// A session object as the server returned it.
///
/// Two layouts were seen on OpenCode 1.18.33: `directory` (`/session`) and `location.directory` (`/api/session`).
#[derive(Debug)]
pub struct Session<'a> {
    /// Its id.
    pub id: &'a str,
    /// The directory in which it works, as the server spells it.
    pub directory: &'a str,
    /// Whether another session started it.
    pub is_child: bool,
    /// Whether it was archived.
    pub is_archived: bool,
}

impl<'a> Session<'a> {
    /// Reads a session object; none where it lacks an id of the known form or an absolute directory.
    pub fn read(value: &'a Value) -> Option<Self> {
        let id = value["id"].as_str().filter(|id| is_session_id(id))?;
        let directory = value["directory"].as_str().or_else(|| value["location"]["directory"].as_str())?;
        Path::new(directory).is_absolute().then_some(Session {
            id,
            directory,
            is_child: !value["parentID"].is_null(),
            is_archived: !value["time"]["archived"].is_null(),
        })
    }

    /// Accepts the session as the recipient at `address`.
    ///
    /// # Errors
    ///
    /// `recipient_identity_changed`, `recipient_session_archived`, `opencode_child_session`.
    pub fn verify(&self, address: &Address) -> Result<(), Refusal> {
        if self.id != address.session_id {
            let words = format!("the server answered with session {}", self.id);
            return Err(Refusal::new("recipient_identity_changed").with_detail(words));
        }
        if !is_same_directory(Path::new(self.directory), &address.workspace) {
            let words = format!("the session works in {}", self.directory);
            return Err(Refusal::new("recipient_identity_changed").with_detail(words));
        }
        if self.is_archived {
            return Err(Refusal::new("recipient_session_archived"));
        }
        if self.is_child {
            return Err(Refusal::new("opencode_child_session"));
        }
        Ok(())
    }
}

/// `ses` and 1 to 253 letters, digits, `_`, `.`, `-`; another id makes the server answer 500 instead of 404.
fn is_session_id(id: &str) -> bool {
    (4..=256).contains(&id.len())
        && id.starts_with("ses")
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// Whether two paths lead to one directory; one that is gone is compared by its name.
fn is_same_directory(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    resolved(a) == resolved(b)
}

/// The run state of a session in the answer of `/session/status`: an idle one is left out (seen on OpenCode 1.18.33).
///
/// # Errors
///
/// `opencode_invalid_answer` where the answer is no such object.
pub fn run_state(statuses: &Value, id: &str) -> Result<&'static str, Refusal> {
    let Some(entries) = statuses.as_object() else { return Err(Refusal::new("opencode_invalid_answer")) };
    Ok(match entries.get(id).map(|entry| entry["type"].as_str()) {
        None | Some(Some("idle")) => "idle",
        Some(Some("busy")) => "busy",
        Some(Some("retry")) => "retry",
        Some(_) => "unknown",
    })
}

/// How many records were not listed, and why.
#[derive(Debug, Default)]
pub struct LeftOut {
    archived: usize,
    children: usize,
    gone: usize,
    /// Those that were not understood.
    pub rejected: usize,
}

impl LeftOut {
    /// The session of a record and its directory, resolved; none where it can't be registered.
    pub fn or_listed<'a>(&mut self, record: &'a Value) -> Option<(Session<'a>, String)> {
        let Some(session) = Session::read(record) else {
            self.rejected += 1;
            return None;
        };
        if session.is_archived {
            self.archived += 1;
            return None;
        }
        if session.is_child {
            self.children += 1;
            return None;
        }
        let workspace = fs::canonicalize(session.directory).ok().filter(|path| path.is_dir());
        let Some(workspace) = workspace.as_deref().and_then(|path| path.to_str()) else {
            self.gone += 1;
            return None;
        };
        Some((session, workspace.to_owned()))
    }

    /// The counts in words.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let counts = [
            (self.archived, "archived left out"),
            (self.children, "child sessions left out"),
            (self.gone, "whose directory is gone left out"),
            (self.rejected, "not understood"),
        ];
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"))
    }
}

/// The map of a `json!({…})`.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::noise;

    const WORDS: &[&str] = &[
        "id",
        "ses_1",
        "directory",
        "/tmp",
        "location",
        "time",
        "archived",
        "parentID",
        "type",
        "busy",
        "bad_id",
        "relative",
    ];

    #[test]
    fn a_session_of_any_form_is_understood_or_not() {
        let session = json!({
            "id": "ses_1", "directory": "/tmp", "location": {"directory": "/tmp"}, "time": {"created": 1},
            "parentID": null,
        });
        let mut left_out = LeftOut::default();
        noise::each(noise::nearly(session, WORDS), |value| {
            if let Some((session, workspace)) = left_out.or_listed(&value) {
                assert!(is_session_id(session.id) && Path::new(&workspace).is_absolute());
            }
        });
        noise::each(noise::json(WORDS), |value| {
            let _ = Session::read(&value);
            let _ = run_state(&value, "ses_1");
        });
    }
}
