//! The fake session of Claude Code: a process of its own, for the pid of who listens is what a handoff is bound to.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::handoff::scene::{SESSION, Scene};
use crate::support::process::CEILING;
use crate::support::{Ran, has};

/// A running session, ended with this value.
pub struct Inbox {
    child: Child,
    events: Receiver<Value>,
    socket: PathBuf,
    /// Where it notes what it gets, and so the one file that may hold a token.
    pub transcript: PathBuf,
}

/// What a notice gives to the one who is to acknowledge it.
#[derive(Clone)]
pub struct Receipt {
    /// The handler, ready for a shell.
    pub command: String,
    /// The frame for its standard input.
    pub frame: String,
}

impl Inbox {
    /// A session that takes what comes.
    pub fn open(scene: &Scene) -> Option<Inbox> {
        Inbox::start(scene, &scene.sockets(), "")
    }

    /// One that accepts nobody: whoever connects waits for a place in its queue.
    pub fn deaf(scene: &Scene) -> Option<Inbox> {
        Inbox::start(scene, &scene.sockets(), "deaf")
    }

    /// One that kills the sender of a frame once it has it.
    pub fn deadly(scene: &Scene) -> Option<Inbox> {
        Inbox::start(scene, &scene.sockets(), "SIGKILL")
    }

    /// One that stops the sender of a frame once it has it.
    pub fn freezing(scene: &Scene) -> Option<Inbox> {
        Inbox::start(scene, &scene.sockets(), "SIGSTOP")
    }

    /// Kills the session and starts another process with the same session id on the same socket.
    pub fn replace(self, scene: &Scene) -> Inbox {
        let socket = self.socket.clone();
        self.kill();
        Inbox::start(scene, &socket, "").expect("what the first one needed is there")
    }

    /// None, with a word to whoever runs the tests, where the fake can't be run.
    fn start(scene: &Scene, socket: &Path, mode: &str) -> Option<Inbox> {
        if !has("python3") {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/handoff/fake/inbox.py");
        let mut command = scene.program("python3");
        command.arg(script).arg(scene.config()).arg(socket).arg(scene.workspace()).arg(SESSION).arg(mode);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, events) = channel();
        let mut decoded = lines.map_while(Result::ok).map(|line| serde_json::from_str(&line).unwrap());
        thread::spawn(move || decoded.try_for_each(|event: Value| sender.send(event)));
        let ready: Value = events.recv_timeout(CEILING).expect("a session that listens");
        let path = |key: &str| PathBuf::from(ready[key].as_str().unwrap());
        Some(Inbox { child, events, socket: path("socket"), transcript: path("transcript") })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The next event, which is of this kind.
    #[track_caller]
    fn event(&self, kind: &str) -> Value {
        let event = self.events.recv_timeout(CEILING).expect("an event of the session");
        assert_eq!(event["event"], kind, "{event}");
        event
    }

    /// Waits for the next frame; the text of its notice.
    #[track_caller]
    pub fn notice(&self) -> String {
        self.event("user")["frame"]["message"]["content"].as_str().unwrap().to_owned()
    }

    /// Waits for the next frame; the receipt in its notice.
    #[track_caller]
    pub fn receipt(&self) -> Receipt {
        Receipt::of(&self.notice()).expect("a notice with authority")
    }

    /// Lets the session present the receipt of the last notice that was waited for.
    pub fn ack(&mut self) -> Ran {
        writeln!(self.child.stdin.as_mut().unwrap(), "ack").unwrap();
        let event = self.event("ack");
        let text = |key: &str| event[key].as_str().unwrap().to_owned();
        Ran::new(event["code"].as_i64().unwrap() as i32, text("out"), text("err"))
    }

    /// The notices of all frames so far. One last frame of our own proves that none is still under way.
    pub fn notices(&self) -> Vec<String> {
        let mut stream = UnixStream::connect(&self.socket).unwrap();
        writeln!(stream, "{}", json!({"type": "last"})).unwrap();
        while self.events.recv_timeout(CEILING).expect("the last frame")["event"] != "last" {}
        let transcript = fs::read_to_string(&self.transcript).unwrap_or_default();
        let lines = transcript.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let own = lines.filter(|line| line["pid"] == self.pid());
        own.map(|line| line["content"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Receipt {
    /// The receipt of a notice with authority.
    pub fn of(notice: &str) -> Option<Receipt> {
        let lines: Vec<&str> = notice.lines().collect();
        let place = lines.iter().position(|line| line.ends_with(" handoff ack --receipt -"))?;
        Some(Receipt { command: lines[place].to_owned(), frame: (*lines.get(place + 1)?).to_owned() })
    }

    /// The frame's value of this key, which is a text.
    pub fn value(&self, key: &str) -> String {
        let frame: Value = serde_json::from_str(&self.frame).unwrap();
        frame[key].as_str().unwrap().to_owned()
    }

    /// The secret.
    pub fn token(&self) -> String {
        self.value("capability")
    }

    /// The same with another value.
    pub fn with(&self, key: &str, value: &str) -> Receipt {
        Receipt { frame: self.frame.replace(&self.value(key), value), ..self.clone() }
    }
}
