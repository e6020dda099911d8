//! A notice that is taken back once its message is acknowledged.

use std::fs;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use super::fake::*;
use super::world::*;
use crate::support::finish;
use crate::support::process::{Signal, assert_within, awaited, is_alive, signal, until};

#[test]
fn an_acknowledged_notice_is_taken_back_by_the_socket() {
    let world = World::with_peer(&[]);
    let server = world.serve(well);
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (cleanup["status"].as_str(), cleanup["queue_id"].as_str()),
        (Some("removed"), Some(QUEUED)),
        "{cleanup}"
    );
    let asked = server.request("thread/queue/delete")["params"].clone();
    assert_eq!(asked, json!({"threadId": THREAD, "queuedSubmissionId": QUEUED}));

    let deleted = |answer: Act| {
        let answer = Mutex::new(Some(answer));
        let world = World::with_peer(&[]);
        let _server =
            world.serve(but("thread/queue/delete", move |_, _| answer.lock().unwrap().take().into_iter().collect()));
        let id = world.send().id;
        world.ack(&id)
    };
    assert_eq!(deleted(Act::Result(json!({"deleted": false})))["status"], "absent");
    let doubt = deleted(Act::Hang);
    assert_eq!(
        (&doubt["status"], &doubt["detail"]),
        (&json!("unknown"), &json!("codex_withdrawal_unconfirmed:closed"))
    );
    let refused = deleted(Act::Error(-32600, format!("session {THREAD} is archived. Run …")));
    assert_eq!((&refused["status"], &refused["detail"]), (&json!("unknown"), &json!("recipient_session_archived")));
}

#[test]
fn without_a_server_a_withdrawal_starts_its_own() {
    let world = World::with_peer(&[]);
    world.known();
    // `codex app-server --stdio` ends when its input does; this one would stay for a while.
    world.codex(&format!(
        "if [ \"$1\" = queue ]; then echo 'Queued message {QUEUED} for thread {THREAD}.'; exit; fi\n\
         echo $$ >{0}/pid\n\
         while read -r line; do case $line in\n\
         *'\"initialize\"'*) echo '{{\"id\":1,\"result\":{{\"userAgent\":\"rig/0.171.0\"}}}}' ;;\n\
         *thread/queue/delete*) echo '{{\"method\":\"x\"}}'; echo '{{\"id\":2,\"result\":{{\"deleted\":true}}}}' ;;\n\
         esac; done; exec sleep 600",
        world.root().display()
    ));
    let notice = world.send();
    let start = Instant::now();
    let cleanup = world.ack(&notice.id);
    assert_eq!(cleanup["status"], "removed", "{cleanup}");
    assert_within(Duration::from_secs(1), start);
    assert!(world.calls().contains("[app-server]\n[--stdio]\n"), "{}", world.calls());
    assert!(!is_alive(awaited(&world.at("pid"))));

    world.codex("exit 1");
    assert_eq!(world.send().submission, "submission_unknown");
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("[ $1 = queue ] && echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (&cleanup["status"], &cleanup["detail"]),
        (&json!("unavailable"), &json!("codex_app_server_not_started"))
    );
    fs::remove_file(world.at("bin/codex")).unwrap();
    let cleanup = world.ack(&notice.id);
    assert_eq!((&cleanup["status"], &cleanup["detail"]), (&json!("unavailable"), &json!("adapter_unavailable")));
}

#[test]
fn an_interrupted_withdrawal_names_the_way_to_try_it_again() {
    let world = World::with_peer(&[]);
    let server = world.serve(but("thread/queue/delete", |_, _| Vec::new()));
    let id = world.send().id;
    let asked = || server.methods().iter().filter(|method| *method == "thread/queue/delete").count();
    for (times, (with, code)) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)].into_iter().enumerate() {
        let mut command = world.command(&["--as", "b", "ack", &id]);
        let ack = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("the request", || asked() > times);
        signal(&ack, with);
        let told = finish(ack).ended(code);
        assert_eq!((&told["state"], &told["persistence"]), (&json!("interrupted"), &json!("saved")));
        let again = told["recovery"]["retry_notification_cleanup"].as_str().unwrap();
        assert!(again.ends_with(&format!("--as b ack {id}")), "{told}");
        assert!(told["next_action"].as_str().unwrap().contains("retry_notification_cleanup"), "{told}");
    }
}

#[test]
fn the_notice_of_a_cancelled_request_is_taken_back() {
    let world = World::with_peer(&[]);
    let server = world.serve(well);
    let id = world.send().id;
    let cancelled = world.done(&["--as", "a", "cancel", &id]);
    assert_eq!((&cancelled["state"], &cancelled["submission"]), (&json!("cancelled"), &json!("submitted")));
    assert_eq!(cancelled["notification_cleanup"], json!({"status": "removed", "queue_id": QUEUED}));
    let asked = server.request("thread/queue/delete")["params"].clone();
    assert_eq!(asked, json!({"threadId": THREAD, "queuedSubmissionId": QUEUED}));

    // One that could not be asked for is asked for again by the same command.
    let world = World::with_queue();
    let id = world.send().id;
    world.codex("exit 1");
    let cancelled = world.done(&["--as", "a", "cancel", &id]);
    assert_eq!(cancelled["notification_cleanup"]["status"], "unavailable");
    let again = cancelled["recovery"]["retry_notification_cleanup"].as_str().unwrap();
    assert!(again.ends_with(&format!("--as a cancel {id}")), "{cancelled}");
}

#[test]
fn a_request_that_is_cancelled_before_the_write_is_not_told() {
    let world = Arc::new(World::with_peer(&[]));
    let inside = Arc::downgrade(&world);
    // The server is asked for the thread directly before the notice is queued: then the sender cancels.
    let _server = world.serve(but("thread/read", move |facts, request| {
        let world = inside.upgrade().unwrap();
        let id = world.sandbox().sqlite("SELECT id FROM messages;").text().to_owned();
        world.done(&["--as", "a", "cancel", &id]);
        well(facts, request)
    }));
    let sent = world.run(&["--as", "a", "send", "b", "--message", "x"]).done();
    assert_eq!(
        (&sent["submission"], &sent["notification_detail"], &sent["state"]),
        (&json!("not_submitted"), &json!("cancelled_before_notification"), &json!("cancelled"))
    );
}

#[test]
fn a_batch_tells_each_recipient_and_records_whom_it_did_not_come_to() {
    let world = World::with_peer(&[]);
    for (name, session) in
        [("c", "01a228b7-58fc-7e62-8f5a-f369cc0e7c01"), ("d", "01a228b7-58fc-7e62-8f5a-f369cc0e7d01")]
    {
        let words = ["peer", "add", name, "--harness", "codex", "--session", session, "--workspace", "WS"];
        world.done(&words);
    }
    // c is nowhere; b and the pull peer are told all the same, and the worst decides.
    let server = world.serve(well);
    let sent = world.run(&["--as", "a", "send", "c", "b", "--message", "x"]).ended(2);
    let said = |place: usize| sent["messages"][place]["submission"].as_str().unwrap().to_owned();
    assert_eq!((said(0).as_str(), said(1).as_str()), ("not_submitted", "submitted"), "{sent}");
    drop(server);

    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let world = World::with_peer(&[]);
        world.done(&["peer", "add", "c", "--harness", "claude", "--session", THREAD, "--workspace", "WS"]);
        let server = world.serve(but("thread/queue/add", |_, _| Vec::new()));
        let mut command = world.command(&["--as", "a", "send", "b", "c", "--message", "x"]);
        let sending = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("the write", || server.methods().iter().any(|method| method == "thread/queue/add"));
        signal(&sending, with);
        let told = finish(sending).ended(code);
        assert_eq!((&told["message_id"], &told["persistence"]), (&json!(null), &json!("saved")));
        let found = world.run(&["--as", "a", "sent"]).done();
        let said = |place: usize| {
            let message = &found["messages"][place];
            (message["submission"].clone(), message["notification_detail"].clone(), message["recipient"].clone())
        };
        assert_eq!(said(0), (json!("not_submitted"), json!("interrupted_before_notification"), json!("c")));
        assert_eq!(said(1), (json!("submission_unknown"), json!(null), json!("b")));
        let waited = world.sandbox().sh(&format!("{} --seconds 0", told["recovery"]["wait"].as_str().unwrap())).done();
        assert_eq!((&waited["total"], &waited["wait_ended"]), (&json!(2), &json!("timeout")));
    }
}
