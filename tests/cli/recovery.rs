//! `recovery` and `next_action`: the commands run as they stand, wherever the mailbox lies.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, keys, run};

/// Directories whose names a careless quoting would trip over.
const ODD: [&str; 8] = [
    "with blank",
    "quote'and\"",
    "$HOME `id` $(id)",
    "new\nline",
    "-dash",
    "*?[a]",
    "ünïcode漢",
    "back\\slash; true #",
];

#[test]
fn every_command_runs_as_it_stands_whatever_the_path() {
    for name in ODD {
        let sandbox = Sandbox::new();
        let directory = sandbox.root().join(name);
        fs::create_dir(&directory).unwrap();
        let mailbox = directory.join("mail box's.db");
        let htalk = |words: &[&str]| {
            let mut command = sandbox.htalk_command(words);
            run(command.env("HTALK_DB", &mailbox), b"").done()
        };
        for peer in ["a", "b"] {
            htalk(&["peer", "add", peer, "--harness", "test", "--delivery", "pull"]);
        }
        let request = htalk(&["--as", "a", "send", "b", "--message", "x"]);
        let id = request["id"].as_str().unwrap().to_owned();
        let answer = htalk(&["--as", "b", "reply", &id, "--message", "y"]);
        let answered = htalk(&["--as", "a", "show", &id]);
        let incoming = htalk(&["--as", "b", "inbox"]);
        assert_eq!(incoming["total"], 0);
        let mut refused = sandbox.htalk_command(&["--as", "a", "send", "b", "--id", &id, "--message", "z"]);
        let refused = run(refused.env("HTALK_DB", &mailbox), b"").refused("message_id_conflict");
        for (object, names) in [
            (&request, &["show", "wait"][..]),
            (&answer, &["show"]),
            (&answered, &["show", "show_reply", "ack_after_reading"]),
            (&refused, &["peers", "sent", "inbox", "show"]),
        ] {
            let mut found = keys(&object["recovery"]);
            let mut names = names.to_vec();
            found.sort_unstable();
            names.sort_unstable();
            assert_eq!(found, names, "{name:?}");
            for key in names {
                let ran = sandbox.sh(object["recovery"][key].as_str().unwrap());
                assert_eq!(ran.code, 0, "{name:?} {key}: {ran:?}");
                ran.json();
            }
        }
    }
}

/// The recovery keys of a message as an actor sees it.
fn recovery(sandbox: &Sandbox, actor: &str, id: &str) -> Vec<String> {
    let shown = sandbox.htalk(&["--as", actor, "show", id]).done();
    let mut found: Vec<String> = keys(&shown["recovery"]).into_iter().map(str::to_owned).collect();
    found.sort();
    // One or two plain sentences that name only commands which are there.
    let words = shown["next_action"].as_str().unwrap();
    for key in ["wait", "show_reply", "ack_after_reading", "retry_notification_cleanup"] {
        let is_named = words.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).any(|word| word == key);
        assert!(!is_named || found.iter().any(|name| name == key), "{key} in {words:?}");
    }
    assert!(words.ends_with('.') && (1..=3).contains(&words.matches(". ").count().saturating_add(1)), "{words:?}");
    found
}

#[test]
fn the_keys_follow_the_situation() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    assert_eq!(recovery(&sandbox, "a", &request), ["show", "wait"]);
    assert_eq!(recovery(&sandbox, "b", &request), ["ack_after_reading", "reply", "reply_with_message", "show"]);
    sandbox.htalk(&["--as", "b", "ack", &request]).done();
    assert_eq!(recovery(&sandbox, "b", &request), ["reply", "reply_with_message", "show"]);
    let shown = sandbox.htalk(&["--as", "b", "show", &request]).done();
    let with_message = shown["recovery"]["reply_with_message"].as_str().unwrap();
    assert!(with_message.ends_with(&format!("reply {request} --message TEXT")), "{shown}");
    let answer = sandbox.sh(&format!("echo y | {}", shown["recovery"]["reply"].as_str().unwrap())).done();
    let answer = answer["id"].as_str().unwrap().to_owned();
    assert_eq!(recovery(&sandbox, "b", &request), ["show"]);
    assert_eq!(recovery(&sandbox, "a", &request), ["ack_after_reading", "show", "show_reply"]);
    assert_eq!(recovery(&sandbox, "a", &answer), ["ack_after_reading", "show"]);
    assert_eq!(recovery(&sandbox, "b", &answer), ["show"]);
    let shown = sandbox.htalk(&["--as", "a", "show", &request]).done();
    let read = sandbox.sh(shown["recovery"]["show_reply"].as_str().unwrap()).done();
    assert_eq!(read["id"], answer);
    let acked = sandbox.sh(shown["recovery"]["ack_after_reading"].as_str().unwrap()).done();
    assert_eq!(acked["id"], answer, "the answer is acknowledged, not the request");
    assert_eq!(recovery(&sandbox, "a", &request), ["show", "show_reply"]);
    assert_eq!(recovery(&sandbox, "a", &answer), ["show"]);
}

#[test]
fn a_notice_that_was_attempted_is_never_to_be_repeated() {
    let sandbox = Sandbox::with_peers(&["a"]);
    sandbox.htalk(&["peer", "add", "n", "--harness", "opencode", "--session", "ses_1", "--workspace", "."]).done();
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    sandbox.htalk(&["--as", "a", "send", "n", "--no-notify", "--id", id, "--message", "x"]).done();
    let warns = |actor: &str| {
        let shown = sandbox.htalk(&["--as", actor, "show", id]).done();
        shown["next_action"].as_str().unwrap().contains("Never repeat an uncertain notification")
    };
    assert!(!warns("a"));
    // As a process leaves it that dies between the claim and the outcome.
    sandbox.sqlite(&format!("INSERT INTO notice_claims (message_id) VALUES ('{id}');")).text();
    let shown = sandbox.htalk(&["--as", "a", "show", id]).done();
    assert_eq!(
        (&shown["submission"], &shown["notification_finished_at"]),
        (&"submission_unknown".into(), &Value::Null)
    );
    assert!(warns("a") && warns("n"));
    // The recipient's acknowledgment finds the clean-up pending, and exits 0 all the same.
    let acked = sandbox.htalk(&["--as", "n", "ack", id]).done();
    assert_eq!(acked["notification_cleanup"]["status"], "pending");
    assert!(acked["recovery"]["retry_notification_cleanup"].is_string());
    let again = sandbox.sh(acked["recovery"]["retry_notification_cleanup"].as_str().unwrap()).done();
    assert_eq!(again["ack_at"], acked["ack_at"]);
    assert_eq!(again["submission"], "submission_unknown");
}

#[test]
fn an_error_names_the_ways_on_that_are_open() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for (words, code, expected) in [
        ("inbox", "peer_required_use_as_or_HTALK_PEER", &["peers"][..]),
        ("--as nobody inbox", "unknown_peer", &["peers"]),
        ("--as a inbox --limit 0", "limit_must_be_between_1_and_500", &["peers"]),
        ("--as a send nobody --message x", "unknown_peer", &["peers", "sent", "inbox"]),
        ("--as a show 1f0c9d52", "unknown_message", &["peers", "sent", "inbox"]),
        ("--as a send b --message-file gone", "message_file_unreadable", &["peers", "sent", "inbox"]),
    ] {
        let refused = sandbox.htalk(&words.split(' ').collect::<Vec<_>>()).refused(code);
        assert_eq!(keys(&refused["recovery"]), expected, "{words}");
        assert!(refused["next_action"].as_str().is_some_and(|words| !words.is_empty()), "{words}");
        for command in refused["recovery"].as_object().unwrap().values() {
            sandbox.sh(command.as_str().unwrap()).done();
        }
    }
}
