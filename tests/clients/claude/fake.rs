//! Claude Code, replayed: its session records, its messaging socket and its reports, as 2.1.332 was seen to make them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::scene::Scene;
use crate::support::process::{self, Signal, until, write_program};

/// A process that stands for the client's: only its pid, its start time and its state matter.
pub struct Process(pub Child);

impl Process {
    pub fn start() -> Process {
        Process(Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// One that has the name of the client's program.
    pub fn client(scene: &Scene) -> Process {
        let program = scene.sandbox.root().join("claude");
        if !program.exists() {
            write_program(&program, "#!/bin/sh\nread line\n");
        }
        let process = Process(Command::new(program).stdin(Stdio::piped()).spawn().unwrap());
        let name = PathBuf::from(format!("/proc/{}/comm", process.pid()));
        until("the client's name", || fs::read_to_string(&name).unwrap() == "claude\n");
        process
    }

    /// One that has started later than another, by the clock that tells them apart.
    pub fn after(other: &Process) -> Process {
        let started = |process: &Process| start_time(process.pid()).parse::<u64>().unwrap();
        let mut process = Process::start();
        until("a later start", || {
            let is_later = started(&process) > started(other);
            if !is_later {
                process = Process::start();
            }
            is_later
        });
        process
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Stops it, as a person does with Ctrl-Z.
    pub fn stop(&self) {
        process::signal(&self.0, Signal::SIGSTOP);
        until("a process that is stopped", || process::state(self.pid()) == Some('T'));
    }

    /// Kills it and leaves a zombie, as under a terminal that does not look.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        until("a zombie", || process::state(self.pid()) == Some('Z'));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Field 22 of `/proc/PID/stat`.
pub fn start_time(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
}

/// The session of the peer `b`.
pub const SESSION: &str = "7f9619ff-8b86-4d01-b42d-00cf4fc964ff";
/// A session that has no peer.
pub const OTHER: &str = "0e8d1b46-9f3a-4a5e-8a40-5f1d3c7b2a11";

/// How long htalk waits for a report.
pub const REPORT_TIME: Duration = Duration::from_millis(400);

/// A frame, and when the session had done with it what it does.
pub type Acted = (Value, Instant);

/// A running session and the frames that it got.
pub struct Session {
    pub process: Process,
    pub frames: Receiver<Acted>,
}

impl Session {
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub fn receipt(&self) -> String {
        format!("claude_socket_bytes_written:{}", self.pid())
    }

    /// All frames so far.
    pub fn frames(&self) -> Vec<Value> {
        self.frames.try_iter().map(|(frame, _)| frame).collect()
    }
}

/// A frame and the connection that it came on.
pub struct Frame {
    pub line: Value,
    pub stream: UnixStream,
}

impl Frame {
    /// The socket on which the sender listens.
    pub fn sender(&self) -> PathBuf {
        PathBuf::from(self.line["from"].as_str().unwrap().strip_prefix("uds:").unwrap())
    }

    pub fn message_id(&self) -> &str {
        self.line["msg_id"].as_str().unwrap()
    }

    /// A report as 2.1.332 makes it, with changes.
    pub fn report(&self, changes: Value) -> Value {
        let mut report = json!({
            "type": "control", "action": "peer_message_status", "status": "held", "reason": "words for a person",
            "from": "uds:/tmp/cc-socks/1.sock", "orig_msg_id": self.message_id(),
        });
        for (key, value) in changes.as_object().unwrap() {
            report[key] = value.clone();
        }
        report
    }

    /// Stops the sender in what it is doing.
    pub fn stop_sender(&self) {
        let pid = self.sender().file_stem().unwrap().to_str().unwrap().parse().unwrap();
        kill(Pid::from_raw(pid), Signal::SIGSTOP).unwrap();
    }

    /// Connects to the sender and says this.
    pub fn say(&self, words: &str) {
        let mut stream = UnixStream::connect(self.sender()).unwrap();
        let _ = stream.write_all(words.as_bytes());
    }
}

/// Answers connections on a socket for as long as the test runs.
pub fn serve(path: &Path, act: impl Fn(&Frame) + Send + 'static) -> Receiver<Acted> {
    let listener = UnixListener::bind(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    let (sender, frames) = channel();
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let mut line = Vec::new();
            let _ = BufReader::new(&stream).read_until(b'\n', &mut line);
            if line.is_empty() {
                continue;
            }
            let frame = Frame { line: serde_json::from_slice(&line).unwrap(), stream };
            act(&frame);
            let _ = sender.send((frame.line.clone(), Instant::now()));
            // The client leaves connections open.
            open.push(frame.stream);
        }
    });
    frames
}

/// What happens to a frame that a session reports on.
pub fn after(delay: u64, changes: Value) -> impl Fn(&Frame) + Send {
    move |frame| {
        thread::sleep(Duration::from_millis(delay));
        frame.say(&format!("{}\n", frame.report(changes.clone())));
    }
}

/// The lines that a session appends to its transcript when it took a frame.
pub fn append_queued(path: &Path, frame: &Frame) {
    let line = json!({"type": "queue-operation", "operation": "enqueue", "content": frame.line["message"]["content"]});
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{{\"type\":\"mode\"}}\n{line}\n").as_bytes()).unwrap();
}
