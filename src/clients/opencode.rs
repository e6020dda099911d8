//! OpenCode: a session of a server that listens on the loopback, told by one `prompt_async`.
//!
//! What can be reached is a server: `opencode serve`, or a TUI that was started with `--port` or `--hostname`. A plain
//! TUI opens no listener. Servers of one user share their saved sessions but not what runs in them, so a server also
//! accepts a notice for a session that another process has on its screen, and that process shows nothing of it
//! (all seen on OpenCode 1.18.33).

mod codes;
mod connect;
mod discover;
mod http;
mod saved;
mod session;
mod tls;
pub mod url;

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use self::http::{Failure, Server, escape, status_refusal};
use self::session::{Session, run_state};
use super::{Address, Client, Context, Found, Outcome, Refusal, Search, Submission};
use crate::code::Code;
use crate::environment::Environment;

/// The time for all reading calls of a check together. A cold instance took 0.2 s, unloaded.
const CHECK_LIMIT: Duration = Duration::from_secs(6);

/// The time for the one write. It took 12 to 63 ms, whether the session was idle or busy.
const SUBMIT_LIMIT: Duration = Duration::from_secs(8);

/// The receipt of a notice that the server took.
const ACCEPTED: &str = "opencode_prompt_accepted";

/// What no call to this server can tell, for `peer check`.
const NOT_KNOWN: &str = "Whether anybody sees this session: a notice shows only in clients of this very server \
    (opencode attach, or the TUI that listens here). A TUI started without --port or --hostname has no \
    listener, cannot be reached, and shows nothing that another server runs in its session; runtime_status is this \
    server's alone.";

/// The OpenCode adapter.
pub struct OpenCode;

impl Client for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn codes(&self) -> &'static [Code] {
        codes::CODES
    }

    fn discover(&self, context: Context<'_>, search: &Search) -> Vec<Found> {
        discover::discover(context.environment, search)
    }

    fn check(&self, context: Context<'_>, address: &Address) -> Result<Map<String, Value>, Refusal> {
        let server = server(context.environment, address)?;
        let deadline = Instant::now() + CHECK_LIMIT;
        // A server without a password accepts any credentials, so only its refusal of none proves that they count.
        let is_guarded = server.has_credentials()
            && server.status_without_credentials("/global/health", deadline).map_err(refusal)? == 401;
        let health = server.get("/global/health", deadline).map_err(refusal)?;
        let version = health["version"].as_str().filter(|_| health["healthy"] == true);
        let version = version.ok_or_else(|| Refusal::new("opencode_invalid_answer"))?;
        let state = recipient(&server, address, deadline)?;
        let evidence = json!({
            "url": server.url(),
            "server_version": version,
            "runtime_status": state,
            "transport": "opencode_prompt_async",
            "authenticated": is_guarded,
            "not_known": NOT_KNOWN,
        });
        Ok(evidence.as_object().cloned().unwrap_or_default())
    }

    fn notify(
        &self,
        context: Context<'_>,
        address: &Address,
        text: &str,
        skip: &mut dyn FnMut() -> Option<&'static str>,
    ) -> Outcome {
        let checked = server(context.environment, address).and_then(|server| {
            let state = recipient(&server, address, Instant::now() + CHECK_LIMIT)?;
            Ok((server, state))
        });
        let (server, state) = match checked {
            Ok(checked) => checked,
            Err(refusal) => return Outcome::refused(refusal.code, None),
        };
        let path = session_path(address, "/prompt_async");
        let body = json!({"parts": [{"type": "text", "text": text}]});
        if let Some(code) = skip() {
            return Outcome::refused(code, Some(state));
        }
        let (submission, detail) = verdict(server.post(&path, &body, SUBMIT_LIMIT));
        Outcome { submission, detail, queue_id: None, recipient_status: Some(state) }
    }
}

fn server(environment: &Environment, address: &Address) -> Result<Server, Refusal> {
    Server::new(environment, address.url.as_deref().unwrap_or(super::USUAL_SERVER))
}

fn refusal(failure: Failure) -> Refusal {
    failure.refusal
}

/// Verifies that the server has the exact recipient, and returns its run state there.
fn recipient(server: &Server, address: &Address, deadline: Instant) -> Result<&'static str, Refusal> {
    let object =
        server.get(&session_path(address, ""), deadline).map_err(|failure| match failure.refusal.code.as_str() {
            "opencode_request_refused:404" => Refusal::new("recipient_not_in_opencode_server"),
            _ => failure.refusal,
        })?;
    let session = Session::read(&object).ok_or_else(|| Refusal::new("opencode_invalid_answer"))?;
    session.verify(address)?;
    // Another directory's instance knows nothing of this session and would call it idle: the server's own spelling
    // counts.
    let path = format!("/session/status?directory={}", escape(session.directory.as_bytes()));
    run_state(&server.get(&path, deadline).map_err(refusal)?, session.id)
}

/// The path of a call about the recipient. Version 1.18.33 finds the session in any directory; earlier ones looked only
/// in the one that the query names.
fn session_path(address: &Address, call: &str) -> String {
    let directory = escape(address.workspace.as_os_str().as_encoded_bytes());
    format!("/session/{}{call}?directory={directory}", escape(address.session_id.as_bytes()))
}

/// What the answer to `prompt_async` proves: 204 that the server took it, a 4xx that it did not, anything else nothing.
fn verdict(answer: Result<u16, Failure>) -> (Submission, String) {
    match answer {
        Ok(204) => (Submission::Submitted, ACCEPTED.to_owned()),
        Ok(404) => (Submission::NotSubmitted, "recipient_not_in_opencode_server".to_owned()),
        Ok(status @ 400..=499) => (Submission::NotSubmitted, status_refusal(status).code),
        Ok(status) => (Submission::Unknown, status_refusal(status).code),
        Err(Failure { written: false, refusal }) => (Submission::NotSubmitted, refusal.code),
        Err(Failure { written: true, refusal }) => (Submission::Unknown, refusal.code),
    }
}
