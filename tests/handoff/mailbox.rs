//! A handoff's message is ordinary mail once it is submitted, and ordinary mail is never evidence.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::fake::inbox::Inbox;
use super::scene::{Scene, grades, id};
use crate::clients::codex::fake::{THREAD, well};
use crate::support::finish;
use crate::support::process::{Signal, signal};

#[test]
fn the_recipient_reads_acknowledges_and_answers_as_usual_and_nothing_of_it_is_evidence() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let told = scene.send("--to r --request-ack");
    let id = id(&told);
    let unchanged = || {
        let now = scene.status(&id);
        assert_eq!(grades(&now), ["submitted", "submitted", "pending", "not_requested"]);
        assert_eq!(now["handoff"], told["handoff"]);
    };
    // The command of the notice, as it stands.
    let notice = inbox.notice();
    let command = notice.lines().find(|line| line.contains(" --as r show ")).unwrap();
    let shown = scene.sandbox.sh(command).done();
    assert_eq!((&shown["id"], &shown["body"], &shown["sender"]), (&json!(id), &json!("hello"), &json!("b")));
    assert_eq!(shown["submission"], "submitted");
    unchanged();
    assert!(scene.htalk(&format!("--as r ack {id}")).done()["ack_at"].is_f64());
    unchanged();
    scene.htalk(&format!("--as r reply {id} --message yes")).done();
    unchanged();
    let shown = scene.htalk(&format!("--as b show {id}")).done();
    assert_eq!(shown["reply"]["body"], "yes");
    assert_eq!(scene.htalk("--as b sent").done()["total"], 1);
    let waited = scene.handoff(&format!("wait {id} --wait-timeout 6")).ended(1);
    assert_eq!(grades(&waited), ["timed_out_unknown", "submitted", "pending", "timed_out_unknown"]);
}

#[test]
fn the_inbox_shows_only_what_was_submitted_here() {
    let scene = Scene::new();
    let prepared = scene.prepare("--to q");
    assert_eq!(scene.mail("q"), 0, "prepared");
    scene.codex("exit 3");
    let unknown = scene.handoff("send --to q --message-file m").ended(1);
    assert_eq!((&unknown["handoff"]["state"], scene.mail("q")), (&json!("unknown"), json!(0)));
    scene.codex("echo \"error: unrecognized subcommand 'queue'\" >&2; exit 2");
    let refused = scene.handoff("send --to q --message-file m").ended(1);
    assert_eq!((&refused["handoff"]["state"], scene.mail("q")), (&json!("refused"), json!(0)));
    scene.codex_queues_for(THREAD);
    scene.send(&format!("{prepared} --to q"));
    assert_eq!(scene.mail("q"), 1, "submitted");
    scene.send("--to q --host h");
    assert_eq!(scene.mail("q"), 1, "the other host has its own mailbox, or none");
    scene.sandbox.assert_sound();
}

#[test]
fn between_fence_and_outcome_the_inbox_is_empty() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::freezing(&scene) else { return };
    let sender = scene.start("send --to r --message-file m");
    inbox.notice();
    assert_eq!(scene.mail("r"), 0);
    signal(&sender, Signal::SIGCONT);
    finish(sender).done();
    assert_eq!(scene.mail("r"), 1);
}

#[test]
fn a_watch_tells_of_a_handoff_that_another_message_overtook() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::freezing(&scene) else { return };
    let mut watch = scene.command(&["--as", "r", "watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["event"], "ready");
    let sender = scene.start("send --to r --message-file m");
    inbox.notice();
    let overtaker = scene.htalk("--as b send r --message later --no-notify").done();
    assert_eq!(next()["id"], overtaker["id"]);
    signal(&sender, Signal::SIGCONT);
    let handed = finish(sender).done();
    let told = next();
    assert_eq!(told["id"], id(&handed));
    assert!(told["seq"].as_i64() < overtaker["seq"].as_i64());
    signal(&watch, Signal::SIGTERM);
    watch.wait().unwrap();
}

#[test]
fn an_ordinary_send_cannot_take_the_id_of_a_handoff() {
    let scene = Scene::new();
    let id = scene.prepare("--to q");
    let ordinary =
        |recipient: &str, body: &str| scene.htalk(&format!("--as b send {recipient} --id {id} --message {body}"));
    for (recipient, body) in [("q", "hello"), ("q", "other"), ("c", "hello")] {
        let told = ordinary(recipient, body).json();
        assert_eq!(told["error"], "handoff_binding_conflict", "{told}");
    }
    assert_eq!(scene.sql("SELECT count(*) FROM messages;"), "0");
    scene.send(&format!("{id} --to q"));
    // From then on the mailbox's own rules decide.
    assert_eq!(ordinary("q", "hello").done()["created"], false);
    ordinary("q", "other").refused("message_id_conflict");
    assert_eq!(scene.queued().len(), 1);
}

#[test]
fn an_ordinary_acknowledgment_takes_the_queued_notice_back() {
    let scene = Scene::new();
    let server = scene.world.serve(well);
    let told = scene.send("--to q");
    assert_eq!(server.methods().iter().filter(|method| *method == "thread/queue/add").count(), 1);
    assert!(scene.queued().is_empty(), "a server that listens is the one way");
    let text = server.request("thread/queue/add")["params"]["input"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains(&id(&told)) && !text.contains("hello"), "{text}");
    let ack = scene.htalk(&format!("--as q ack {}", id(&told))).done();
    assert_eq!(ack["notification_cleanup"]["status"], "removed", "{ack}");
    assert_eq!(grades(&scene.status(&id(&told))), ["submitted", "submitted", "not_requested", "not_requested"]);
}

#[test]
fn a_handoff_can_be_talked_about_but_not_taken_back() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r"));
    scene.htalk(&format!("--as b cancel {id}")).refused("handoff_can_not_be_cancelled");
    let note = scene.htalk(&format!("--as b note --about {id} --message more --no-notify")).done();
    assert_eq!((&note["recipient"], &note["about"]), (&json!("r"), &json!(id)));
    let thread = scene.htalk(&format!("--as b show {id} --thread")).done();
    assert_eq!(thread["total"], 2);
}
