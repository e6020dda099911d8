//! The one write: what its answer proves.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{Answer, Fake, Make, Request, Server, session};
use super::setting::*;
use crate::support::process::{Signal, assert_within, signal, stop_listening, until};
use crate::support::{Ran, Sandbox, finish};

const SECRET: &str = "the body that no notice carries";

fn send(sandbox: &Sandbox) -> Ran {
    sandbox.htalk(&["--as", "me", "send", "oc", "--message", SECRET])
}

#[test]
fn an_accepted_notice_is_one_post_with_one_text() {
    let (sandbox, fake) = setting(|server| server.statuses = json!({ID: {"type": "busy"}}));
    let sent = send(&sandbox).done();
    assert_eq!(sent["submission"], "submitted");
    assert_eq!(sent["notification_detail"], "opencode_prompt_accepted");
    assert_eq!(sent["recipient_status"], "busy");
    let [prompt] = &fake.prompts()[..] else { panic!("{:?}", fake.prompts()) };
    assert_eq!(prompt.path(), format!("/session/{ID}/prompt_async"));
    assert_eq!(prompt.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_slice(&prompt.body).unwrap();
    let text = body["parts"][0]["text"].as_str().unwrap();
    assert_eq!(body, json!({"parts": [{"type": "text", "text": text}]}));
    let id = sent["id"].as_str().unwrap();
    assert!(text.contains(id) && text.contains(&format!("--as oc show {id}")) && !text.contains(SECRET), "{text}");
    // An identical retry and an acknowledgment wake nobody.
    let again = sandbox.htalk(&["--as", "me", "send", "oc", "--id", id, "--message", SECRET]).done();
    assert_eq!((again["created"].as_bool(), again["submission"].as_str()), (Some(false), Some("submitted")));
    let acked = sandbox.htalk(&["--as", "oc", "ack", id]).done();
    assert!(["unsupported", "skipped"].contains(&acked["notification_cleanup"]["status"].as_str().unwrap()), "{acked}");
    assert_eq!(fake.prompts().len(), 1);
}

#[test]
fn the_answer_to_the_post_decides() {
    let cases: [(&str, &str, Make); 19] = [
        ("not_submitted", "opencode_unauthorized", || Answer::Empty(401)),
        ("not_submitted", "recipient_not_in_opencode_server", || Answer::Json(404, json!({"name": "NotFoundError"}))),
        ("not_submitted", "opencode_request_refused:400", || Answer::Json(400, json!({"name": "BadRequest"}))),
        ("not_submitted", "opencode_request_refused:403", || Answer::Empty(403)),
        ("not_submitted", "opencode_request_refused:429", || Answer::Empty(429)),
        ("submission_unknown", "opencode_server_error:500", || Answer::Json(500, json!({"name": "UnknownError"}))),
        ("submission_unknown", "opencode_server_error:503", || Answer::Empty(503)),
        ("submission_unknown", "opencode_unexpected_answer:200", || Answer::Json(200, json!({}))),
        ("submission_unknown", "opencode_unexpected_answer:202", || Answer::Empty(202)),
        ("submission_unknown", "opencode_unexpected_answer:302", || {
            Answer::Raw(b"HTTP/1.1 302 x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".to_vec())
        }),
        ("submission_unknown", "opencode_unexpected_answer:307", || {
            Answer::Raw(b"HTTP/1.1 307 x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".to_vec())
        }),
        ("submission_unknown", "opencode_invalid_answer", || Answer::Raw(b"204 No Content\r\n\r\n".to_vec())),
        ("submission_unknown", "opencode_invalid_answer", || Answer::Raw(b"HTTP/1.1 2O4 No\r\n\r\n".to_vec())),
        ("submission_unknown", "opencode_connection_closed", || Answer::Raw(b"HTTP/1.1 204 No Cont".to_vec())),
        ("submission_unknown", "opencode_connection_closed", || Answer::HalfClose),
        ("submission_unknown", "opencode_connection_closed", || Answer::Reset),
        ("submission_unknown", "opencode_answer_too_large", || Answer::Endless(b"HTTP/1.1 204 No\r\nX: ".to_vec())),
        ("submission_unknown", "opencode_timed_out", || Answer::Stall(b"HTTP/1.1 204 No Content\r\n".to_vec())),
        ("submission_unknown", "opencode_timed_out", || Answer::Drip(LONG.to_vec())),
    ];
    thread::scope(|threads| {
        for (submission, detail, answer) in cases {
            threads.spawn(move || {
                let (sandbox, fake) = bent(move |request| request.is_prompt().then(answer));
                let start = Instant::now();
                let sent = send(&sandbox);
                assert_within(Duration::from_secs(8), start);
                assert_eq!(sent.code, 2, "{detail}");
                let sent = sent.json();
                assert_eq!((&sent["submission"], &sent["notification_detail"]), (&json!(submission), &json!(detail)));
                assert_eq!(sent["recipient_status"], "idle");
                assert_eq!(fake.prompts().len(), 1, "{detail}: never twice");
            });
        }
    });
}

#[test]
fn what_fails_before_the_post_is_not_submitted() {
    let sandbox = mailbox("http://127.0.0.1:1");
    let sent = send(&sandbox);
    assert_eq!((sent.code, sent.json()["submission"].as_str()), (2, Some("not_submitted")));
    assert_eq!(sent.json()["notification_detail"], "recipient_unavailable");
    let (sandbox, fake) = bent(|request| (request.path() == "/session/status").then_some(Answer::HalfClose));
    let sent = send(&sandbox);
    assert_eq!((sent.code, sent.json()["submission"].as_str()), (2, Some("not_submitted")));
    assert_eq!(sent.json()["recipient_status"], Value::Null);
    assert!(fake.prompts().is_empty());
}

#[test]
fn a_server_that_goes_away_after_the_check_was_not_told() {
    // It answers the last question and stops listening: the connection for the prompt is refused.
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let object = session(ID, &workspace).to_string();
    register(&sandbox, &url, &workspace);
    let server = thread::spawn(move || {
        let mut listener = Some(listener);
        for body in [object.as_str(), "{}"] {
            let (mut stream, _) = listener.as_ref().unwrap().accept().unwrap();
            let mut bytes = [0; 4096];
            std::io::Read::read(&mut stream, &mut bytes).unwrap();
            if body == "{}" {
                stop_listening(listener.take().unwrap());
            }
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            std::io::Write::write_all(&mut stream, (head + body).as_bytes()).unwrap();
        }
    });
    let sent = send(&sandbox);
    server.join().unwrap();
    assert_eq!((sent.code, sent.json()["submission"].as_str()), (2, Some("not_submitted")));
    assert_eq!(sent.json()["notification_detail"], "recipient_unavailable");
    assert_eq!(sent.json()["recipient_status"], "idle");
}

#[test]
fn a_message_acknowledged_during_the_check_needs_no_notice() {
    let sandbox = Arc::new(Sandbox::with_peers(&["me"]));
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let server = Server::with(vec![session(ID, &workspace)]);
    // The recipient reads and acknowledges while the server is being asked for its state.
    let inside = Arc::downgrade(&sandbox);
    let fake = Fake::new(move |request| {
        if request.path() == "/session/status" {
            let sandbox = inside.upgrade().unwrap();
            let listed = sandbox.htalk(&["--as", "oc", "inbox"]).done();
            sandbox.htalk(&["--as", "oc", "ack", listed["messages"][0]["id"].as_str().unwrap()]).done();
        }
        server.answer(request)
    });
    register(&sandbox, fake.url(), &workspace);
    let sent = send(&sandbox).done();
    assert_eq!(sent["submission"], "not_submitted");
    assert_eq!(sent["notification_detail"], "acknowledged_before_notification");
    assert!(fake.prompts().is_empty());
}

fn held() -> (Sandbox, Fake) {
    bent(|request: &Request| request.is_prompt().then(|| Answer::Stall(Vec::new())))
}

#[test]
fn a_killed_sender_leaves_a_doubt_and_no_second_notice() {
    let (sandbox, fake) = held();
    let id = "0b6a6e3a-5c53-4c55-9a0e-6f1b2c3d4e5f";
    let words = ["--as", "me", "send", "oc", "--id", id, "--message", SECRET];
    let mut child = sandbox.start(&words);
    until("the prompt", || !fake.prompts().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = sandbox.htalk(&["--as", "me", "show", id]).done();
    assert_eq!(shown["submission"], "submission_unknown");
    assert_eq!(shown["notification_finished_at"], Value::Null);
    assert_eq!(sandbox.htalk(&words).done()["created"], false);
    assert_eq!(fake.prompts().len(), 1);
}

#[test]
fn an_interrupt_during_the_notice_names_the_saved_message() {
    let (sandbox, fake) = held();
    let child = sandbox.start(&["--as", "me", "send", "oc", "--message", SECRET]);
    until("the prompt", || !fake.prompts().is_empty());
    signal(&child, Signal::SIGTERM);
    let object = finish(child).ended(143);
    assert_eq!((&object["state"], &object["persistence"]), (&json!("interrupted"), &json!("saved")));
    let shown = sandbox.htalk(&["--as", "me", "show", object["message_id"].as_str().unwrap()]).done();
    assert_eq!(shown["submission"], "submission_unknown");
}
