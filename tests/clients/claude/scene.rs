//! Who takes part: the peer `a` that asks, and the peer `b` that is a session.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use super::fake::*;
use crate::support::process::CEILING;
use crate::support::{Ran, Sandbox, run};

/// One configuration directory with its sessions, a mailbox, the peer `a` that asks and the peer `b` that is a session.
pub struct Scene {
    pub sandbox: Sandbox,
    pub config: PathBuf,
    pub sockets: PathBuf,
    pub workspace: PathBuf,
}

impl Scene {
    pub fn new() -> Scene {
        let sandbox = Sandbox::with_peers(&["a"]);
        let [config, sockets, workspace] = ["config", "tmp/cc-socks", "work"].map(|name| sandbox.root().join(name));
        for directory in [&config.join("sessions"), &sockets, &workspace] {
            fs::create_dir_all(directory).unwrap();
        }
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).unwrap();
        let scene = Scene { sandbox, config, sockets, workspace };
        scene.add("b", SESSION);
        scene
    }

    pub fn add(&self, name: &str, session: &str) {
        let (home, workspace) = (self.config.to_str().unwrap(), self.workspace.to_str().unwrap());
        let words = ["--harness", "claude", "--session", session, "--workspace", workspace, "--home", home];
        self.sandbox.htalk(&[&["peer", "add", name], &words[..]].concat()).done();
    }

    pub fn record_path(&self, pid: u32) -> PathBuf {
        self.config.join(format!("sessions/{pid}.json"))
    }

    /// The record of a session as 2.1.332 writes it, with changes.
    pub fn record(&self, pid: u32, changes: Value) {
        let mut record = json!({
            "pid": pid, "sessionId": SESSION, "cwd": self.workspace, "startedAt": 1_795_979_340_798_u64,
            "procStart": start_time(pid), "version": "2.1.332", "peerProtocol": 1, "kind": "interactive",
            "entrypoint": "cli", "messagingSocketPath": self.socket_path(pid), "name": "work-57",
            "status": "idle", "updatedAt": 1_795_979_345_248_u64, "statusUpdatedAt": 1_795_979_345_248_u64,
        });
        for (key, value) in changes.as_object().unwrap() {
            record[key] = value.clone();
        }
        record.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        fs::write(self.record_path(pid), record.to_string()).unwrap();
    }

    pub fn socket_path(&self, pid: u32) -> PathBuf {
        self.sockets.join(format!("{pid}.sock"))
    }

    /// A running session that treats each frame like this.
    pub fn session(&self, act: impl Fn(&Frame) + Send + 'static) -> Session {
        self.session_of(Process::start(), act)
    }

    pub fn session_of(&self, process: Process, act: impl Fn(&Frame) + Send + 'static) -> Session {
        self.record(process.pid(), json!({}));
        let frames = serve(&self.socket_path(process.pid()), act);
        Session { process, frames }
    }

    pub fn send(&self) -> Ran {
        self.sandbox.htalk(&["--as", "a", "send", "b", "--message", "a body that no notice carries"])
    }

    /// Sends, and checks how the notice ended.
    #[track_caller]
    pub fn outcome(&self, submission: &str, detail: &str) -> Value {
        let ran = self.send();
        let told = ran.json();
        let seen = (told["submission"].as_str(), told["notification_detail"].as_str());
        assert_eq!(seen, (Some(submission), Some(detail)), "{told}");
        assert_eq!(ran.code, if submission == "submitted" { 0 } else { 2 }, "{told}");
        told
    }

    /// Sends, and checks how the notice ended on which this session reports. A report that came so late that htalk need
    /// not have waited for it, because the machine is busy, proves nothing; then another notice is sent.
    #[track_caller]
    pub fn reported(&self, session: &Session, submission: &str, detail: &str) {
        for _ in 0..10 {
            let begun = Instant::now();
            let told = self.send().json();
            let (_, acted) = session.frames.recv_timeout(CEILING).unwrap();
            let is_as_expected = told["submission"] == submission && told["notification_detail"] == detail;
            assert!(is_as_expected || acted - begun >= REPORT_TIME, "{submission} {detail}: {told}");
            if is_as_expected {
                return;
            }
        }
        panic!("the session never reported in time");
    }

    pub fn check(&self) -> Ran {
        self.sandbox.htalk(&["peer", "check", "b"])
    }

    pub fn discover(&self, path: &str) -> Ran {
        let mut command = self.sandbox.htalk_command(&["peer", "discover", "--harness", "claude"]);
        run(command.env("CLAUDE_CONFIG_DIR", &self.config).env("PATH", path), b"")
    }

    /// The names in the directory of the sockets.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.sockets)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The session's transcript.
    pub fn transcript(&self) -> PathBuf {
        let folder: String = self.workspace.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.config.join("projects").join(folder).join(format!("{SESSION}.jsonl"))
    }
}
