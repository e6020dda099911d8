//! A request, its answer, and what both sides find.

use serde_json::{Value, json};

use crate::support::process::until;
use crate::support::{Sandbox, finish, keys};

/// The keys of a stored message.
const STORED: [&str; 19] = [
    "seq",
    "id",
    "sender",
    "recipient",
    "in_reply_to",
    "kind",
    "about",
    "body",
    "created_at",
    "ack_at",
    "cancelled_at",
    "submission",
    "notification_started_at",
    "notification_finished_at",
    "notification_detail",
    "wait_returned_at",
    "recipient_status",
    "sender_source",
    "sender_session",
];

/// Checks that an object has the keys of a message and these besides.
#[track_caller]
fn is_message(object: &Value, more: &[&str]) {
    let mut expected: Vec<&str> = STORED.into_iter().chain(["reply", "state", "recovery", "next_action"]).collect();
    expected.extend(more);
    expected.sort_unstable();
    let mut found = keys(object);
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(object["seq"].is_i64() && object["created_at"].is_f64() && object["next_action"].is_string());
    assert_eq!(object["id"].as_str().unwrap().len(), 36);
    if !object["reply"].is_null() {
        assert_eq!(keys(&object["reply"]), STORED);
    }
}

#[test]
fn each_result_has_the_keys_of_the_contract() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let sent = sandbox.htalk(&["--as", "a", "send", "b", "--message", "x"]).done();
    is_message(&sent, &["actor_source", "created"]);
    let id = sent["id"].as_str().unwrap();
    is_message(
        &sandbox.htalk(&["--as", "a", "send", "b", "--message", "x", "--wait", "0.01"]).done(),
        &["actor_source", "created", "wait_ended"],
    );
    is_message(&sandbox.htalk(&["--as", "a", "wait", id, "--seconds", "0"]).done(), &["actor_source", "wait_ended"]);
    is_message(&sandbox.htalk(&["--as", "b", "ack", id]).done(), &["actor_source", "notification_cleanup"]);
    is_message(&sandbox.htalk(&["--as", "b", "reply", id, "--message", "y"]).done(), &["actor_source", "created"]);
    is_message(&sandbox.htalk(&["--as", "a", "wait", id]).done(), &["actor_source"]);
    is_message(&sandbox.htalk(&["--as", "a", "show", id]).done(), &["actor_source"]);
    for (name, verb) in [("a", "inbox"), ("a", "sent"), ("b", "inbox"), ("b", "sent")] {
        let page = sandbox.htalk(&["--as", name, verb]).done();
        assert_eq!(keys(&page), ["messages", "total", "omitted", "next_action"], "{verb} of {name}");
        for message in page["messages"].as_array().unwrap() {
            is_message(message, &[]);
        }
        for message in sandbox.htalk(&["--as", name, verb, "--summary"]).done()["messages"].as_array().unwrap() {
            let keys = keys(message);
            assert!(!keys.contains(&"body") && keys.contains(&"body_bytes") && keys.contains(&"body_preview"));
        }
    }
}

#[test]
fn a_request_is_answered_once() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "Which test is missing?");
    let answer = sandbox.reply("b", &request, "The one for empty input.");
    let again = sandbox.htalk(&["--as", "b", "reply", &request, "--message", "The one for empty input."]).done();
    assert_eq!((again["created"].as_bool(), again["id"].as_str()), (Some(false), Some(answer.as_str())));
    let other = sandbox.htalk(&["--as", "b", "reply", &request, "--message", "Another one."]);
    let other = other.refused("reply_conflict_existing_answer_preserved");
    assert_eq!(other["message_id"], request);
    assert!(other["next_action"].as_str().unwrap().contains("Do not resend"));
    let shown = sandbox.sh(other["recovery"]["show"].as_str().unwrap()).done();
    assert_eq!(shown["reply"]["body"], "The one for empty input.");
    let shown = sandbox.htalk(&["--as", "a", "show", &request]).done();
    assert_eq!(shown["reply"]["body"], "The one for empty input.");
    assert_eq!(shown["state"], "reply_received");
}

#[test]
fn a_repeated_send_is_saved_once_and_a_changed_one_is_refused() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    let send = |actor: &str, recipient: &str, body: &str| {
        sandbox.htalk(&["--as", actor, "send", recipient, "--id", id, "--message", body])
    };
    let first = send("a", "b", "x").done();
    assert_eq!((&first["created"], &first["id"]), (&json!(true), &json!(id)));
    let mut again = send("a", "b", "x").done();
    assert_eq!(again["created"], false);
    again["created"] = json!(true);
    assert_eq!(again, first);
    for (actor, recipient, body, may_read) in
        [("a", "b", "x ", true), ("a", "c", "x", true), ("b", "a", "x", true), ("c", "b", "x", false)]
    {
        let refused = send(actor, recipient, body).refused("message_id_conflict");
        assert_eq!(refused["message_id"], id);
        assert!(refused["next_action"].as_str().unwrap().contains("Do not resend"));
        let show = refused["recovery"].get("show");
        assert_eq!(show.is_some(), may_read, "{actor} is shown what is not its own: {refused}");
        if let Some(show) = show {
            assert_eq!(sandbox.sh(show.as_str().unwrap()).done()["body"], "x");
        }
    }
    // An id that was given to an answer is taken as well.
    let answer = sandbox.reply("b", id, "y");
    let taken = sandbox.htalk(&["--as", "a", "send", "b", "--id", &answer, "--message", "y"]);
    assert_eq!(taken.refused("message_id_conflict")["message_id"], answer);
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 1);
    sandbox.htalk(&["--as", "a", "send", "a", "--message", "x"]).refused("sender_and_recipient_must_differ");
}

#[test]
fn an_acknowledgment_keeps_its_first_time_and_wakes_nobody() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let workspace = sandbox.root().to_str().unwrap();
    for (name, last) in [("m", '1'), ("n", '2')] {
        let session = format!("0199f1a2-b3c4-4d5e-8f60-71829300000{last}");
        let words = ["peer", "add", name, "--harness", "codex", "--session", &session, "--workspace", workspace];
        sandbox.htalk(&words).done();
    }
    let id = sandbox.htalk(&["--as", "m", "send", "n", "--no-notify", "--message", "x"]).done();
    let id = id["id"].as_str().unwrap();
    let first = sandbox.htalk(&["--as", "n", "ack", id]).done();
    assert!(first["ack_at"].is_f64());
    assert_eq!(first["notification_cleanup"]["status"], "skipped");
    assert_eq!(first["notification_cleanup"]["detail"], "no_confirmed_queue_receipt");
    assert_eq!(sandbox.htalk(&["--as", "n", "ack", id]).done(), first);
    assert_eq!(sandbox.htalk(&["--as", "m", "show", id]).done()["ack_at"], first["ack_at"]);
    let pull = sandbox.send("a", "b", "x");
    let cleanup = sandbox.htalk(&["--as", "b", "ack", &pull]).done()["notification_cleanup"].clone();
    assert_eq!(cleanup, json!({"status": "skipped", "detail": "pull_only"}));
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM notice_claims;").text(), "0");
}

#[test]
fn no_notice_is_made_for_pull_peers_and_none_where_it_is_not_wanted() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.htalk(&["peer", "add", "n", "--harness", "opencode", "--session", "ses_1", "--workspace", "."]).done();
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    for words in [&["b", "--message", "x"][..], &["n", "--no-notify", "--message", "x", "--id", id]] {
        let sent = sandbox.htalk(&[&["--as", "a", "send"], words].concat()).done();
        assert_eq!(sent["submission"], "not_submitted");
        for key in ["notification_started_at", "notification_finished_at", "notification_detail", "recipient_status"] {
            assert_eq!(sent[key], Value::Null, "{key}");
        }
    }
    // A retry never notifies, even if the first run was told not to.
    let retry = sandbox.htalk(&["--as", "a", "send", "n", "--message", "x", "--id", id]).done();
    assert_eq!((&retry["created"], &retry["notification_started_at"]), (&json!(false), &Value::Null));
}

/// A request from the native peer `n` to the pull peer `a`, whose answer is a notice to `n`.
fn asked_by_a_native_peer(id: &str) -> Sandbox {
    let sandbox = Sandbox::with_peers(&["a"]);
    sandbox.htalk(&["peer", "add", "n", "--harness", "opencode", "--session", "ses_1", "--workspace", "."]).done();
    sandbox.htalk(&["--as", "n", "send", "a", "--id", id, "--message", "x"]).done();
    sandbox
}

#[test]
fn a_notice_that_nobody_needs_is_skipped_and_no_failure() {
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    // The moment between the claim and the attempt is too short to be met, so the acknowledgment comes with the claim.
    let acknowledged = "CREATE TRIGGER at_once AFTER INSERT ON notice_claims BEGIN
        INSERT INTO acks (message_id, peer) SELECT id, recipient FROM messages WHERE id = NEW.message_id; END;";
    let returned = "CREATE TRIGGER at_once AFTER INSERT ON notice_claims BEGIN
        INSERT INTO wait_returns (message_id) VALUES (NEW.message_id); END;";
    let retired = "INSERT INTO peer_retirements (peer, action) VALUES ('n', 'retired');";
    for (meanwhile, code) in [
        (acknowledged, "acknowledged_before_notification"),
        (returned, "returned_by_recipient_wait"),
        (retired, "recipient_retired"),
    ] {
        let sandbox = asked_by_a_native_peer(id);
        sandbox.sqlite(meanwhile).text();
        let answer = sandbox.htalk(&["--as", "a", "reply", id, "--message", "y"]).done();
        assert_eq!((&answer["submission"], &answer["notification_detail"]), (&json!("not_submitted"), &json!(code)));
        assert!(answer["notification_started_at"].is_f64() && answer["notification_finished_at"].is_f64());
        assert_eq!(answer.get("notification_cleanup").is_some(), code == "acknowledged_before_notification");
    }
}

#[test]
fn an_answer_that_a_live_wait_takes_is_no_notice() {
    let id = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
    let sandbox = asked_by_a_native_peer(id);
    let waiting = sandbox.start(&["--as", "n", "wait", id]);
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == "1");
    let answer = sandbox.htalk(&["--as", "a", "reply", id, "--message", "y"]).done();
    assert_eq!(answer["notification_detail"], "returned_by_recipient_wait");
    assert_eq!(finish(waiting).done()["reply"]["id"], answer["id"]);
}

#[test]
fn the_inbox_holds_open_questions_and_unread_answers() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let open = |name: &str| {
        let page = sandbox.htalk(&["--as", name, "inbox"]).done();
        let ids: Vec<Value> =
            page["messages"].as_array().unwrap().iter().map(|message| message["id"].clone()).collect();
        assert_eq!(page["total"], ids.len());
        ids
    };
    let (one, two) = (sandbox.send("a", "b", "1"), sandbox.send("a", "b", "2"));
    assert_eq!((open("a"), open("b")), (vec![], vec![json!(one), json!(two)]));
    sandbox.htalk(&["--as", "b", "ack", &one]).done();
    assert_eq!(open("b"), [one.as_str(), two.as_str()], "an acknowledged question is still open");
    let answer = sandbox.reply("b", &one, "3");
    assert_eq!((open("a"), open("b")), (vec![json!(answer)], vec![json!(two)]));
    sandbox.htalk(&["--as", "a", "show", &answer]).done();
    sandbox.htalk(&["--as", "a", "wait", &one]).done();
    assert_eq!(open("a"), [answer.as_str()], "neither reading nor waiting acknowledges");
    sandbox.htalk(&["--as", "a", "ack", &answer]).done();
    assert!(open("a").is_empty());
}

#[test]
fn reading_changes_nothing() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let answer = sandbox.reply("b", &request, "y");
    sandbox.send("a", "b", "z");
    let before = sandbox.sqlite(".dump").text().to_owned();
    for _ in 0..2 {
        for (name, id) in [("a", &request), ("a", &answer), ("b", &request), ("b", &answer)] {
            sandbox.htalk(&["--as", name, "show", id]).done();
            for verb in ["inbox", "sent"] {
                let (first, second) = (sandbox.htalk(&["--as", name, verb]), sandbox.htalk(&["--as", name, verb]));
                assert_eq!(first.done(), second.done());
            }
        }
        sandbox.htalk(&["peer", "list", "--all"]).done();
        sandbox.htalk(&["peer", "check", "a"]).done();
        assert_eq!(sandbox.sh("htalk --as b watch | head -n 2").out.lines().count(), 2);
        sandbox.sh("htalk --as b inbox | true").text();
    }
    assert_eq!(sandbox.sqlite(".dump").text(), before);
}
