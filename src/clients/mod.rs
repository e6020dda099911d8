//! The client seam: what htalk asks of a coding client, and what a client's protocol may answer.
//!
//! An adapter knows one vendor's protocol and nothing else: no database, no other adapter, no output. Each method
//! returns evidence, with the time limits and the meaning of the contract: whatever fails before the one write is a
//! refusal, whatever is doubtful after it is unknown.

pub mod claude;
mod codes;
mod codex;
mod opencode;

pub use opencode::url::server_url;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::code::Code;
use crate::environment::Environment;
use crate::platform::cleanup::Scope;
use crate::platform::command;

/// Variables that a client gives to the commands it runs and that no other program is to see.
const SECRETS: [&str; 2] = ["CLAUDE_CODE_MESSAGING_TOKEN", "OPENCODE_SERVER_PASSWORD"];

/// The call for which a client is asked.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The variables that say where a client keeps its things and how it is reached.
    pub environment: &'a Environment,
    /// What the client starts in it ends with the call.
    pub scope: &'a Scope,
}

impl Context<'_> {
    /// A command of this name in `PATH`, with the environment of the call but without the secrets of the clients.
    pub fn command(&self, program: &str) -> Option<Command> {
        let mut command = self.environment.command(command::find(self.environment, program)?);
        for name in SECRETS {
            command.env_remove(name);
        }
        Some(command)
    }
}

/// Where a native peer's session is, as registered.
#[derive(Debug, Clone)]
pub struct Address {
    /// The client's own id of the session, in its stored form.
    pub session_id: String,
    /// The directory in which the session works, resolved when it was registered; empty for a session that was
    /// registered on another machine, whose id alone names it.
    pub workspace: PathBuf,
    /// The client's configuration directory, where it is not the usual one.
    pub home: Option<PathBuf>,
    /// A Codex app server's socket, where one was named.
    pub socket: Option<PathBuf>,
    /// An OpenCode server's URL.
    pub url: Option<String>,
    /// The one process life that is meant, for a handoff; none: whichever has the session.
    pub generation: Option<String>,
    /// When whoever asks stops waiting, for a handoff; none: at the adapter's own limits.
    pub until: Option<Instant>,
}

impl Address {
    /// Whether the session may work in any directory.
    pub fn is_anywhere(&self) -> bool {
        self.workspace.as_os_str().is_empty()
    }

    /// How long a step may take that usually may take this long.
    pub fn within(&self, usual: Duration) -> Duration {
        self.until.map_or(usual, |until| usual.min(until.saturating_duration_since(Instant::now())))
    }
}

/// For what a handoff looks at its recipient.
#[derive(Debug, Clone, Copy, Default)]
pub struct Purpose {
    /// Whether the home of Codex was named for this handoff; it must be in use then.
    pub names_home: bool,
    /// Whether a named home that no writer serves will do all the same.
    pub allows_inactive_home: bool,
    /// Whether a submission is about to follow.
    pub is_submission: bool,
}

/// What a handoff to a session is bound to, as it was when it was looked at.
#[derive(Debug, Clone, Default)]
pub struct Binding {
    /// The one process life, an opaque text of at most 256 bytes; none where the client has no such thing.
    pub generation: Option<String>,
    /// The home and the writer that were found, with the decision about an inactive home; none where there is no choice
    /// of homes. Equal texts of it mean the same.
    pub context: Option<Map<String, Value>>,
    /// What the outcome says of the target.
    pub target: Map<String, Value>,
    /// What speaks against a new handoff to it. One that was prepared for just this has its answer already.
    pub objection: Option<Refusal>,
}

/// A failure that a client stated or that showed before anything was written: a code and the system's words.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// A code of this adapter or of all, perhaps with a part after `:`.
    pub code: String,
    /// The words or numbers of the system or the client; never a secret, never a message body.
    pub detail: Option<String>,
}

impl Refusal {
    /// A refusal without further words.
    pub fn new(code: impl Into<String>) -> Self {
        Refusal { code: code.into(), detail: None }
    }

    /// The same refusal with the system's words.
    pub fn with_detail(mut self, detail: impl ToString) -> Self {
        self.detail = Some(detail.to_string());
        self
    }
}

/// How far a notice came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submission {
    /// Nothing reached the client, or the client positively refused it.
    NotSubmitted,
    /// It may have reached the client; nobody knows.
    Unknown,
    /// The client confirmed it.
    Submitted,
}

impl Submission {
    /// The value of `notice_outcomes.submission`.
    pub fn as_str(self) -> &'static str {
        match self {
            Submission::NotSubmitted => "not_submitted",
            Submission::Unknown => "submission_unknown",
            Submission::Submitted => "submitted",
        }
    }

    /// The value of `handoff_outcomes.submission`.
    pub fn of_handoff(self) -> &'static str {
        match self {
            Submission::NotSubmitted => "refused",
            Submission::Unknown => "unknown",
            Submission::Submitted => "submitted",
        }
    }
}

/// The outcome of one notice.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How far it came.
    pub submission: Submission,
    /// The receipt, or the code of what went wrong; stored as `notification_detail`.
    pub detail: String,
    /// The client's id of the queued notice, by which [`Client::withdraw`] can take it back; only of a submitted one.
    pub queue_id: Option<String>,
    /// The recipient's state seen at the notice, a value of `recipient_status`; none where none was looked at.
    pub recipient_status: Option<&'static str>,
}

impl Outcome {
    /// The outcome of a refusal before the write, with the state seen until then.
    pub fn refused(code: impl Into<String>, recipient_status: Option<&'static str>) -> Self {
        Outcome { submission: Submission::NotSubmitted, detail: code.into(), queue_id: None, recipient_status }
    }
}

/// How the removal of an accepted notice ended.
#[derive(Debug, Clone)]
pub enum Removal {
    /// The client removed it.
    Removed,
    /// The client has no such notice any more.
    Absent,
    /// It failed before the removal was asked for.
    Unavailable(Refusal),
    /// It failed afterwards; nobody knows.
    Unknown(Refusal),
}

/// One place in which `peer discover` looked.
#[derive(Debug, Clone)]
pub struct Found {
    /// What the place covered: `harness`, `source`, `status`, `rejected`, `error`, `detail`, and its path, socket or
    /// URL.
    pub source: Map<String, Value>,
    /// The sessions found there: `harness`, `session_id`, `workspace`, `runtime_status`, `source` and address fields.
    pub sessions: Vec<Map<String, Value>>,
}

/// What `peer discover` was asked to cover.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Codex sockets that were named, besides the usual one.
    pub codex_sockets: Vec<PathBuf>,
    /// OpenCode URLs that were named, besides the usual one.
    pub opencode_urls: Vec<String>,
}

/// One vendor's protocol.
pub trait Client: Sync {
    /// What `--harness` and the mailbox's table `harnesses` call it.
    fn name(&self) -> &'static str;

    /// The codes that this adapter makes, but for those that all share.
    fn codes(&self) -> &'static [Code];

    /// Lists the sessions that could be registered, without starting, waking or changing anything. At most 4 s.
    fn discover(&self, context: Context<'_>, search: &Search) -> Vec<Found>;

    /// Verifies the exact recipient and returns the evidence found (the keys of `peer check`).
    fn check(&self, context: Context<'_>, address: &Address) -> Result<Map<String, Value>, Refusal>;

    /// Looks at what a handoff to this session is bound to. A client without this takes no handoffs.
    fn bind(&self, _context: Context<'_>, _address: &Address, _purpose: Purpose) -> Result<Binding, Refusal> {
        Err(Refusal::new("handoff_route_unsupported"))
    }

    /// Makes the one attempt to submit `text`. Directly before its one write the adapter calls `skip`; a code from
    /// there ends the attempt as not submitted, with that code. Where the address names a generation, the adapter
    /// proves it as late as that, and answers `stale_target` for any other.
    fn notify(
        &self,
        context: Context<'_>,
        address: &Address,
        text: &str,
        skip: &mut dyn FnMut() -> Option<&'static str>,
    ) -> Outcome;

    /// Takes an accepted notice back by its queue id. A client that can't do that is never asked: the mailbox knows it
    /// by `harnesses.can_withdraw`, and answers `client_has_no_notification_removal` itself.
    fn withdraw(&self, _context: Context<'_>, _address: &Address, _queue_id: &str) -> Removal {
        Removal::Unavailable(Refusal::new("adapter_unavailable"))
    }
}

/// The clients whose sessions can be notified.
const CLIENTS: [&dyn Client; 3] = [&codex::Codex, &claude::Claude, &opencode::OpenCode];

/// The harnesses whose sessions can be notified.
pub fn harnesses() -> impl Iterator<Item = &'static str> {
    CLIENTS.into_iter().map(Client::name)
}

/// The adapter of a harness; none for a label that can only pull.
pub fn client(harness: &str) -> Option<&'static dyn Client> {
    CLIENTS.into_iter().find(|client| client.name() == harness)
}

/// The codes that the clients make.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    codes::CODES.iter().chain(CLIENTS.into_iter().flat_map(Client::codes))
}

/// The server that an OpenCode peer has where none is named.
pub const USUAL_SERVER: &str = "http://127.0.0.1:4096";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{Context, Environment, Scope};

    #[test]
    fn a_command_is_found_in_the_calls_path_and_gets_no_secrets() {
        let directory = std::env::temp_dir().join(format!("htalk-unit-{}", uuid::Uuid::new_v4()));
        fs::create_dir(&directory).unwrap();
        symlink("/usr/bin/env", directory.join("htalk-unit-program")).unwrap();
        let path = format!(".:{}", directory.display());
        let variables = [("PATH", &*path), ("HOME", "/h"), ("OPENCODE_SERVER_PASSWORD", "x")];
        let (environment, scope) = (Environment::given(variables), Scope::new());
        let context = Context { environment: &environment, scope: &scope };
        let ran = context.command("htalk-unit-program").unwrap().output().unwrap();
        let mut seen: Vec<&str> = std::str::from_utf8(&ran.stdout).unwrap().lines().collect();
        seen.sort_unstable();
        assert_eq!(seen, ["HOME=/h", &format!("PATH={path}")]);
        // What the process itself would find.
        assert!(context.command("env").is_none());
        fs::remove_dir_all(&directory).unwrap();
    }
}
