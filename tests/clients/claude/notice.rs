//! One notice: what is written, and what silence means.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use serde_json::json;

use super::fake::*;
use super::scene::Scene;
use crate::support::finish;
use crate::support::process::soon;

#[test]
fn silence_for_less_than_half_a_second_is_submitted_with_the_pid() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let (told, frames) = soon(Duration::from_millis(700), || {
        let begun = Instant::now();
        let told = scene.outcome("submitted", &session.receipt());
        assert!(begun.elapsed() >= REPORT_TIME, "{:?}", begun.elapsed());
        (told, session.frames())
    });
    assert_eq!(told["recipient_status"], "idle");
    assert_eq!(frames.len(), 1, "one attempt");
    let (frame, id) = (&frames[0], told["id"].as_str().unwrap());
    assert_eq!((frame["type"].as_str(), frame["session_id"].as_str()), (Some("user"), Some(SESSION)));
    assert_eq!(frame["priority"], "next");
    let text = frame["message"]["content"].as_str().unwrap();
    assert!(
        text.lines().any(|line| line.starts_with("htalk --db ") && line.ends_with(&format!("show {id}"))),
        "{text}"
    );
    assert!(!text.contains("a body that no notice carries"));
    assert_eq!(scene.names(), [format!("{}.sock", session.pid())], "its own socket is gone");
}

#[test]
fn no_two_frames_can_be_taken_for_one() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    scene.outcome("submitted", &session.receipt());
    scene.outcome("submitted", &session.receipt());
    let frames = session.frames();
    for key in ["from", "uuid", "msg_id", "message"] {
        assert_ne!(frames[0][key], frames[1][key], "{key}");
    }
}

#[test]
fn it_listens_beside_the_session_under_its_own_pid_for_nobody_else() {
    let scene = Scene::new();
    let session = scene.session(|frame| {
        let metadata = fs::symlink_metadata(frame.sender()).unwrap();
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.mode() & 0o777, 0o600);
        frame.say(&format!("{}\n", frame.report(json!({}))));
    });
    let child = scene.sandbox.start(&["--as", "a", "send", "b", "--message", "x"]);
    let expected = format!("uds:{}", scene.sockets.join(format!("{}.sock", child.id())).display());
    finish(child);
    assert_eq!(session.frames()[0]["from"], expected);
    scene.reported(&session, "submission_unknown", "claude_held_for_person");
}

#[test]
fn a_session_that_never_looks_is_submitted_and_one_that_is_stopped_uncertain() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let _listener = UnixListener::bind(scene.socket_path(process.pid())).unwrap();
    scene.outcome("submitted", &format!("claude_socket_bytes_written:{}", process.pid()));
    process.stop();
    let told = scene.outcome("submission_unknown", "claude_process_stopped");
    assert_eq!(told["recipient_status"], "unknown");
    assert_eq!(scene.check().done()["runtime_status"], "unknown");
}
