//! A fake of Codex 0.171.0: its app server on a Unix socket, its command, its state database and its locks. The frames
//! are those that the real one was seen to send.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::support::process::write_program;

pub const THREAD: &str = "01a228ac-58fc-7e62-8f5a-f369cc0e706b";
pub const QUEUED: &str = "01a228ac-e4d9-71f3-bff2-93f3ea7946ca";
pub const CONTROL: &str = ".codex/app-server-control/app-server-control.sock";

/// A home, a workspace, a mailbox and a place for a fake `codex`, removed at the end.
pub struct World {
    pub root: PathBuf,
}

impl World {
    pub fn new() -> World {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("htalk-codex-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        World::inside(std::env::temp_dir().join(name))
    }

    /// A world in this directory.
    pub fn inside(root: PathBuf) -> World {
        for directory in ["home/.codex/thread-writer-locks", "ws", "other", "bin"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        World { root }
    }

    /// A world with a mailbox, an asker that pulls and the Codex peer `b`.
    pub fn with_peer(extra: &[&str]) -> World {
        let world = World::new();
        world.add_peer(extra);
        world
    }

    pub fn add_peer(&self, extra: &[&str]) {
        self.done(&["peer", "add", "a", "--harness", "shell", "--delivery", "pull"]);
        let mut words = vec!["peer", "add", "b", "--harness", "codex", "--session", THREAD, "--workspace", "WS"];
        words.extend(extra);
        self.done(&words);
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// htalk with this world's environment; `WS` stands for the workspace, `ROOT/` for the world.
    pub fn command(&self, words: &[&str]) -> Command {
        let root = self.root.to_str().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_htalk"));
        let path = format!("{root}/bin:/usr/local/bin:/usr/bin:/bin");
        command.env_clear().env("HOME", self.at("home")).env("PATH", path).current_dir(&self.root);
        command.arg("--db").arg(self.at("mail.sqlite3"));
        command.args(words.iter().map(|word| match *word {
            "WS" => format!("{root}/ws"),
            word => word.replace("ROOT/", &format!("{root}/")),
        }));
        command
    }

    pub fn run(&self, words: &[&str]) -> (Value, i32) {
        finish(self.command(words))
    }

    pub fn done(&self, words: &[&str]) -> Value {
        let (answer, exit) = self.run(words);
        assert_eq!(exit, 0, "{words:?}: {answer}");
        answer
    }

    /// Sends from `a` to `b`; what became of the notice.
    pub fn send(&self) -> Notice {
        self.send_with(&[])
    }

    pub fn send_with(&self, variables: &[(&str, &str)]) -> Notice {
        let mut command = self.command(&["--as", "a", "send", "b", "--message", "SECRET-BODY"]);
        command.envs(variables.iter().copied());
        let (answer, exit) = finish(command);
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(exit == 0, text("submission") == "submitted", "{answer}");
        Notice {
            id: text("id"),
            submission: text("submission"),
            detail: text("notification_detail"),
            status: answer["recipient_status"].as_str().map(String::from),
        }
    }

    /// Acknowledges as `b`; the clean-up.
    pub fn ack(&self, id: &str) -> Value {
        self.done(&["--as", "b", "ack", id])["notification_cleanup"].clone()
    }

    /// Makes a state database of 0.171.0's layout (as far as it matters) with the given rows, in `directory`.
    pub fn state(&self, directory: &str, rows: &[&str]) -> PathBuf {
        let path = self.at(directory).join("state_5.sqlite");
        let mut script = String::from(
            "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, source TEXT NOT NULL, cwd TEXT NOT NULL, \
             title TEXT, archived INTEGER NOT NULL DEFAULT 0, preview TEXT, thread_source TEXT, originator TEXT, \
             attached_thread_parent_id TEXT);\n",
        );
        for row in rows {
            script.push_str(&format!("INSERT INTO threads(id, source, cwd, archived, thread_source) VALUES({row});\n"));
        }
        sqlite(&path, &script);
        path
    }

    /// A row of the thread in the workspace.
    pub fn row(&self, source: &str, archived: u8, thread_source: &str) -> String {
        format!("'{THREAD}','{source}','{}',{archived},'{thread_source}'", self.at("ws").display())
    }

    /// A state database with the one thread, as a person's.
    pub fn known(&self) {
        self.state("home/.codex", &[&self.row("cli", 0, "user")]);
    }

    /// A `codex` that logs how it was called and then runs these shell lines.
    pub fn codex(&self, body: &str) {
        self.program("codex", "calls", body);
    }

    /// A program that notes in `log` how it was called and then runs these shell lines.
    pub fn program(&self, name: &str, log: &str, body: &str) {
        let root = self.root.display();
        let script = format!(
            "#!/bin/sh\nfor word in \"$@\"; do printf '[%s]\\n' \"$word\" >>{root}/{log}; done\n\
             printf 'home=%s sqlite=%s pwd=%s token=%s\\n' \"$CODEX_HOME\" \"$CODEX_SQLITE_HOME\" \"$PWD\" \
             \"$OPENCODE_SERVER_PASSWORD\" >>{root}/{log}\n{body}\n"
        );
        write_program(&self.at("bin").join(name), &script);
    }

    pub fn calls(&self) -> String {
        fs::read_to_string(self.at("calls")).unwrap_or_default()
    }

    /// The real one's layout: a symlink to the socket elsewhere.
    pub fn serve(&self, behave: impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static) -> Server {
        let link = self.at("home").join(CONTROL);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let socket = self.at("real.sock");
        symlink(&socket, &link).unwrap();
        Server::start(&socket, self.facts(), behave)
    }

    pub fn facts(&self) -> Facts {
        Facts { workspace: self.at("ws").display().to_string(), home: self.at("home/.codex").display().to_string() }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// What a notice came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: String,
    pub submission: String,
    pub detail: String,
    pub status: Option<String>,
}

impl Notice {
    pub fn is(&self, submission: &str, detail: &str) {
        assert_eq!((self.submission.as_str(), self.detail.as_str()), (submission, detail), "{self:?}");
    }

    pub fn has_status(&self, status: &str) {
        assert_eq!(self.status.as_deref(), Some(status), "{self:?}");
    }
}

pub fn finish(mut command: Command) -> (Value, i32) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{command:?}: {text:?} {:?}", output.stderr));
    (value, output.status.code().unwrap_or(-1))
}

pub fn sqlite(path: &Path, script: &str) {
    let mut shell = Command::new("sqlite3").arg(path).stdin(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success(), "{script}");
}

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

/// A process that holds a `flock` until it is dropped.
pub struct Holder(Child);

impl Holder {
    pub fn of(lock: &Path) -> Holder {
        let words = ["sh", "-c", "echo; exec cat"];
        let mut flock = Command::new("flock");
        let mut child = flock.arg(lock).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
        Holder(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

pub fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

pub fn await_text(path: &Path) -> String {
    for _ in 0..500 {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("{} never came", path.display());
}
