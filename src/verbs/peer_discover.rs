//! `htalk peer discover`

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Map, Value, json};

use super::Verb;
use crate::answer::{Answer, Status, way};
use crate::call::Call;
use crate::clients::{self, Context, Found, Search};
use crate::error::{Error, Result};
use crate::platform::threads;

/// How long all clients together may take; one that is slower is reported as unavailable.
const LIMIT: Duration = Duration::from_millis(4_500);

/// List the client sessions that could be registered. Nothing is started, woken or changed, and no mailbox is opened.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer discover --harness claude")]
pub struct PeerDiscover {
    /// Only sessions of this client
    #[arg(long, value_name = "H")]
    harness: Option<String>,
    /// Only sessions that work in this directory
    #[arg(long, value_name = "PATH")]
    workspace: Option<PathBuf>,
    /// The socket of a Codex app server to ask as well
    #[arg(long, value_name = "PATH")]
    codex_socket: Vec<PathBuf>,
    /// The URL of an OpenCode server to ask as well
    #[arg(long, value_name = "URL")]
    opencode_url: Vec<String>,
}

impl Verb for PeerDiscover {
    /// Prints the sessions and what each source covered; exits with 2 if every source was unavailable.
    fn run(self, call: &Call) -> Result<Answer> {
        let is_wanted = |harness: &&str| self.harness.as_deref().is_none_or(|only| only == *harness);
        let wanted: Vec<&str> = clients::harnesses().filter(is_wanted).collect();
        if wanted.is_empty() {
            let words = "Repeat with --harness codex, claude or opencode, or without it.";
            return Err(Error::new("unsupported_harness").with_next_action(words));
        }
        if !self.codex_socket.is_empty() && !wanted.contains(&"codex") {
            return Err(Error::new("codex_socket_requires_codex_discovery"));
        }
        if !self.opencode_url.is_empty() && !wanted.contains(&"opencode") {
            return Err(Error::new("opencode_url_requires_opencode_discovery"));
        }
        let opencode_urls = self.opencode_url.iter().map(|url| clients::server_url(url).map_err(Error::new));
        let scope = Search {
            codex_sockets: self.codex_socket.iter().map(|path| call.expand(path)).collect::<Result<_>>()?,
            opencode_urls: opencode_urls.collect::<Result<_>>()?,
        };
        let workspace = match &self.workspace {
            Some(path) => Some(directory(call, path)?),
            None => None,
        };
        let (mut sessions, mut sources) = (Vec::new(), Vec::new());
        for found in ask(call, &wanted, &scope) {
            sources.push(Value::Object(found.source));
            sessions.extend(found.sessions);
        }
        sessions.retain(|session| {
            workspace.as_ref().is_none_or(|wanted| {
                Path::new(text(session, "workspace")).canonicalize().is_ok_and(|seen| seen == *wanted)
            })
        });
        let key = |session: &Map<String, Value>| {
            ["harness", "workspace", "session_id"].map(|part| text(session, part).to_owned())
        };
        sessions.sort_by_cached_key(key);
        // One session can be found in several places; the first source that lists it speaks for it.
        sessions.dedup_by_key(|session| key(session));
        for session in &mut sessions {
            let command = peer_add(session);
            session.insert("peer_add".into(), command);
        }
        let is_blind = sources.iter().all(|source| source["status"] == "unavailable");
        let next_action = match sessions.is_empty() {
            true => "No session was found; sources says where it was looked, and docs/clients.md which can be found.",
            false => "Register a session with its peer_add command, under a name of your choice.",
        };
        let answer = json!({
            "sessions": sessions,
            "sources": sources,
            "next_action": next_action,
            "scope": {
                "harness": self.harness,
                "workspace": workspace.map(|path| path.to_string_lossy().into_owned()),
                "codex_sockets": scope.codex_sockets.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
                "opencode_urls": scope.opencode_urls,
            },
        });
        Answer::ended(answer, if is_blind { Status::Failed } else { Status::Done })
    }
}

/// Asks the clients side by side, so that a slow one hides none of the others.
fn ask(call: &Call, wanted: &[&'static str], scope: &Search) -> Vec<Found> {
    let deadline = Instant::now() + LIMIT;
    let asked: Vec<_> = wanted
        .iter()
        .map(|harness| {
            let (sender, receiver) = mpsc::channel();
            let (harness, scope) = (*harness, scope.clone());
            let (environment, begun) = (call.environment().clone(), call.scope().clone());
            threads::begin(move || {
                let context = Context { environment: &environment, scope: &begun };
                let found = clients::client(harness).map(|client| client.discover(context, &scope));
                let found = found.unwrap_or_default();
                // Nobody listens any more once the time is over.
                let _ = sender.send(found);
            });
            (harness, receiver)
        })
        .collect();
    let answers = asked.into_iter().map(|(harness, receiver)| {
        let left = deadline.saturating_duration_since(Instant::now());
        receiver.recv_timeout(left).unwrap_or_else(|_| vec![overdue(harness)])
    });
    answers.flatten().collect()
}

fn overdue(harness: &str) -> Found {
    let words = [("harness", harness), ("source", "all"), ("status", "unavailable"), ("error", "discovery_timed_out")];
    let mut source: Map<String, Value> = words.into_iter().map(|(key, word)| (key.into(), word.into())).collect();
    source.insert("rejected".into(), 0.into());
    source.insert("detail".into(), format!("no answer within {} s", LIMIT.as_secs_f32()).into());
    Found { source, sessions: Vec::new() }
}

/// A command that registers a session, with a name to be changed at will.
fn peer_add(session: &Map<String, Value>) -> Value {
    let (harness, id) = (text(session, "harness"), text(session, "session_id"));
    let tail: String = id.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    let name = format!("{harness}-{}", tail.to_lowercase());
    let mut words = vec!["peer", "add", &name, "--harness", harness, "--session", id];
    let options = [("workspace", "--workspace"), ("home", "--home"), ("socket", "--socket"), ("url", "--url")];
    for (key, option) in options {
        if let Some(value) = session.get(key).and_then(Value::as_str) {
            words.extend([option, value]);
        }
    }
    way(&words)
}

/// The text under a key, and an empty one for null.
fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn directory(call: &Call, path: &Path) -> Result<PathBuf> {
    let refused = |error: &dyn std::fmt::Display| Error::new("workspace_must_be_a_directory").with_detail(error);
    let resolved = call.expand(path)?.canonicalize().map_err(|error| refused(&error))?;
    if resolved.is_dir() { Ok(resolved) } else { Err(refused(&resolved.display())) }
}
