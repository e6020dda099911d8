//! The conversation with a Codex app server: JSON-RPC without the `jsonrpc` member, over a WebSocket on a Unix socket
//! or over the pipes of `codex app-server --stdio` (one object a line). Seen on Codex 0.171.0.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::locks;
use super::state::{self, Thread};
use super::wire::{Fault, Wire};

/// Loaded threads that discovery reads from one server.
const LISTED: usize = 500;

/// What a request came to, where it was not a result.
#[derive(Debug)]
pub enum Failure {
    /// The server answered this request with an error.
    Stated {
        /// Its number: -32600 to -32602 refuse the request as it stands; -32603 is a failure inside.
        code: i64,
        /// Its words.
        message: String,
    },
    /// There was no answer that could be used.
    Fault(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

impl Failure {
    /// What went wrong, as the part of a code after `:`.
    pub fn reason(&self) -> String {
        match self {
            Failure::Stated { code, .. } => format!("error_{code}"),
            Failure::Fault(fault) => fault.as_str().into(),
        }
    }

    /// The server's words, where it gave some.
    pub fn words(&self) -> Option<&str> {
        match self {
            Failure::Stated { message, .. } => Some(message),
            Failure::Fault(_) => None,
        }
    }

    /// The code of a positive refusal of something asked about this thread; none where the request may have been done.
    pub fn refusal(&self, thread: &str) -> Option<String> {
        let Failure::Stated { code, message } = self else { return None };
        if let Some(known) = stated(message, thread) {
            return Some(known.into());
        }
        (-32602..=-32600).contains(code).then(|| format!("codex_app_server_refused:{code}"))
    }
}

/// The code of a refusal that Codex states in words about a thread, to any of its clients.
///
/// All seen on 0.171.0: `thread not loaded: ID` (thread/read), `failed to read thread: … no rollout found for thread id
/// ID`, `session ID is archived. …`, `ephemeral thread does not support queued submissions: ID`, `thread/queue/add
/// requires experimentalApi capability` and, for an unknown method, `Invalid request: unknown variant …`.
pub fn stated(message: &str, thread: &str) -> Option<&'static str> {
    let message = message.to_ascii_lowercase();
    let about = |words: &str| message.contains(&format!("{words}{}", thread.to_ascii_lowercase()));
    if about("no rollout found for thread id ") || about("thread not loaded: ") {
        Some("recipient_not_in_codex_state")
    } else if about("session ") && message.contains(" is archived") {
        Some("recipient_session_archived")
    } else if about("ephemeral thread does not support queued submissions: ") {
        Some("recipient_session_ephemeral")
    } else if message.contains("requires experimentalapi capability")
        || message.starts_with("invalid request: unknown variant")
    {
        Some("codex_queue_unsupported")
    } else {
        None
    }
}

/// What `thread/read` said of a thread.
#[derive(Debug)]
pub struct Read {
    /// The thread.
    pub thread: Thread,
    /// `idle`, `active`, `not_loaded` or `unknown`.
    pub status: &'static str,
}

/// A server that answered `initialize`.
pub struct AppServer {
    wire: Box<dyn Wire>,
    last: u64,
    /// Its configuration directory, where it named one.
    pub home: Option<PathBuf>,
}

impl AppServer {
    /// Introduces htalk on a fresh connection.
    ///
    /// # Errors
    /// No usable answer, or a refusal.
    pub fn initialize(wire: Box<dyn Wire>) -> Result<AppServer, Failure> {
        let mut server = AppServer { wire, last: 0, home: None };
        let client = json!({"name": "htalk", "title": "htalk", "version": env!("CARGO_PKG_VERSION")});
        // The queue's methods are refused without this capability (0.171.0).
        let capabilities = json!({"experimentalApi": true});
        let result = server.call("initialize", json!({"clientInfo": client, "capabilities": capabilities}))?;
        let home = result.get("codexHome").and_then(Value::as_str).map(PathBuf::from);
        server.home = home.filter(|path| path.is_absolute());
        server.wire.send(&json!({"method": "initialized"}).to_string())?;
        Ok(server)
    }

    /// Sets the time that everything from now on may take together.
    pub fn allow(&mut self, limit: Duration) {
        self.wire.allow(limit);
    }

    /// Reads a thread, loaded or saved, without its turns.
    ///
    /// # Errors
    /// A refusal (unknown thread), or no usable answer.
    pub fn read(&mut self, id: &str) -> Result<Read, Failure> {
        let result = self.call("thread/read", json!({"threadId": id, "includeTurns": false}))?;
        let thread = result.get("thread").and_then(Value::as_object).ok_or(Fault::Malformed)?;
        let mut read = described(thread).ok_or(Fault::Malformed)?;
        // A thread of another process (`--no-daemon`) reads `notLoaded` here; its lock tells that somebody has it.
        if read.status == "not_loaded"
            && self.home.as_deref().is_some_and(|home| locks::is_held(home, id) == Some(true))
        {
            read.status = "unknown";
        }
        Ok(read)
    }

    /// Queues a user message for a thread; the id of the queued submission, from a receipt for exactly this message.
    ///
    /// # Errors
    /// A refusal, or doubt: whatever is no full receipt may have been queued.
    pub fn queue(&mut self, id: &str, text: &str) -> Result<String, Failure> {
        // The id is not deduplicated by Codex; it tells this message's receipt from any other.
        let message = uuid::Uuid::new_v4().to_string();
        let input = json!([{"type": "text", "text": text}]);
        let wanted = json!({"threadId": id, "clientUserMessageId": message, "input": input});
        let result = self.call("thread/queue/add", wanted)?;
        let receipt = result.get("queuedSubmission").ok_or(Fault::Malformed)?;
        let is_ours = receipt.get("clientUserMessageId").and_then(Value::as_str) == Some(&message)
            && receipt.get("threadId").and_then(Value::as_str).is_none_or(|thread| thread.eq_ignore_ascii_case(id))
            && match receipt.get("input").and_then(Value::as_array).map(Vec::as_slice) {
                Some([one]) => {
                    one.get("type").and_then(Value::as_str) == Some("text")
                        && one.get("text").and_then(Value::as_str) == Some(text)
                }
                _ => false,
            };
        if !is_ours {
            return Err(Fault::OtherMessage.into());
        }
        receipt.get("id").and_then(Value::as_str).and_then(queue_id).ok_or(Fault::Malformed.into())
    }

    /// Removes a queued submission; whether it was still there.
    ///
    /// # Errors
    /// A refusal, or no usable answer.
    pub fn delete(&mut self, id: &str, queued: &str) -> Result<bool, Failure> {
        let result = self.call("thread/queue/delete", json!({"threadId": id, "queuedSubmissionId": queued}))?;
        result.get("deleted").and_then(Value::as_bool).ok_or(Fault::Malformed.into())
    }

    /// The ids of the loaded threads, and whether these are all.
    ///
    /// # Errors
    /// A refusal, or no usable answer.
    pub fn loaded(&mut self) -> Result<(Vec<String>, bool), Failure> {
        let mut ids: Vec<String> = Vec::new();
        let mut cursor = Value::Null;
        while ids.len() < LISTED {
            let result = self.call("thread/loaded/list", json!({"cursor": cursor, "limit": 100}))?;
            let page = result.get("data").and_then(Value::as_array).ok_or(Fault::Malformed)?;
            let known = ids.len();
            for id in page.iter().filter_map(Value::as_str) {
                // A page can have far more than is asked for.
                if ids.len() == LISTED {
                    return Ok((ids, false));
                }
                if !ids.iter().any(|seen| seen == id) {
                    ids.push(id.to_owned());
                }
            }
            cursor = result.get("nextCursor").cloned().unwrap_or(Value::Null);
            if cursor.is_null() {
                return Ok((ids, true));
            }
            if ids.len() == known {
                break;
            }
        }
        Ok((ids, false))
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value, Failure> {
        self.last += 1;
        self.wire.send(&json!({"id": self.last, "method": method, "params": parameters}).to_string())?;
        loop {
            let text = self.wire.receive()?;
            let Ok(Value::Object(mut frame)) = serde_json::from_str(&text) else { return Err(Fault::Malformed.into()) };
            // Notifications come between the answers, and a server may ask its clients things.
            if frame.contains_key("method") || frame.get("id").and_then(Value::as_u64) != Some(self.last) {
                continue;
            }
            if let Some(error) = frame.get("error") {
                let code = error.get("code").and_then(Value::as_i64).ok_or(Fault::Malformed)?;
                let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
                return Err(Failure::Stated { code, message });
            }
            return frame.remove("result").ok_or(Fault::Malformed.into());
        }
    }
}

/// A queue id in its stored form. Codex gives UUIDs; what has another form is no receipt.
pub fn queue_id(text: &str) -> Option<String> {
    (text.len() == 36).then(|| uuid::Uuid::parse_str(text).ok()).flatten().map(|id| id.to_string())
}

fn described(thread: &Map<String, Value>) -> Option<Read> {
    let text = |key: &str| thread.get(key).and_then(Value::as_str);
    let source = thread.get("source")?;
    let is_attached = text("attachedToThreadId").is_some();
    // There is no archived mark, but the saved file has moved (0.171.0).
    let is_archived = text("path").is_some_and(|path| Path::new(path).iter().any(|part| part == "archived_sessions"));
    let thread_status = thread.get("status").and_then(|status| status.get("type")).and_then(Value::as_str);
    Some(Read {
        thread: Thread {
            id: text("id")?.to_owned(),
            workspace: PathBuf::from(text("cwd")?),
            source: source.as_str().map_or_else(|| source.to_string(), String::from),
            is_persons: state::is_persons(source, text("threadSource"), is_attached),
            is_archived,
            is_ephemeral: thread.get("ephemeral").and_then(Value::as_bool).unwrap_or(false),
        },
        status: match thread_status {
            Some("idle") => "idle",
            Some("active") => "active",
            Some("notLoaded") => "not_loaded",
            _ => "unknown",
        },
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::noise;

    /// A server that answers each request with the next of some results, and then closes.
    struct Parrot {
        answers: Vec<Value>,
        last: Value,
    }

    impl Wire for Parrot {
        fn send(&mut self, text: &str) -> Result<(), Fault> {
            let request: Value = serde_json::from_str(text).expect("a request");
            self.last = request["id"].clone();
            Ok(())
        }

        fn receive(&mut self) -> Result<String, Fault> {
            let answer = self.answers.pop().ok_or(Fault::Closed)?;
            Ok(match answer {
                Value::String(raw) => raw,
                answer => json!({"id": self.last, "result": answer}).to_string(),
            })
        }

        fn allow(&mut self, _: Duration) {}
    }

    const WORDS: &[&str] = &[
        "thread",
        "id",
        "cwd",
        "source",
        "cli",
        "status",
        "type",
        "idle",
        "data",
        "nextCursor",
        "queuedSubmission",
        "clientUserMessageId",
        "input",
        "text",
        "deleted",
        "error",
        "code",
        "message",
        "codexHome",
        "/tmp",
        "method",
    ];

    fn server(answers: Vec<Value>) -> AppServer {
        AppServer { wire: Box::new(Parrot { answers, last: Value::Null }), last: 0, home: None }
    }

    #[test]
    fn answers_of_any_form_are_understood_or_not() {
        let thread = json!({"id": "t", "cwd": "/tmp", "source": "cli", "status": {"type": "idle"}, "ephemeral": false});
        let read = noise::nearly(thread, WORDS).prop_map(|thread| json!({"thread": thread}));
        let page = noise::nearly(json!({"data": ["a", "b", 7], "nextCursor": "c"}), WORDS);
        let receipt = json!({"id": "01a228ac-e4d9-71f3-bff2-93f3ea7946ca", "input": [{"type": "text", "text": "x"}]});
        let receipt = noise::nearly(receipt, WORDS).prop_map(|receipt| json!({"queuedSubmission": receipt}));
        let answer = prop_oneof![read, page, receipt, noise::json(WORDS)];
        noise::each(vec(answer, 0..20), |answers| {
            drop(AppServer::initialize(Box::new(Parrot { answers: answers.clone(), last: Value::Null })));
            drop(server(answers.clone()).read("t"));
            assert!(server(answers.clone()).queue("t", "x").is_err(), "a receipt for another message");
            drop(server(answers.clone()).delete("t", "q"));
            if let Ok((ids, _)) = server(answers).loaded() {
                assert!(ids.len() <= LISTED);
            }
        });
    }

    #[test]
    fn a_page_without_measure_is_read_to_a_measure() {
        let ids: Vec<Value> = (0..200_000).map(|number| format!("{number}").into()).collect();
        let (ids, is_all) = server(vec![json!({"data": ids, "nextCursor": null})]).loaded().expect("a list");
        assert_eq!((ids.len(), is_all), (LISTED, false));
    }
}
