//! The sessions in OpenCode's own database, which is only read: all its servers of one user share it.
//!
//! What runs is not in it. A session that no server lists may be on the screen of a TUI without a listener all the
//! same; to reach it, a server has to be started. Seen on OpenCode 1.18.33.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::{LeftOut, object};
use crate::clients::Found;
use crate::environment::Environment;
use crate::mailbox::other_database::{self, Failure, Limits};

const SESSIONS: &str = include_str!("../../../sql/clients/opencode_sessions.sql");

/// The name of this source.
const SOURCE: &str = "opencode_database";

/// The most sessions that are listed, the latest used first.
const MOST: usize = 2000;

const LIMITS: Limits = Limits { time: Duration::from_millis(2500), rows: MOST + 1, bytes: 8 << 20 };

/// `OPENCODE_DB`, in the data directory where it is relative, else `opencode.db` there. None without a home.
fn database(environment: &Environment) -> Option<PathBuf> {
    let data = environment.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = match data {
        Some(data) => data,
        None => environment.home()?.join(".local/share"),
    };
    let named = environment.get("OPENCODE_DB").unwrap_or_else(|| "opencode.db".into());
    Some(data.join("opencode").join(named))
}

/// The saved sessions, as `not_loaded`.
pub fn discover(environment: &Environment) -> Found {
    let path = database(environment);
    let rows = match &path {
        Some(path) => other_database::rows(path, SESSIONS, &[], LIMITS),
        None => Err(Failure::Missing),
    };
    let source = |status: &str, rejected: usize, error: Option<&str>, detail: Option<String>| {
        object(json!({
            "harness": "opencode", "source": SOURCE, "status": status, "rejected": rejected, "error": error,
            "detail": detail, "path": path,
        }))
    };
    let mut rows = match rows {
        Ok(rows) => rows,
        Err(failure) => {
            let (code, words) = match failure {
                Failure::Missing => ("opencode_state_not_found", None),
                Failure::Layout(words) => ("opencode_state_layout_unknown", Some(words)),
                Failure::Unreadable(words) => ("opencode_state_unreadable", Some(words)),
            };
            return Found { source: source("unavailable", 0, Some(code), words), sessions: Vec::new() };
        }
    };
    let is_cut = rows.len() > MOST;
    rows.truncate(MOST);
    let (mut left_out, mut sessions) = (LeftOut::default(), Vec::new());
    for row in &rows {
        // As a server words it.
        let record = json!({
            "id": row["id"], "directory": row["directory"], "parentID": row["parent_id"],
            "time": {"archived": row["time_archived"]},
        });
        let Some((session, workspace)) = left_out.or_listed(&record) else { continue };
        sessions.push(object(json!({
            "harness": "opencode", "session_id": session.id, "workspace": workspace, "runtime_status": "not_loaded",
            "source": SOURCE, "home": null, "socket": null, "url": Value::Null,
        })));
    }
    let mut words = vec![format!("{} saved", rows.len())];
    words.extend(left_out.words());
    words.extend(is_cut.then(|| format!("only the {MOST} that were used last were looked at")));
    let status = if is_cut || left_out.rejected > 0 { "partial" } else { "ok" };
    Found { source: source(status, left_out.rejected, None, Some(words.join("; "))), sessions }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Environment, database};

    #[test]
    fn the_database_is_where_opencode_has_it() {
        let at = |variables: &[(&str, &str)]| database(&Environment::given(variables.iter().copied()));
        for (variables, path) in [
            (&[("HOME", "/h")][..], "/h/.local/share/opencode/opencode.db"),
            (&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")], "/d/opencode/opencode.db"),
            (&[("HOME", "/h"), ("XDG_DATA_HOME", "d")], "/h/.local/share/opencode/opencode.db"),
            (&[("HOME", "/h"), ("OPENCODE_DB", "x.db")], "/h/.local/share/opencode/x.db"),
            (&[("XDG_DATA_HOME", "/d"), ("OPENCODE_DB", "/y.db")], "/y.db"),
        ] {
            assert_eq!(at(variables).as_deref(), Some(Path::new(path)));
        }
        assert_eq!(at(&[]), None);
    }
}
