//! The client's own list of its sessions, `claude agents --json`: slow, so only for records that cannot be read.
//!
//! Seen on 2.1.332 (0.36 to 0.55 s) and 2.1.197 (1.45 to 1.97 s): one row for each process, without the
//! socket. A killed client that is still a zombie is listed too.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;

use super::sessions::{Record, status};
use crate::clients::Context;
use crate::platform::command::{Ended, Limit, Limits, run};
use crate::platform::process::Process;

/// A row is about 250 bytes; a list of some thousand sessions fits.
const LIMITS: Limits = Limits { time: Duration::from_millis(3000), output: 1024 * 1024 };

/// Asks the client within 3 s. The records that come out name no socket and no version.
pub fn list(context: Context<'_>, config: &Path) -> io::Result<Vec<Record>> {
    let mut command = context.command("claude").ok_or_else(|| io::Error::other("no `claude` on PATH"))?;
    command.args(["agents", "--json"]).env("CLAUDE_CONFIG_DIR", config).current_dir("/");
    match run(context.scope, &mut command, Vec::new(), LIMITS)? {
        Ended::Exited { status, stdout, .. } if status.success() => parse(&stdout),
        // Its words could quote anything: only the code is passed on.
        Ended::Exited { status, .. } => Err(io::Error::other(format!("it ended with {status}"))),
        Ended::Limit { limit: Limit::Time, .. } => Err(io::Error::other("no answer within 3 s")),
        Ended::Limit { limit: Limit::Lost, .. } => Err(io::Error::other("how it ended the system does not tell")),
        Ended::Limit { limit: Limit::Output, .. } => Err(io::Error::other("it wrote more than 1 MiB")),
    }
}

/// Understands the list; rows without an identity or without a running process are left out.
fn parse(bytes: &[u8]) -> io::Result<Vec<Record>> {
    let rows: Vec<Value> = serde_json::from_slice(bytes)?;
    Ok(rows.iter().filter_map(row).collect())
}

fn row(value: &Value) -> Option<Record> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let pid = i32::try_from(value.get("pid")?.as_i64()?).ok()?;
    let start = Process::read(pid).ok()??.start;
    let directory = Path::new(text("cwd")?);
    Process::runs(pid, start).ok()?.then(|| {
        Some(Record {
            pid,
            started: String::new(),
            start,
            session_id: Uuid::parse_str(text("sessionId")?).ok()?.hyphenated().to_string(),
            directory: directory.to_owned(),
            workspace: directory.canonicalize().unwrap_or_else(|_| directory.to_owned()),
            started_at: value.get("startedAt").and_then(Value::as_u64).unwrap_or(0),
            version: None,
            is_terminal: text("kind") == Some("interactive"),
            socket: None,
            status: status(text("status")),
            is_stopped: false,
            is_client: false,
        })
    })?
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::noise;

    #[test]
    fn a_list_of_any_form_is_understood_or_not() {
        let lists = noise::bytes(&[
            r#"[{"pid":1,"cwd":"/","startedAt":1,"sessionId":"7f9619ff-8b86-4d01-b42d-00cf4fc964ff"}]"#,
            "[]",
            r#"[{"pid":-1},{"pid":1e9},{"pid":"1"},7,null]"#,
        ]);
        noise::each(lists, |list| drop(parse(&list)));
    }
}
