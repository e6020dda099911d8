//! The way over SSH through a real sshd on the loopback, where one is installed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::fake::inbox::Inbox;
use super::scene::{Scene, grades};
use crate::support::{has, skip};

/// A running sshd behind the scene's `ssh`, ended with this value. What it runs has the scene's home and programs.
struct Sshd {
    child: Child,
    directory: PathBuf,
}

impl Sshd {
    /// None, with a word to whoever runs the tests, where it can't be run.
    fn start(scene: &Scene) -> Option<Sshd> {
        if !has("python3") {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/sshd.py");
        let directory = scene.at("sshd");
        let path = format!("{}:/usr/bin:/bin", scene.at("bin").display());
        let mut command = scene.program("python3");
        command.arg(script).arg(&directory).arg(scene.at("home")).arg(path);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let sshd = Sshd { child, directory };
        let told: Value = serde_json::from_str(&line).unwrap();
        if let Some(error) = told.get("error") {
            skip(&error.to_string());
            return None;
        }
        fs::rename(sshd.directory.join("ssh"), scene.at("bin/ssh")).unwrap();
        Some(sshd)
    }

    /// What it wrote: the log, or the commands that it was asked for.
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.directory.join(name)).unwrap()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn a_message_comes_whole_and_leaves_no_trace_on_its_way() {
    let scene = Scene::new();
    let Some(sshd) = Sshd::start(&scene) else { return };
    let Some(inbox) = Inbox::open(&scene) else { return };
    let message = "0123456789 secret\n".repeat(80_000 / 18);
    scene.write("m", &message);
    let told = scene.send("--to r --host box --request-ack");
    assert_eq!(grades(&told), ["submitted", "submitted", "unsupported", "not_requested"]);
    let notices = inbox.notices();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].ends_with(&message.replace('\n', "\n> ").replacen("01", "> 01", 1)), "not whole");
    assert_eq!(sshd.read("commands"), "htalk handoff native --frame -\n".repeat(2));
    assert!(!sshd.read("log").contains("secret"));
}

#[test]
fn who_is_not_known_for_sure_gets_no_message() {
    let scene = Scene::new();
    let Some(sshd) = Sshd::start(&scene) else { return };
    let Some(inbox) = Inbox::open(&scene) else { return };
    let known = sshd.read("known_hosts");
    let impostor = format!("box {}", sshd.read("key.pub"));
    for (hosts, has_htalk) in [("", true), (impostor.as_str(), true), (known.as_str(), false)] {
        fs::write(sshd.directory.join("known_hosts"), hosts).unwrap();
        if !has_htalk {
            fs::remove_file(scene.at("bin/htalk")).unwrap();
        }
        let ran = scene.handoff("send --to r --host box --message-file m");
        assert_eq!(ran.ended(1)["error"], json!("remote_preflight_unavailable"), "{hosts}");
    }
    assert_eq!(scene.handoffs(), "0");
    assert!(inbox.notices().is_empty());
}
