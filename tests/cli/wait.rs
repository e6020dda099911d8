//! Waiting for an answer.

use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::process::{until, wakes};
use crate::support::shell::Shell;
use crate::support::{Sandbox, finish};

/// Ten times what the contract promises for an answer that rings no bell.
const SEEN: Duration = Duration::from_millis(2_500);

/// Waits until so many waits are registered.
fn registered(sandbox: &Sandbox, count: usize) {
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == count.to_string());
}

/// Starts a wait of `a` and returns once it is registered.
fn start(sandbox: &Sandbox, request: &str, others: usize) -> Child {
    let child = sandbox.start(&["--as", "a", "wait", request]);
    registered(sandbox, others + 1);
    child
}

/// Checks that no wait left anything behind.
fn nothing_left(sandbox: &Sandbox) {
    registered(sandbox, 0);
    let files = std::fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().path());
    let bells: Vec<_> = files.filter(|file| file.to_str().unwrap().contains("-wait-")).collect();
    assert!(bells.is_empty(), "{bells:?}");
}

#[test]
fn an_answer_that_is_there_is_returned_at_once() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let answer = sandbox.reply("b", &request, "y");
    assert_eq!(sandbox.htalk(&["--as", "a", "show", &answer]).done()["wait_returned_at"], Value::Null);
    let start = Instant::now();
    for seconds in ["0", "45", "0.5"] {
        let waited = sandbox.htalk(&["--as", "a", "wait", &request, "--seconds", seconds]).done();
        assert_eq!((&waited["id"], &waited["reply"]["id"]), (&request.as_str().into(), &answer.as_str().into()));
        assert!(waited.get("wait_ended").is_none() && waited["reply"]["wait_returned_at"].is_f64());
    }
    assert!(start.elapsed() < Duration::from_secs(40));
    let returned = |sandbox: &Sandbox| sandbox.sqlite("SELECT at FROM wait_returns;").text().to_owned();
    let first = returned(&sandbox);
    sandbox.htalk(&["--as", "a", "wait", &request]).done();
    assert_eq!(returned(&sandbox), first, "only the first time counts");
    nothing_left(&sandbox);
}

#[test]
fn a_wait_without_an_answer_ends_when_its_time_is_over() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    for (seconds, least) in [("0", 0), ("0.3", 300), ("1e-1", 100)] {
        let start = Instant::now();
        let waited = sandbox.htalk(&["--as", "a", "wait", &request, "--seconds", seconds]).done();
        assert!(start.elapsed() >= Duration::from_millis(least), "{seconds}");
        assert_eq!((&waited["wait_ended"], &waited["reply"]), (&"timeout".into(), &Value::Null));
        assert!(waited["recovery"]["wait"].is_string());
    }
    nothing_left(&sandbox);
}

#[test]
fn a_wait_is_a_finite_number_of_seconds_up_to_45() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    for seconds in ["NaN", "nan", "-NaN", "inf", "-inf", "infinity", "46", "45.0001", "-1", "-0.1", "1e400"] {
        let code = "wait_seconds_must_be_between_0_and_45";
        sandbox.htalk(&["--as", "a", "wait", &request, "--seconds", seconds]).refused(code);
        sandbox.htalk(&["--as", "a", "send", "b", "--message", "y", "--wait", seconds]).refused(code);
    }
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 1, "nothing was sent");
    for seconds in ["-0", "0.0", "1e-9"] {
        sandbox.htalk(&["--as", "a", "wait", &request, "--seconds", seconds]).done();
    }
}

#[test]
fn two_waiters_are_both_woken_by_the_answer() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiters = [start(&sandbox, &request, 0), start(&sandbox, &request, 1)];
    let answer = sandbox.reply("b", &request, "y");
    let answered = Instant::now();
    for waiter in waiters {
        assert_eq!(finish(waiter).done()["reply"]["id"], answer);
    }
    assert!(answered.elapsed() < SEEN, "{:?}", answered.elapsed());
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM wait_returns;").text(), "1");
    nothing_left(&sandbox);
}

#[test]
fn a_waiter_sees_an_answer_that_plain_sql_wrote() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiter = start(&sandbox, &request, 0);
    let insert = format!(
        "INSERT INTO messages (sender, recipient, in_reply_to, body) VALUES ('b', 'a', '{request}', 'by hand');"
    );
    sandbox.sqlite(&insert).text();
    let answered = Instant::now();
    assert_eq!(finish(waiter).done()["reply"]["body"], "by hand");
    assert!(answered.elapsed() < SEEN, "{:?}", answered.elapsed());
    nothing_left(&sandbox);
}

#[test]
fn an_unrelated_message_ends_no_wait() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let (request, other) = (sandbox.send("a", "b", "x"), sandbox.send("a", "b", "y"));
    let waiter = start(&sandbox, &request, 0);
    sandbox.reply("b", &other, "not this one");
    sandbox.send("b", "a", "nor this one");
    registered(&sandbox, 1);
    sandbox.reply("b", &request, "this one");
    assert_eq!(finish(waiter).done()["reply"]["body"], "this one");
}

#[test]
fn a_waiter_outlasts_a_writer_that_holds_the_lock() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiter = start(&sandbox, &request, 0);
    let mut shell = Shell::lock(&sandbox);
    wakes(&waiter, 3);
    shell.tell(&format!(
        "INSERT INTO messages (sender, recipient, in_reply_to, body) VALUES ('b', 'a', '{request}', 'y'); COMMIT;"
    ));
    assert_eq!(finish(waiter).done()["reply"]["body"], "y");
    nothing_left(&sandbox);
}

#[test]
fn a_registration_that_a_killed_wait_left_is_swept_up() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let mut killed = start(&sandbox, &request, 0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    registered(&sandbox, 1);
    // The answer rings at a bell that nobody hears, and takes it down.
    sandbox.reply("b", &request, "y");
    sandbox.sqlite("DELETE FROM waits;").text();
    nothing_left(&sandbox);
}

#[test]
fn send_can_wait_for_its_answer() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    let send = ["--as", "a", "send", "b", "--id", id, "--message", "x", "--wait"];
    let waiter = sandbox.start(&[&send[..], &["45"]].concat());
    registered(&sandbox, 1);
    let answer = sandbox.reply("b", id, "y");
    let waited = finish(waiter).done();
    assert_eq!((&waited["id"], &waited["created"]), (&id.into(), &true.into()));
    assert_eq!(waited["reply"]["id"], answer);
    let retry = sandbox.htalk(&[&send[..], &["45"]].concat()).done();
    assert_eq!((&retry["created"], &retry["reply"]["id"]), (&false.into(), &answer.as_str().into()));
    let unanswered = sandbox.htalk(&["--as", "a", "send", "b", "--message", "z", "--wait", "0.1"]).done();
    assert_eq!((&unanswered["wait_ended"], &unanswered["created"]), (&"timeout".into(), &true.into()));
    let unwaited = sandbox.htalk(&["--as", "a", "send", "b", "--message", "z", "--wait", "0"]).done();
    assert!(unwaited.get("wait_ended").is_none());
    nothing_left(&sandbox);
}

#[test]
fn a_wait_ends_when_its_mailbox_is_gone_or_another() {
    for (replacement, code) in [(false, "database_not_found"), (true, "database_unavailable")] {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let request = sandbox.send("a", "b", "x");
        sandbox.sqlite("VACUUM INTO 'other.sqlite3';").text();
        let child = start(&sandbox, &request, 0);
        if replacement {
            std::fs::rename(sandbox.root().join("other.sqlite3"), sandbox.mailbox()).unwrap();
        } else {
            std::fs::remove_file(sandbox.mailbox()).unwrap();
        }
        finish(child).refused(code);
    }
}

/// One that is killed before it registers leaves a FIFO that no row names; those of others stay.
#[test]
fn a_bell_without_a_wait_is_taken_down_by_the_next_one() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    sandbox.sh("mkfifo mail.sqlite3-wait-left other.sqlite3-wait-left; : >mail.sqlite3-wait-file").text();
    let waiter = start(&sandbox, &request, 0);
    let second = start(&sandbox, &request, 1);
    let left = sandbox.sh("ls | grep -c wait-; ls | grep wait-left; ls | grep wait-file").text().to_owned();
    assert_eq!(left, "4\nother.sqlite3-wait-left\nmail.sqlite3-wait-file");
    sandbox.reply("b", &request, "y");
    finish(waiter).done();
    finish(second).done();
}
