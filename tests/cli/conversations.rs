//! Notes, follow-ups and conversations.

use serde_json::{Value, json};

use crate::support::process::{signal, until};
use crate::support::{Sandbox, finish};

/// The ids of the messages of a page.
fn ids(page: &Value) -> Vec<&str> {
    page["messages"].as_array().unwrap().iter().map(|message| message["id"].as_str().unwrap()).collect()
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap()
}

#[test]
fn a_note_needs_no_answer_and_is_closed_by_its_acknowledgment() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let note = sandbox.htalk(&["--as", "a", "note", "b", "I push in an hour."]).done();
    assert_eq!(
        (&note["kind"], &note["about"], &note["body"], &note["created"]),
        (&json!("note"), &Value::Null, &json!("I push in an hour."), &json!(true))
    );
    assert_eq!(note["recovery"].as_object().unwrap().keys().collect::<Vec<_>>(), ["show"]);
    let inbox = sandbox.htalk(&["--as", "b", "inbox"]).done();
    assert_eq!(ids(&inbox), [id(&note)]);
    let ack = inbox["messages"][0]["recovery"]["ack_after_reading"].as_str().unwrap();
    sandbox.sh(ack).done();
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 0);
    sandbox.htalk(&["--as", "b", "reply", id(&note), "x"]).refused("reply_requires_a_request");
    sandbox.htalk(&["--as", "a", "wait", id(&note)]).refused("wait_requires_own_request");
    // With an id it can be repeated.
    let given = "5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c34";
    for created in [true, false] {
        let note = sandbox.htalk(&["--as", "a", "note", "b", "again", "--id", given]).done();
        assert_eq!(note["created"], created);
    }
    sandbox.htalk(&["--as", "a", "send", "b", "again", "--id", given]).refused("message_id_conflict");
}

#[test]
fn a_note_about_a_message_goes_to_the_other_side_of_its_conversation() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let request = sandbox.send("a", "b", "Can you look?");
    let progress = sandbox.htalk(&["--as", "b", "note", "--about", &request, "Half done."]).done();
    assert_eq!((&progress["recipient"], &progress["about"]), (&json!("a"), &json!(request)));
    let remark = sandbox.htalk(&["--as", "a", "note", "--about", id(&progress), "--message", "No hurry."]).done();
    assert_eq!((&remark["recipient"], &remark["about"]), (&json!("b"), &progress["id"]));
    sandbox.htalk(&["--as", "c", "note", "--about", &request, "x"]).refused("about_address_mismatch");
    sandbox.htalk(&["--as", "a", "send", "c", "x", "--about", &request]).refused("about_address_mismatch");
    let unknown = uuid::Uuid::new_v4().to_string();
    sandbox.htalk(&["--as", "a", "note", "--about", &unknown, "x"]).refused("unknown_message");
    sandbox.htalk(&["--as", "a", "note", "--about", "1f0c", "x"]).refused("invalid_uuid");
}

#[test]
fn a_note_does_not_end_a_wait_and_is_seen_by_a_watch() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiting = sandbox.start(&["--as", "a", "wait", &request]);
    until("the registration", || sandbox.sqlite("SELECT count(*) FROM waits;").text() == "1");
    let note = sandbox.htalk(&["--as", "b", "note", "--about", &request, "Half done."]).done();
    let answer = sandbox.reply("b", &request, "Done.");
    let waited = finish(waiting).done();
    assert_eq!(waited["reply"]["id"], answer.as_str());

    let watching = sandbox.start(&["--as", "a", "watch"]);
    until("the watch", || {
        let open = std::fs::read_dir(format!("/proc/{}/fd", watching.id())).unwrap();
        open.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).any(|file| file == sandbox.mailbox())
    });
    sandbox.htalk(&["--as", "b", "note", "a", "And this."]).done();
    // Long enough for three messages: it ends when it is told to.
    std::thread::sleep(std::time::Duration::from_secs(1));
    signal(&watching, crate::support::process::Signal::SIGTERM);
    let output = watching.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.contains(id(&note)) && lines.contains("a note"), "{lines}");
}

#[test]
fn all_that_belongs_to_a_conversation_is_shown_in_order() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let request = sandbox.send("a", "b", "A question.");
    sandbox.send("a", "b", "Of another conversation.");
    let note = sandbox.htalk(&["--as", "b", "note", "--about", &request, "Half done."]).done();
    let answer = sandbox.reply("b", &request, "Done.");
    let follow_up = sandbox.htalk(&["--as", "a", "send", "b", "And this?", "--about", &answer[..8]]).done();
    assert_eq!((&follow_up["kind"], &follow_up["about"]), (&json!("request"), &json!(answer)));
    let second = sandbox.reply("b", id(&follow_up), "That too.");
    let thread = [&request, id(&note), &answer, id(&follow_up), &second];
    for (actor, any) in [("a", request.as_str()), ("b", &second[..8]), ("a", id(&note))] {
        let page = sandbox.htalk(&["--as", actor, "show", any, "--thread"]).done();
        assert_eq!(ids(&page), thread, "{any}");
        assert_eq!((&page["total"], &page["omitted"]), (&json!(5), &json!(0)));
    }
    sandbox.htalk(&["--as", "c", "show", &request, "--thread"]).refused("message_not_addressed_to_peer");
    // Within the bounds of a page; its next page is a command.
    let mut page = sandbox.htalk(&["--as", "a", "show", &answer, "--thread", "--limit", "2"]).done();
    assert_eq!((ids(&page), &page["omitted"]), (thread[..2].to_vec(), &json!(3)));
    let mut seen = thread[..2].iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
    while let Some(next) = page["next_page"].as_str().map(str::to_owned) {
        page = sandbox.sh(&next).done();
        seen.extend(ids(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(seen, thread);
    let summary = sandbox.htalk(&["--as", "a", "show", &answer, "--thread", "--summary"]).done();
    assert_eq!(summary["messages"][1]["body_preview"], "Half done.");
    // The plain shell says the same.
    let view = format!("SELECT id FROM thread_v WHERE root_id = '{request}' ORDER BY seq;");
    assert_eq!(sandbox.sqlite(&view).text().lines().collect::<Vec<_>>(), thread);
    let misuse = sandbox.htalk(&["--as", "a", "show", &answer, "--limit", "2"]);
    assert!(misuse.err.contains("--thread") && misuse.code == 2, "{misuse:?}");
}

#[test]
fn a_text_may_stand_in_the_line() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.htalk(&["--as", "a", "send", "b", "In the line."]).done();
    assert_eq!(request["body"], "In the line.");
    let read = sandbox.htalk_reading(&["--as", "a", "send", "b", "-"], b"From standard input.").done();
    assert_eq!(read["body"], "From standard input.");
    let answer = sandbox.htalk_reading(&["--as", "b", "reply", id(&request), "-"], b"Likewise.").done();
    assert_eq!(answer["body"], "Likewise.");
    let answer = sandbox.htalk(&["--as", "b", "reply", id(&read), "An answer."]).done();
    assert_eq!(answer["body"], "An answer.");
    // With an option every word is a recipient; without one a single word is no message.
    sandbox.htalk(&["--as", "a", "send", "b", "nobody", "--message", "x"]).refused("unknown_peer");
    for (words, says) in [
        (&["send", "b"][..], "a text is missing"),
        (&["send", "b", "x", "--wait", "1", "--batch", "y"], "--batch"),
        (&["send", "b", "c", "x", "--id", "y"], "--id goes with one recipient"),
        (&["send", "b", "c", "x", "--about", "y"], "--about goes with one recipient"),
        (&["send", "b", "c", "x", "--wait", "1"], "--wait goes with one recipient"),
        (&["reply", id(&request)], "a text is missing"),
        (&["reply", id(&request), "x", "--message", "y"], "two texts"),
        (&["note", "b"], "a text is missing"),
        (&["note", "x", "--message", "y", "--about", id(&request)], "name no peer beside it"),
        (&["note", "--message", "y"], "name the peer"),
        (&["note"], "name the peer"),
        (&["note", "b", "x", "y"], "unexpected"),
    ] {
        let misuse = sandbox.htalk(&[&["--as", "a"], words].concat());
        assert!(misuse.err.contains(says) && (misuse.code, misuse.out.as_str()) == (2, ""), "{words:?} {misuse:?}");
    }
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 2, "nothing else was sent");
}
