//! Requests that are taken back.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::process::until;
use crate::support::{Sandbox, finish};

#[test]
fn a_request_that_is_taken_back_leaves_the_inbox_and_takes_no_answer() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let request = sandbox.send("a", "b", "x");
    sandbox.htalk(&["--as", "b", "cancel", &request]).refused("only_sender_can_cancel");
    sandbox.htalk(&["--as", "c", "cancel", &request]).refused("only_sender_can_cancel");
    let cancelled = sandbox.htalk(&["--as", "a", "cancel", &request[..8]]).done();
    assert_eq!(
        (&cancelled["state"], &cancelled["reply"], cancelled["cancelled_at"].is_f64()),
        (&json!("cancelled"), &Value::Null, true)
    );
    assert_eq!(cancelled["notification_cleanup"], json!({"status": "skipped", "detail": "pull_only"}));
    assert_eq!(cancelled["recovery"].as_object().unwrap().keys().collect::<Vec<_>>(), ["show"]);
    // Once more changes nothing.
    let before = sandbox.sqlite("SELECT at FROM cancellations;").text().to_owned();
    sandbox.htalk(&["--as", "a", "cancel", &request]).done();
    assert_eq!(sandbox.sqlite("SELECT at FROM cancellations;").text(), before);
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 0);

    let late = sandbox.htalk(&["--as", "b", "reply", &request, "late"]).refused("request_cancelled");
    assert_eq!(late["message_id"], request.as_str());
    let way = late["recovery"]["note"].as_str().unwrap();
    let note = sandbox.sh(&format!("echo Too late. | {way}")).done();
    assert_eq!((&note["kind"], &note["about"]), (&json!("note"), &json!(request)));
    let shown = sandbox.htalk(&["--as", "b", "show", &request]).done();
    assert_eq!(shown["state"], "cancelled");
    assert!(shown["next_action"].as_str().unwrap().contains("cancelled"), "{shown}");
}

#[test]
fn only_an_unanswered_request_can_be_taken_back() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let answer = sandbox.reply("b", &request, "y");
    let refused = sandbox.htalk(&["--as", "a", "cancel", &request]).refused("request_already_answered");
    assert_eq!(sandbox.sh(refused["recovery"]["show"].as_str().unwrap()).done()["reply"]["id"], answer.as_str());
    sandbox.htalk(&["--as", "b", "cancel", &answer]).refused("cancel_requires_a_request");
    let note = sandbox.htalk(&["--as", "a", "note", "b", "z"]).done();
    sandbox.htalk(&["--as", "a", "cancel", note["id"].as_str().unwrap()]).refused("cancel_requires_a_request");
    let unknown = uuid::Uuid::new_v4().to_string();
    sandbox.htalk(&["--as", "a", "cancel", &unknown]).refused("unknown_request");
    sandbox.htalk(&["--as", "a", "cancel", "1f0c"]).refused("invalid_uuid");
}

#[test]
fn a_wait_for_it_ends_and_says_so() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiting = sandbox.start(&["--as", "a", "wait", &request]);
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == "1");
    let start = Instant::now();
    sandbox.htalk(&["--as", "a", "cancel", &request]).done();
    let waited = finish(waiting).done();
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!((&waited["wait_ended"], &waited["state"]), (&json!("cancelled"), &json!("cancelled")));
    let again = sandbox.htalk(&["--as", "a", "wait", &request]).done();
    assert_eq!(again["wait_ended"], "cancelled");
    // By a row of the plain shell, which rings no bell.
    let second = sandbox.send("a", "b", "y");
    let waiting = sandbox.start(&["--as", "a", "wait", &second]);
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == "1");
    sandbox.sqlite(&format!(".timeout 10000\nINSERT INTO cancellations (message_id) VALUES ('{second}');")).text();
    assert_eq!(finish(waiting).done()["wait_ended"], "cancelled");
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM waits;").text(), "0");
}

#[test]
fn of_an_answer_and_a_cancellation_at_once_one_wins() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut wins = [0, 0];
    for _ in 0..24 {
        let request = sandbox.send("a", "b", "x");
        let (cancelled, answered) = thread::scope(|scope| {
            let cancel = scope.spawn(|| sandbox.htalk(&["--as", "a", "cancel", &request]));
            let reply = scope.spawn(|| sandbox.htalk(&["--as", "b", "reply", &request, "y"]));
            (cancel.join().unwrap(), reply.join().unwrap())
        });
        let shown = sandbox.htalk(&["--as", "b", "show", &request]).done();
        match cancelled.code {
            0 => {
                answered.refused("request_cancelled");
                assert_eq!((&shown["state"], &shown["reply"]), (&json!("cancelled"), &Value::Null));
                wins[0] += 1;
            }
            _ => {
                cancelled.refused("request_already_answered");
                assert_eq!((&shown["state"], &shown["cancelled_at"]), (&json!("reply_received"), &Value::Null));
                assert_eq!(answered.done()["in_reply_to"], request.as_str());
                wins[1] += 1;
            }
        }
    }
    assert_eq!(wins[0] + wins[1], 24);
}
