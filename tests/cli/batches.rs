//! Requests to several recipients.

use std::thread;

use serde_json::{Value, json};

use crate::support::process::until;
use crate::support::{Sandbox, finish, kill};

const BATCH: &str = "5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c34";

/// A key of each message of an answer.
fn each<'a>(answer: &'a Value, key: &str) -> Vec<&'a Value> {
    answer["messages"].as_array().unwrap().iter().map(|message| &message[key]).collect()
}

#[test]
fn all_are_saved_or_none() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c", "d"]);
    let sent = sandbox.htalk(&["--as", "a", "send", "c", "b", "c", "d", "Look at this."]).done();
    assert_eq!(each(&sent, "recipient"), ["c", "b", "d"], "each once, in the order of the line");
    assert_eq!(each(&sent, "created"), [true, true, true]);
    let batch = sent["batch"].as_str().unwrap();
    let rows = sandbox.sqlite(&format!("SELECT recipient FROM batch_v WHERE batch = '{batch}' ORDER BY 1;"));
    assert_eq!(rows.text(), "b\nc\nd");
    for (words, code) in [
        (["b", "nobody", "x"], "unknown_peer"),
        (["b", "a", "x"], "sender_and_recipient_must_differ"),
        (["b", "c", " "], "message_must_be_1_to_32000_bytes"),
    ] {
        sandbox.htalk(&[&["--as", "a", "send"][..], &words].concat()).refused(code);
    }
    sandbox.htalk(&["peer", "retire", "d"]).done();
    let refused = sandbox.htalk(&["--as", "a", "send", "b", "d", "x"]).refused("peer_retired");
    assert_eq!(refused["detail"], "d is retired");
    assert_eq!(sandbox.sqlite("SELECT count(*), (SELECT count(*) FROM batches) FROM messages;").text(), "3|1");
}

#[test]
fn with_its_id_a_batch_can_be_repeated() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c", "d"]);
    let send = |words: &[&str]| sandbox.htalk(&[&["send", "--batch", BATCH], words].concat());
    let first = send(&["--as", "a", "b", "c", "x"]).done();
    let again = send(&["--as", "a", "c", "b", "x"]).done();
    assert_eq!((&again["batch"], each(&again, "created")), (&json!(BATCH), vec![&json!(false), &json!(false)]));
    assert_eq!(each(&again, "id"), [&first["messages"][1]["id"], &first["messages"][0]["id"]]);
    for words in [
        &["--as", "a", "b", "c", "y"][..],
        &["--as", "a", "b", "x"],
        &["--as", "a", "b", "d", "x"],
        &["--as", "a", "b", "c", "d", "x"],
        &["--as", "d", "b", "c", "x"],
    ] {
        send(words).refused("batch_conflict");
    }
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "2");
    // One recipient alone may be a batch too.
    let alone = "5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c35";
    let sent = sandbox.htalk(&["--as", "a", "send", "b", "x", "--batch", alone]).done();
    assert_eq!(each(&sent, "recipient"), ["b"]);
    sandbox.htalk(&["--as", "a", "send", "b", "c", "x", "--batch", "1f0c9d52"]).refused("invalid_uuid");
    // Many at once are one.
    let many = "5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c36";
    let created: usize = thread::scope(|scope| {
        let send = || sandbox.htalk(&["--as", "a", "send", "b", "c", "d", "z", "--batch", many]).done();
        let senders: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
        let answers = senders.into_iter().map(|sender| sender.join().unwrap());
        answers
            .map(|answer| each(&answer, "created").into_iter().filter(|created| **created == json!(true)).count())
            .sum()
    });
    assert_eq!(created, 3);
}

#[test]
fn its_answers_are_awaited_together() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c", "d"]);
    let sent = sandbox.htalk(&["--as", "a", "send", "b", "c", "d", "x", "--batch", BATCH]).done();
    let ids: Vec<&str> = each(&sent, "id").into_iter().map(|id| id.as_str().unwrap()).collect();
    let now = sandbox.htalk(&["--as", "a", "wait", "--batch", BATCH, "--seconds", "0"]).done();
    assert_eq!(
        (&now["total"], &now["wait_ended"], each(&now, "state")),
        (&json!(3), &json!("timeout"), vec![&json!("saved"), &json!("saved"), &json!("saved")])
    );
    let registered = |count: usize| {
        until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == count.to_string());
    };
    let all = sandbox.start(&["--as", "a", "wait", "--batch", BATCH]);
    registered(3);
    let any = sandbox.start(&["--as", "a", "wait", "--batch", BATCH, "--any"]);
    registered(6);
    sandbox.reply("c", ids[1], "First.");
    let first = finish(any).done();
    assert_eq!(each(&first, "state"), ["saved", "reply_received", "saved"]);
    assert!(first.get("wait_ended").is_none(), "{first}");
    sandbox.reply("d", ids[2], "Second.");
    sandbox.htalk(&["--as", "a", "cancel", ids[0]]).done();
    let over = finish(all).done();
    assert_eq!(each(&over, "state"), ["cancelled", "reply_received", "reply_received"]);
    assert!(over.get("wait_ended").is_none() && over["messages"][1]["reply"]["wait_returned_at"].is_f64(), "{over}");
    registered(0);
    // Within the bounds of a page.
    let page = sandbox.htalk(&["--as", "a", "wait", "--batch", BATCH, "--limit", "2"]).done();
    assert_eq!((page["messages"].as_array().unwrap().len(), &page["omitted"]), (2, &json!(1)));
    let next = sandbox.sh(page["next_page"].as_str().unwrap()).done();
    assert_eq!(each(&next, "id"), [ids[2]]);

    sandbox.htalk(&["--as", "b", "wait", "--batch", BATCH]).refused("wait_requires_own_request");
    let unknown = uuid::Uuid::new_v4().to_string();
    sandbox.htalk(&["--as", "a", "wait", "--batch", &unknown]).refused("unknown_batch");
    sandbox.htalk(&["--as", "a", "wait", "--batch", "1f0c9d52"]).refused("invalid_uuid");
    for (words, says) in [
        (&["wait"][..], "required"),
        (&["wait", ids[0], "--any"], "--batch"),
        (&["wait", ids[0], "--batch", BATCH], "cannot be used with"),
        (&["wait", ids[0], "--limit", "2"], "--batch"),
    ] {
        let misuse = sandbox.htalk(&[&["--as", "a"], words].concat());
        assert!(misuse.err.contains(says) && misuse.code == 2, "{words:?} {misuse:?}");
    }
}

#[test]
fn a_killed_wait_for_a_batch_is_swept_up() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    sandbox.htalk(&["--as", "a", "send", "b", "c", "x", "--batch", BATCH]).done();
    let waiting = sandbox.start(&["--as", "a", "wait", "--batch", BATCH, "--seconds", "1"]);
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == "2");
    kill(waiting);
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM waits;").text(), "2");
    // Its time has to be over; the next wait sweeps up.
    until("the end of its time", || sandbox.sqlite("SELECT count(*) FROM waiting_v;").text() == "0");
    sandbox.htalk(&["--as", "a", "wait", "--batch", BATCH, "--seconds", "0"]).done();
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM waits;").text(), "0");
    let files = std::fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().file_name());
    assert!(files.map(|name| name.into_string().unwrap()).all(|name| !name.contains("-wait-")));
}
