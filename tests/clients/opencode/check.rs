//! What a check finds, and what it refuses.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{Answer, Fake, Make, Server, session};
use super::setting::*;
use crate::support::Sandbox;
use crate::support::process::{assert_within, at_once};

#[test]
fn a_check_returns_what_was_seen_and_what_cannot_be() {
    let (sandbox, fake) = setting(|_| ());
    let found = check(&sandbox).done();
    assert_eq!(found["url"], fake.url());
    assert_eq!(found["server_version"], "1.18.33");
    assert_eq!(found["runtime_status"], "idle");
    assert_eq!(found["transport"], "opencode_prompt_async");
    assert_eq!(found["authenticated"], false);
    assert!(found["not_known"].as_str().unwrap().contains("TUI"));
    assert!(fake.seen().iter().all(|request| request.method == "GET"));
}

#[test]
fn a_check_tells_the_run_state_that_the_sessions_own_directory_has() {
    for (entry, state) in [
        (json!({"type": "busy"}), "busy"),
        (json!({"type": "retry", "attempt": 1, "message": "canned failure", "next": 1795980162582_u64}), "retry"),
        (json!({"type": "idle"}), "idle"),
        (json!({"type": "dreaming"}), "unknown"),
        (json!(7), "unknown"),
    ] {
        let (sandbox, _fake) = setting(|server| server.statuses = json!({"ses_other": {"type": "busy"}, ID: entry}));
        assert_eq!(check(&sandbox).done()["runtime_status"], state);
    }
    // The server may spell the directory in another way than the registration: its own spelling is asked for.
    let sandbox = Sandbox::with_peers(&["me"]);
    let link = sandbox.root().join("ä link");
    std::os::unix::fs::symlink(sandbox.root(), &link).unwrap();
    let server = Server::with(vec![session(ID, link.to_str().unwrap())]);
    let fake = Fake::new(move |request| server.answer(request));
    register(&sandbox, fake.url(), sandbox.root().to_str().unwrap());
    check(&sandbox).done();
    let asked = fake.seen().into_iter().find(|request| request.path() == "/session/status").unwrap();
    assert!(asked.query("directory").unwrap().ends_with("%2F%C3%A4%20link"), "{asked:?}");
}

#[test]
fn a_check_refuses_everything_but_the_exact_recipient() {
    let change = |pointer: &'static str, value: Value| {
        move |server: &mut Server| {
            let object = &mut server.sessions[0];
            match pointer.split_once('.') {
                Some((outer, inner)) => object[outer][inner] = value,
                None => object[pointer] = value,
            }
        }
    };
    let code = |change: Box<dyn FnOnce(&mut Server)>, code: &str| {
        let (sandbox, fake) = setting(change);
        check(&sandbox).refused(code);
        sandbox.htalk(&["--as", "me", "send", "oc", "--message", "hello"]);
        assert!(fake.prompts().is_empty(), "{code}");
    };
    code(Box::new(change("time.archived", json!(1795986522832_u64))), "recipient_session_archived");
    code(Box::new(change("parentID", json!("ses_parent"))), "opencode_child_session");
    code(Box::new(change("directory", json!("/"))), "recipient_identity_changed");
    code(Box::new(change("directory", json!("relative"))), "opencode_invalid_answer");
    code(Box::new(change("directory", Value::Null)), "opencode_invalid_answer");
    code(Box::new(|server| server.sessions.clear()), "recipient_not_in_opencode_server");
    code(Box::new(|server| server.statuses = json!([])), "opencode_invalid_answer");
    code(Box::new(|server| server.credentials = Some("c29tZW9uZTplbHNl")), "opencode_unauthorized");
    // It lies: another session under the id that was asked for.
    let (sandbox, fake) = bent(|request| {
        let other = session("ses_another", "/");
        (request.path() == format!("/session/{ID}")).then_some(Answer::Json(200, other))
    });
    check(&sandbox).refused("recipient_identity_changed");
    assert!(fake.prompts().is_empty());
}

#[test]
fn null_marks_are_no_marks() {
    let (sandbox, _fake) = setting(|server| {
        server.sessions[0]["parentID"] = Value::Null;
        server.sessions[0]["time"]["archived"] = Value::Null;
    });
    check(&sandbox).done();
}

#[test]
fn a_check_survives_a_broken_server() {
    let cases: [(&str, Make); 14] = [
        ("opencode_server_error:500", || Answer::Json(500, json!({"name": "UnknownError"}))),
        ("opencode_request_refused:403", || Answer::Empty(403)),
        ("opencode_unexpected_answer:204", || Answer::Empty(204)),
        ("opencode_unexpected_answer:302", || Answer::Raw(b"HTTP/1.1 302 x\r\nLocation: /other\r\n\r\n".to_vec())),
        ("opencode_invalid_answer", || Answer::Raw(b"HTTP/1.1 200 OK\r\n\r\n<!doctype html>".to_vec())),
        ("opencode_invalid_answer", || Answer::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
        ("opencode_invalid_answer", || Answer::Json(200, json!({"id": ID}))),
        ("opencode_invalid_answer", || {
            Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"id\":\xff\"}".to_vec())
        }),
        ("opencode_connection_closed", || Answer::HalfClose),
        ("opencode_connection_closed", || Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{".to_vec())),
        ("opencode_answer_too_large", || Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())),
        ("opencode_answer_too_large", || Answer::Endless(b"HTTP/1.1 200 OK\r\nX-Long: ".to_vec())),
        ("opencode_timed_out", || Answer::Stall(Vec::new())),
        ("opencode_timed_out", || Answer::Drip(LONG.to_vec())),
    ];
    std::thread::scope(|threads| {
        for (code, answer) in cases {
            threads.spawn(move || {
                let (sandbox, _fake) = bent(move |request| (request.path() == format!("/session/{ID}")).then(answer));
                let start = Instant::now();
                check(&sandbox).refused(code);
                assert_within(Duration::from_secs(6), start);
            });
        }
    });
}

#[test]
fn nobody_listening_is_known_at_once() {
    let sandbox = mailbox("http://127.0.0.1:1");
    at_once(|| check(&sandbox)).refused("recipient_unavailable");
}
