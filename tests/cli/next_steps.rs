//! The next step of an answer is one that helps in that very case.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, keys};

#[test]
fn two_peers_that_wait_for_each_other_are_told() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let first = sandbox.send("b", "a", "what do you think?");
    let second = sandbox.send("b", "a", "and of this?");
    let answered = sandbox.send("b", "a", "answered already");
    sandbox.reply("a", &answered, "yes");
    sandbox.send("c", "a", "of somebody else");
    let waited = sandbox.htalk(&["--as", "a", "send", "b", "--message", "and you?", "--wait", "0.01"]).done();
    assert_eq!((&waited["wait_ended"], &waited["open_request_ids"]), (&json!("timeout"), &json!([first, second])));
    assert!(waited["next_action"].as_str().unwrap().contains("open_request_ids"), "{waited}");
    let id = waited["id"].as_str().unwrap();
    // The other one is told as well, by the wait for a request that has been saved before.
    let other = sandbox.htalk(&["--as", "b", "wait", &first, "--seconds", "0"]).done();
    assert_eq!(other["open_request_ids"], json!([id]));
    // As soon as nothing is open, and where an answer came, nothing is said of it.
    sandbox.reply("a", &first, "x");
    sandbox.reply("a", &second, "y");
    let waited = sandbox.htalk(&["--as", "a", "wait", id, "--seconds", "0"]).done();
    assert_eq!((&waited["wait_ended"], waited.get("open_request_ids")), (&json!("timeout"), None));
    let came = sandbox.htalk(&["--as", "b", "wait", &first, "--seconds", "0"]).done();
    assert_eq!((came.get("wait_ended"), came.get("open_request_ids")), (None, None));
}

#[test]
fn a_number_is_told_as_it_was_typed() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for seconds in ["45.000001", "1e999", "-0.5", "NaN", "99999999999999999999"] {
        for words in [&["send", "b", "--message", "x", "--wait"][..], &["wait", "1f0c9d52", "--seconds"]] {
            let words = [&["--as", "a"], words, &[seconds]].concat();
            assert_eq!(sandbox.htalk(&words).refused("wait_seconds_must_be_between_0_and_45")["detail"], seconds);
        }
    }
}

/// The next step of an answer.
fn next(answer: &Value) -> &str {
    answer["next_action"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn where_no_mailbox_is_the_ways_on_need_none() {
    let sandbox = Sandbox::new();
    let refused = sandbox.htalk(&["--as", "me", "inbox"]).refused("database_not_found");
    assert_eq!(keys(&refused["recovery"]), ["discover", "peer_add"]);
    assert_ne!(sandbox.sh(refused["recovery"]["discover"].as_str().unwrap()).json()["error"], "database_not_found");
    for words in [&["peer", "list"][..], &["--as", "Me", "inbox"], &["--as", "", "inbox"], &["--as=-x", "inbox"]] {
        let refused = sandbox.htalk(words).refused("database_not_found");
        assert_eq!(keys(&refused["recovery"]), ["discover"], "{words:?}");
    }
    sandbox.sh(refused["recovery"]["peer_add"].as_str().unwrap()).done();
    sandbox.htalk(&["--as", "me", "inbox"]).done();
}

#[test]
fn a_file_that_can_not_be_read_offers_no_way_that_reads_it() {
    let sandbox = Sandbox::new();
    for bytes in [&b"no mailbox"[..], b""] {
        fs::write(sandbox.mailbox(), bytes).unwrap();
        let refused = sandbox.htalk(&["--as", "me", "inbox"]).refused("not_a_mailbox");
        for way in refused["recovery"].as_object().unwrap().values() {
            sandbox.sh(way.as_str().unwrap()).done();
        }
        assert_eq!(keys(&refused["recovery"]), if bytes.is_empty() { vec!["migrate"] } else { vec![] });
    }
}

#[test]
fn a_name_that_nobody_can_have_is_answered_with_the_rule() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for name in ["B", "b ", "", "é", "a.b", "_a"] {
        for words in
            [&["peer", "check", name][..], &["--as", "a", "send", name, "--message", "x"], &["--as", name, "inbox"]]
        {
            let refused = sandbox.htalk(words).refused("unknown_peer");
            assert!(next(&refused).contains("a-z, 0-9, _ and -"), "{words:?}: {refused}");
        }
        let refused = sandbox.htalk(&["peer", "add", name, "--harness", "x", "--delivery", "pull"]);
        assert!(next(&refused.refused("invalid_peer_name")).contains("a-z, 0-9, _ and -"), "{refused:?}");
    }
    let refused = sandbox.htalk(&["peer", "check", "bb"]).refused("unknown_peer");
    assert!(next(&refused).contains("nearest"), "{refused}");
    let refused = sandbox.htalk(&["--as", "a", "send", "b", "--id", "7", "--message", "x"]).refused("invalid_uuid");
    assert!(next(&refused).contains("--id") && !next(&refused).contains("inbox"), "{refused}");
    sandbox.htalk(&["peer", "retire", "b"]).done();
    let refused = sandbox.htalk(&["--as", "a", "send", "b", "--message", "x"]).refused("peer_retired");
    assert_eq!(refused["detail"], "b is retired");
    sandbox.sh(refused["recovery"]["restore"].as_str().unwrap()).done();
    sandbox.send("a", "b", "x");
}

#[test]
fn the_first_peer_is_told_where_it_is_alone() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let typo = sandbox.root().join("mial.sqlite3");
    let add = |name: &str| {
        let words = ["--db", typo.to_str().unwrap(), "peer", "add", name, "--harness", "x", "--delivery", "pull"];
        sandbox.htalk(&words).done()
    };
    let made = add("c");
    assert_eq!(made["resolved_path"], typo.to_str().unwrap());
    assert!(next(&made).contains("only peer") && next(&made).contains("--db"), "{made}");
    assert_eq!(add("c"), made);
    let second = add("d");
    assert_eq!((second.get("next_action"), second.get("resolved_path")), (None, None));
}

#[test]
fn a_client_that_was_not_told_has_words_of_its_own() {
    let sandbox = Sandbox::with_peers(&["a"]);
    // Nobody listens on a port that was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let words = ["peer", "add", "n", "--harness", "opencode", "--session", "ses_1", "--workspace", ".", "--url", &url];
    sandbox.htalk(&words).done();
    let checked = sandbox.htalk(&["peer", "check", "n"]).refused("recipient_unavailable");
    assert!(!next(&checked).contains("message"), "nothing was sent: {checked}");
    assert!(
        checked["recovery"]["discover"].as_str().unwrap().ends_with("peer discover --harness opencode"),
        "{checked}"
    );
    let sent = sandbox.htalk(&["--as", "a", "send", "n", "--message", "x"]).ended(2);
    assert_eq!(
        (&sent["submission"], &sent["notification_detail"]),
        (&json!("not_submitted"), &json!("recipient_unavailable"))
    );
    let id = sent["id"].as_str().unwrap();
    for told in [sent.clone(), sandbox.htalk(&["--as", "a", "show", id]).done()] {
        assert!(next(&told).contains("n was not told of it (recipient_unavailable)"), "{told}");
        assert!(next(&told).contains("Never repeat an uncertain notification"), "{told}");
    }
    // Whoever has read it knows of it.
    sandbox.htalk(&["--as", "n", "ack", id]).done();
    assert!(!next(&sandbox.htalk(&["--as", "a", "show", id]).done()).contains("not told"));
    // What was not tried is not told of either.
    let quiet = sandbox.htalk(&["--as", "a", "send", "n", "--no-notify", "--message", "x"]).done();
    assert!(!next(&quiet).contains("told"), "{quiet}");
}

#[test]
fn no_code_of_a_check_tells_of_a_message() {
    for row in htalk::codes::of_program() {
        let words = &row.next_step;
        assert!(!words.contains("essage is saved") || row.kind.name() != "recipient", "{}: {words}", row.code);
    }
}

#[test]
fn a_verb_of_another_program_is_answered_with_the_one_that_does_it() {
    let sandbox = Sandbox::new();
    for (words, meant) in [
        ("peer remove x", "'retire'"),
        ("peer rm x", "'retire'"),
        ("peer register x", "'add'"),
        ("--as x peer ls", "'list'"),
        ("handoff show x", "'status'"),
        ("fetch", "'inbox'"),
        ("--as a read x", "'show'"),
        ("respond x", "'reply'"),
        // By their letters.
        ("inbx", "'inbox'"),
        ("peer restor x", "'restore'"),
    ] {
        let ran = sandbox.htalk(&words.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}");
        assert!(ran.err.contains(meant), "{words}: {}", ran.err);
        let others = ["remove", "rm", "register"].iter().any(|word| words.contains(word));
        assert!(!others || !ran.err.contains("'restore'"), "{words}: {}", ran.err);
    }
}
