//! What a session reports of a notice, in all the ways in which that can be slow, broken or false.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::fake::*;
use super::scene::Scene;

#[test]
fn what_a_session_reports_decides() {
    let unknown = "submission_unknown";
    for (delay, report, submission, detail) in [
        (21, json!({}), unknown, "claude_held_for_person"),
        (204, json!({}), unknown, "claude_held_for_person"),
        (10, json!({"status": "denied"}), "not_submitted", "claude_denied"),
        (10, json!({"status": "refused"}), "not_submitted", "claude_refused"),
        (10, json!({"status": "expired", "status_detail": "refused"}), "not_submitted", "claude_refused"),
        (10, json!({"status": "expired"}), "not_submitted", "claude_expired"),
        (10, json!({"status": "dropped", "drop_reason": "duplicate"}), "not_submitted", "claude_dropped:duplicate"),
        (305, json!({"status": "dropped", "drop_reason": "queue-full"}), "not_submitted", "claude_dropped:queue-full"),
        (10, json!({"status": "dropped", "drop_reason": "a\nb c"}), "not_submitted", "claude_dropped:unknown"),
        (10, json!({"status": "dropped"}), "not_submitted", "claude_dropped:unknown"),
        (10, json!({"status": "postponed"}), unknown, "claude_report_not_understood"),
        (10, json!({"status": 7}), unknown, "claude_report_not_understood"),
        (10, json!({"orig_msg_id": null}), unknown, "claude_report_not_understood"),
    ] {
        let scene = Scene::new();
        let session = scene.session(after(delay, report));
        scene.reported(&session, submission, detail);
        assert_eq!(scene.names(), [format!("{}.sock", session.pid())]);
    }
}

#[test]
fn a_list_of_dropped_messages_counts_too() {
    let scene = Scene::new();
    let session = scene.session(|frame| {
        let report = json!({"status": "dropped", "drop_reason": "queue-full", "orig_msg_id": OTHER,
            "dropped_msg_ids": [OTHER, frame.message_id()]});
        frame.say(&format!("{}\n", frame.report(report)));
    });
    scene.reported(&session, "not_submitted", "claude_dropped:queue-full");
}

#[test]
fn reports_about_something_else_and_late_ones_do_not_count() {
    for (delay, report) in [
        (10, json!({"orig_msg_id": OTHER})),
        (10, json!({"action": "peer_idle_notice"})),
        (10, json!({"type": "user"})),
        (5 * REPORT_TIME.as_millis() as u64, json!({})),
    ] {
        let scene = Scene::new();
        let session = scene.session(move |frame| {
            thread::sleep(Duration::from_millis(delay));
            if let Ok(mut stream) = UnixStream::connect(frame.sender()) {
                let _ = stream.write_all(format!("{}\n", frame.report(report.clone())).as_bytes());
            }
        });
        scene.outcome("submitted", &session.receipt());
    }
}

#[test]
fn reports_in_pieces_without_end_or_without_sense() {
    type Act = fn(&Frame);
    let cases: [(Act, &str, &str); 7] = [
        // In three pieces, with pauses.
        (
            |frame| {
                let words = format!("{}\n", frame.report(json!({})));
                let mut stream = UnixStream::connect(frame.sender()).unwrap();
                for piece in words.as_bytes().chunks(words.len() / 2) {
                    stream.write_all(piece).unwrap();
                    thread::sleep(Duration::from_millis(60));
                }
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        // Without the newline, ended by the close.
        (|frame| frame.say(&frame.report(json!({})).to_string()), "submission_unknown", "claude_held_for_person"),
        // After another line on the same connection.
        (
            |frame| {
                let (first, second) = (frame.report(json!({"orig_msg_id": OTHER})), frame.report(json!({})));
                frame.say(&format!("{first}\n\n{second}\n"));
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        // On a second connection, while the first one says nothing.
        (
            |frame| {
                let silent = UnixStream::connect(frame.sender()).unwrap();
                frame.say(&format!("{}\n", frame.report(json!({}))));
                thread::sleep(Duration::from_millis(50));
                drop(silent);
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        (|frame| frame.say("{\"type\":\"control\"\n"), "submission_unknown", "claude_report_not_understood"),
        (|frame| frame.say("\u{0}\u{1}\n"), "submission_unknown", "claude_report_not_understood"),
        // A line that never ends.
        (|frame| frame.say(&"x".repeat(100_000)), "submission_unknown", "claude_report_not_understood"),
    ];
    for (act, submission, detail) in cases {
        let scene = Scene::new();
        let session = scene.session(act);
        scene.reported(&session, submission, detail);
    }
}

#[test]
fn a_connection_that_is_opened_and_closed_says_nothing() {
    let scene = Scene::new();
    let session = scene.session(|frame| frame.say(""));
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn a_closed_connection_is_no_report() {
    for how in [Shutdown::Write, Shutdown::Both] {
        let scene = Scene::new();
        let session = scene.session(move |frame| frame.stream.shutdown(how).unwrap());
        scene.outcome("submitted", &session.receipt());
    }
}

#[test]
fn a_frame_that_was_not_read_is_uncertain() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let listener = UnixListener::bind(scene.socket_path(process.pid())).unwrap();
    thread::spawn(move || {
        let mut byte = [0];
        for stream in listener.incoming() {
            // Closed with the rest unread, which the sender's side sees as a reset.
            let _ = stream.unwrap().read(&mut byte);
        }
    });
    scene.outcome("submission_unknown", "claude_socket_reset");
}
