//! Which session is calling htalk.

use std::os::unix::process::parent_id;

use uuid::Uuid;

use crate::clients::claude::sessions::{config_directory, read_live};
use crate::environment::Environment;
use crate::platform::process::Process;

/// How many processes above htalk are looked at.
const ANCESTORS: usize = 64;

/// The Claude Code session whose process is htalk's next ancestor with a matching record; none outside of one.
///
/// The record's pid and start time must be those of the ancestor, and its session the one that the client put into
/// `CLAUDE_CODE_SESSION_ID`. Another client in between ends the walk: what it starts is its own work. This is a guard
/// against mistakes, not authentication.
pub fn claude_session(environment: &Environment) -> Option<String> {
    let named = environment.get("CLAUDE_CODE_SESSION_ID")?;
    let named = Uuid::parse_str(named.to_str()?).ok()?.hyphenated().to_string();
    let (config, _) = config_directory(environment, None)?;
    let mut pid = i32::try_from(parent_id()).ok()?;
    for _ in 0..ANCESTORS {
        // An ancestor that the system does not show ends the walk like one that is gone.
        let process = Process::read(pid).ok()??;
        if let Ok(record) = read_live(&config, pid) {
            return (record.session_id == named).then_some(named);
        }
        if is_other_client(&process) {
            return None;
        }
        pid = process.parent;
        if pid <= 0 {
            return None;
        }
    }
    None
}

/// Whether a process is a client of another kind: by its name, or by its binary, whose name may go on with a platform.
fn is_other_client(process: &Process) -> bool {
    const CLIENTS: [&str; 2] = ["codex", "opencode"];
    let program = process.program();
    let program = program.as_deref().and_then(|path| path.file_name()?.to_str()).unwrap_or_default();
    let program = program.trim_start_matches('.').split(['-', ' ']).next().unwrap_or_default();
    CLIENTS.contains(&process.name.trim_start_matches('.')) || CLIENTS.contains(&program)
}

/// The session that Codex names to the commands it runs.
pub fn codex_session(environment: &Environment) -> Option<String> {
    environment.get("CODEX_THREAD_ID").map(|id| id.to_string_lossy().to_lowercase())
}
