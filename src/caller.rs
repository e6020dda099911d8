//! Which session is calling htalk.

use std::os::unix::process::parent_id;

use uuid::Uuid;

use crate::clients::claude::sessions::{config_directory, read_live};
use crate::environment::Environment;
use crate::platform::process::Process;

/// A session of a client.
pub struct Session {
    /// The client.
    pub harness: &'static str,
    /// The client's own id of the session, in its stored form.
    pub id: String,
}

/// The sessions that make this call, the nearest first: usually none or one. A client that was started in a session of
/// another one hands its variables down. A server lives as long as its client, which may have another session by now.
pub fn sessions(environment: &Environment, is_server: bool) -> Vec<Session> {
    let claude = if is_server { claude_session_above } else { claude_session };
    let found = [
        ("claude", claude(environment)),
        ("opencode", opencode_session(environment)),
        ("codex", codex_session(environment)),
    ];
    found.into_iter().filter_map(|(harness, id)| Some(Session { harness, id: id? })).collect()
}

/// How many processes above htalk are looked at.
const ANCESTORS: usize = 64;

/// The Claude Code session that started the command which is this process; none outside of one.
///
/// It is the session of the next ancestor with a record ([`claude_session_above`]), and must be the one that the client
/// put into `CLAUDE_CODE_SESSION_ID`.
fn claude_session(environment: &Environment) -> Option<String> {
    let named = environment.get("CLAUDE_CODE_SESSION_ID")?;
    let named = Uuid::parse_str(named.to_str()?).ok()?.hyphenated().to_string();
    claude_session_above(environment).filter(|session| *session == named)
}

/// The session that the Claude Code process has now under which this process runs; none where there is no such process.
///
/// `/clear` gives the process another session, and what it started before goes on with the variables of the former one.
/// So a process that lives as long as its client asks here: `CLAUDE_CODE_SESSION_ID` need only be there.
///
/// A record's pid and start time must be those of the ancestor. Another client in between ends the walk: what it starts
/// is its own work. This is a guard against mistakes, not authentication.
fn claude_session_above(environment: &Environment) -> Option<String> {
    environment.get("CLAUDE_CODE_SESSION_ID")?;
    let (config, _) = config_directory(environment, None)?;
    let mut pid = i32::try_from(parent_id()).ok()?;
    for _ in 0..ANCESTORS {
        // An ancestor that the system does not show ends the walk like one that is gone.
        let process = Process::read(pid).ok()??;
        if let Ok(record) = read_live(&config, pid) {
            return Some(record.session_id);
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
fn codex_session(environment: &Environment) -> Option<String> {
    environment.get("CODEX_THREAD_ID").map(|id| id.to_string_lossy().to_lowercase())
}

/// The session that the plug-in of OpenCode names to the commands it runs, as `PID:SESSION`. The process must be the
/// one that OpenCode itself names, so that another OpenCode below it doesn't inherit the session.
fn opencode_session(environment: &Environment) -> Option<String> {
    let named = environment.get("HTALK_OPENCODE_SESSION")?;
    let (pid, session) = named.to_str()?.split_once(':')?;
    (environment.get("OPENCODE_PID")?.to_str()? == pid && !session.is_empty()).then(|| session.to_owned())
}
