//! What confirms a notice without a report: the transcript, and a client that moves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::fake::*;
use super::scene::Scene;
use crate::support::process::soon;

#[test]
fn a_line_of_the_transcript_ends_the_waiting() {
    let scene = Scene::new();
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"an older text\"}\n")
        .unwrap();
    let session = scene.session(move |frame| append_queued(&path, frame));
    soon(REPORT_TIME * 3 / 4, || scene.outcome("submitted", &session.receipt()));
}

#[test]
fn a_transcript_that_shows_others_but_not_this_one_leaves_doubt() {
    let scene = Scene::new();
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"another\"}\n").unwrap();
    let session = scene.session(|_| {});
    scene.outcome("submission_unknown", "claude_not_confirmed");
    // One that has no such lines says nothing.
    fs::write(&path, "{\"type\":\"user\"}\n").unwrap();
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn the_client_itself_is_believed_only_if_it_moved() {
    let scene = Scene::new();
    let still = scene.session_of(Process::client(&scene), |_| {});
    scene.outcome("submission_unknown", "claude_not_confirmed");
    scene.record(still.pid(), json!({"status": "busy"}));
    scene.outcome("submission_unknown", "claude_not_confirmed");
    drop(still);
    // Its record turns busy, as when a turn begins.
    let process = Process::client(&scene);
    let path = scene.record_path(process.pid());
    let moving = scene.session_of(process, move |_| {
        let busy = fs::read_to_string(&path).unwrap().replace("\"idle\"", "\"busy\"");
        fs::write(&path, busy).unwrap();
    });
    scene.outcome("submitted", &moving.receipt());
}

#[test]
fn a_busy_record_alone_does_not_end_the_waiting() {
    let scene = Scene::new();
    let process = Process::start();
    let path = scene.record_path(process.pid());
    let session = scene.session_of(process, move |frame| {
        let busy = fs::read_to_string(&path).unwrap().replace("\"idle\"", "\"busy\"");
        fs::write(&path, busy).unwrap();
        thread::sleep(Duration::from_millis(305));
        let report = frame.report(json!({"status": "dropped", "drop_reason": "queue-full"}));
        frame.say(&format!("{report}\n"));
    });
    scene.reported(&session, "not_submitted", "claude_dropped:queue-full");
}

#[test]
fn where_nobody_can_listen_only_the_transcript_confirms() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    fs::set_permissions(&scene.sockets, fs::Permissions::from_mode(0o777)).unwrap();
    scene.outcome("submission_unknown", "claude_no_report_possible");
    assert!(!session.frames()[0]["from"].as_str().unwrap().starts_with("uds:"));
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let session = scene.session(move |frame| append_queued(&path, frame));
    scene.outcome("submitted", &session.receipt());
}
