//! A fake of Codex 0.171.0: its app server on a Unix socket. The frames are those that the real one was seen to send.

use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// The session of the peer `b`.
pub const THREAD: &str = "01a228ac-58fc-7e62-8f5a-f369cc0e706b";
/// The id under which the notice is queued.
pub const QUEUED: &str = "01a228ac-e4d9-71f3-bff2-93f3ea7946ca";
/// Where the server listens, below the home.
pub const CONTROL: &str = ".codex/app-server-control/app-server-control.sock";

/// What frames name of a world.
#[derive(Debug, Clone)]
pub struct Facts {
    pub workspace: String,
    pub home: String,
}

/// How a fake server answers a request.
pub type Behaviour = Box<dyn Fn(&Facts, &Value) -> Vec<Act> + Send + Sync>;

/// What the fake does with a request.
pub enum Act {
    /// Sends a text.
    Text(String),
    /// Sends a result, with the request's id.
    Result(Value),
    /// Sends an error, with the request's id.
    Error(i64, String),
    /// Sends bytes past the WebSocket.
    Raw(Vec<u8>),
    /// Does nothing for a while.
    Wait(Duration),
    /// Ends the connection without a word.
    Hang,
}

/// The fake app server. It serves one connection after the other and notes every request.
pub struct Server {
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    pub fn start(
        socket: &Path,
        facts: Facts,
        behave: impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Server {
        let listener = UnixListener::bind(socket).unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, behave) = (requests.clone(), Arc::new(behave));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, behave, facts) = (seen.clone(), behave.clone(), facts.clone());
                std::thread::spawn(move || converse(stream, &seen, &facts, &*behave));
            }
        });
        Server { requests }
    }

    pub fn methods(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(|request| request["method"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub fn request(&self, method: &str) -> Value {
        let requests = self.requests.lock().unwrap();
        requests.iter().rfind(|request| request["method"] == method).cloned().unwrap_or_default()
    }
}

pub fn converse(
    stream: UnixStream,
    seen: &Mutex<Vec<Value>>,
    facts: &Facts,
    behave: &(impl Fn(&Facts, &Value) -> Vec<Act> + ?Sized),
) {
    let Ok(mut socket) = tungstenite::accept(stream) else { return };
    while let Ok(message) = socket.read() {
        let Message::Text(text) = message else { continue };
        let request: Value = serde_json::from_str(&text).unwrap();
        seen.lock().unwrap().push(request.clone());
        for act in behave(facts, &request) {
            if !perform(&mut socket, &request, act) {
                return;
            }
        }
    }
}

pub fn perform(socket: &mut WebSocket<UnixStream>, request: &Value, act: Act) -> bool {
    let id = &request["id"];
    let text = match act {
        Act::Text(text) => text,
        Act::Result(result) => json!({"id": id, "result": result}).to_string(),
        Act::Error(code, message) => json!({"id": id, "error": {"code": code, "message": message}}).to_string(),
        Act::Raw(bytes) => return socket.get_mut().write_all(&bytes).is_ok(),
        Act::Wait(time) => {
            std::thread::sleep(time);
            return true;
        }
        Act::Hang => return false,
    };
    socket.send(Message::text(text)).is_ok()
}

/// A thread as `thread/read` describes it.
pub fn thread(facts: &Facts, status: Value) -> Value {
    json!({
        "id": THREAD, "environments": [{"environmentId": "local", "cwd": facts.workspace, "runtimeWorkspaceRoots": []}],
        "extra": null, "sessionId": THREAD, "forkedFromId": null, "attachedToThreadId": null, "parentThreadId": null,
        "preview": "hello", "ephemeral": false, "historyMode": "paginated", "modelProvider": "rig",
        "model": "rig-model",
        "status": status, "path": format!("{}/sessions/2026/11/29/rollout-{THREAD}.jsonl", facts.home),
        "cwd": facts.workspace, "cliVersion": "0.171.0", "originator": "codex-tui", "source": "vscode",
        "canAcceptDirectInput": true, "threadSource": "user", "name": "hello", "turns": [],
    })
}

/// What the real server does, with the thread idle.
pub fn well(facts: &Facts, request: &Value) -> Vec<Act> {
    let parameters = &request["params"];
    match request["method"].as_str().unwrap_or_default() {
        "initialize" => {
            vec![Act::Result(json!({"userAgent": "codex-tui/0.171.0 (Debian 12.0.0; x86_64) xterm (htalk; 0)",
                "codexHome": facts.home, "platformFamily": "unix", "platformOs": "linux"}))]
        }
        "initialized" => vec![Act::Text(
            json!({"method": "remoteControl/status/changed", "params": {"status": "disabled"}, "emittedAtMs": 1})
                .to_string(),
        )],
        "thread/read" if parameters["threadId"] == THREAD => {
            vec![Act::Result(json!({"thread": thread(facts, json!({"type": "idle"})), "readState": null}))]
        }
        "thread/read" => {
            vec![Act::Error(-32600, format!("thread not loaded: {}", parameters["threadId"].as_str().unwrap()))]
        }
        "thread/loaded/list" => vec![Act::Result(json!({"data": [THREAD], "nextCursor": null}))],
        "thread/queue/add" => vec![Act::Result(receipt(parameters))],
        "thread/queue/delete" => vec![Act::Result(json!({"deleted": parameters["queuedSubmissionId"] == QUEUED}))],
        _ => vec![Act::Error(-32600, "Invalid request: unknown variant `x`, expected one of `initialize`".into())],
    }
}

pub fn receipt(parameters: &Value) -> Value {
    json!({"queuedSubmission": {"id": QUEUED, "clientUserMessageId": parameters["clientUserMessageId"],
        "input": [{"type": "text", "text": parameters["input"][0]["text"], "text_elements": []}],
        "responsesapiClientMetadata": null}})
}

/// The real server but for one method.
pub fn but(
    method: &'static str,
    act: impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static,
) -> impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static {
    move |facts, request| if request["method"] == method { act(facts, request) } else { well(facts, request) }
}

/// The real server with a thread that differs in some keys.
pub fn with_thread(change: Value) -> impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static {
    but("thread/read", move |facts, _| {
        let mut described = thread(facts, json!({"type": "idle"}));
        for (key, value) in change.as_object().unwrap() {
            described[key] = value.clone();
        }
        vec![Act::Result(json!({"thread": described}))]
    })
}
