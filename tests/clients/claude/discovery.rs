//! Which sessions are listed, whatever the records are like.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};

use super::fake::*;
use super::scene::Scene;
use crate::support::process::{assert_within, is_alive, write_program};
use crate::support::run;

#[test]
fn broken_records_are_counted_and_hide_nothing() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let broken: Vec<Process> = (0..5).map(|_| Process::start()).collect();
    let path = |at: usize| scene.record_path(broken[at].pid());
    fs::write(path(0), "{\"pid\":").unwrap();
    fs::write(path(1), "[]").unwrap();
    scene.record(broken[2].pid(), json!({"sessionId": "x"}));
    scene.record(broken[3].pid(), json!({"pid": 1}));
    fs::write(path(4), vec![b' '; 100_000]).unwrap();
    // Neither a key nor a link nor a FIFO is read.
    fs::write(scene.config.join("sessions/1.abc.key"), "secret").unwrap();
    std::os::unix::fs::symlink(scene.record_path(session.pid()), scene.config.join("sessions/1.json")).unwrap();
    mkfifo(&scene.config.join("sessions/2.json"), Mode::S_IRWXU).unwrap();
    let found = scene.discover("/nowhere").done();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(found["sources"][0]["status"], "partial");
    assert_eq!(found["sources"][0]["rejected"], 7, "{found}");
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn discovery_names_the_configuration_directory_and_each_state() {
    let scene = Scene::new();
    let processes: Vec<Process> = (0..4).map(|_| Process::start()).collect();
    for (process, state) in processes.iter().zip(["idle", "busy", "waiting", "postponed"]) {
        let session = format!("7f9619ff-8b86-4d01-b42d-{:012}", process.pid());
        scene.record(process.pid(), json!({"status": state, "sessionId": session}));
    }
    let found = scene.discover("/nowhere").done();
    let mut states: Vec<&str> =
        found["sessions"].as_array().unwrap().iter().map(|row| row["runtime_status"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["busy", "idle", "unknown", "waiting"]);
    let row = &found["sessions"][0];
    assert_eq!(row["home"], scene.config.to_str().unwrap());
    assert_eq!(row["workspace"], scene.workspace.to_str().unwrap());
    assert_eq!(found["sources"][0]["status"], "ok");
}

#[test]
fn without_readable_records_the_client_is_asked_and_never_for_long() {
    let scene = Scene::new();
    let process = Process::start();
    fs::remove_dir(scene.config.join("sessions")).unwrap();
    fs::write(scene.config.join("sessions"), "").unwrap();
    let programs = scene.sandbox.root().join("bin");
    fs::create_dir(&programs).unwrap();
    let program = programs.join("claude");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let script = |text: &str| write_program(&program, &format!("#!/bin/sh\n{text}\n"));
    let row = |pid: u32, session: &str, status: &str| {
        json!({"pid": pid, "cwd": scene.workspace, "kind": "interactive", "startedAt": 1, "sessionId": session,
            "status": status})
    };
    let rows = json!([row(process.pid(), SESSION, "waiting"), row(4_000_000, OTHER, "idle"), {"pid": "x"}]);
    script(&format!("[ \"$*\" = 'agents --json' ] && echo '{rows}'"));
    let found = scene.discover(&path).done();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["sessions"][0]["runtime_status"], "waiting");
    let states: Vec<&Value> = found["sources"].as_array().unwrap().iter().map(|source| &source["status"]).collect();
    assert_eq!(states, ["unavailable", "ok"]);
    // To explain, never to reach: only the record names the socket.
    let ask = |words: &[&str]| run(scene.sandbox.htalk_command(words).env("PATH", &path), b"");
    let told = ask(&["peer", "check", "b"]).refused("claude_records_unreadable");
    assert!(told["detail"].as_str().unwrap().contains(&process.pid().to_string()), "{told}");
    let told = ask(&["--as", "a", "send", "b", "--message", "x"]).json();
    assert_eq!(told["notification_detail"], "claude_records_unreadable");
    // One that outlasts the ceiling of the time limit, and one more that it starts.
    let pids = scene.sandbox.root().join("pids");
    let hangs = format!("sleep 600 & echo $! >>{0}; echo $$ >>{0}; exec sleep 600", pids.display());
    for bad in ["echo nonsense", "exit 3", "yes", &hangs] {
        script(bad);
        let begun = Instant::now();
        let found = scene.discover(&path).json();
        assert_eq!(found["sessions"], json!([]), "{bad}: {found}");
        assert_within(Duration::from_secs(3), begun);
    }
    let left: Vec<u32> = fs::read_to_string(pids).unwrap().lines().map(|pid| pid.parse().unwrap()).collect();
    assert!(left.len() == 2 && !left.iter().any(|pid| is_alive(*pid)), "{left:?}");
}
