//! Waits: what they are from their start, how they end, and what is late.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use serde_json::json;

use super::fake::inbox::Inbox;
use super::scene::{Scene, ended, grades, id};
use crate::support::process::{Signal, signal, until};
use crate::support::shell::Shell;
use crate::support::{finish, kill};

/// The listed row of the newest handoff.
fn newest(scene: &Scene) -> serde_json::Value {
    scene.handoff("list").done()["handoffs"][0].clone()
}

#[test]
fn a_wait_that_can_not_be_met_has_ended_when_it_begins() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let (plain, asked) = (id(&scene.send("--to r")), id(&scene.send("--to r --request-ack")));
    let queued = id(&scene.send("--to q"));
    for (id, words, status, reason) in [
        (&plain, "--wait-timeout 60", "unsupported", "evidence_unsupported"),
        (&queued, "--wait-timeout 60", "unsupported", "evidence_unsupported"),
        (&asked, "--wait-timeout 60 --wait-for delivered", "unsupported", "evidence_unsupported"),
        (&asked, "--wait-timeout 5", "failed", "insufficient_budget"),
        (&asked, "--wait-timeout 1", "failed", "insufficient_budget"),
    ] {
        let told = scene.handoff(&format!("wait {id} {words}")).ended(1);
        let wait = &told["handoff"]["wait"];
        assert_eq!((&wait["status"], &wait["reason"]), (&json!(status), &json!(reason)), "{words}");
        assert_eq!(told["handoff"]["state"], "submitted");
    }
    let prepared = scene.prepare("--to r");
    scene.handoff(&format!("wait {prepared}")).refused_by(1, "handoff_not_attempted");
    for seconds in ["0", "61", "1.5", "+6", "-6", "6s", "0x6", ""] {
        let words = ["--as", "b", "handoff", "wait", &asked, "--wait-timeout", seconds];
        scene.run(&words).refused_by(2, "wait_timeout_must_be_between_1_and_60");
    }
    drop(inbox);
}

#[test]
fn what_no_client_tells_is_refused_before_anything_is_sent() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let prepared = scene.prepare("--to r");
    for words in ["send", &format!("send {prepared}")] {
        let ran = scene.handoff(&format!("{words} --to r --message-file m --wait-for delivered"));
        let told = ended(&ran, "refused", "evidence_unsupported");
        assert_eq!(grades(&told), ["refused", "refused", "not_requested", "unsupported"]);
        assert_eq!(told["handoff"]["observation"]["status"], "unsupported");
    }
    let again = scene.handoff(&format!("send {prepared} --to r --message-file m"));
    again.refused_by(1, "handoff_already_attempted");
    assert!(inbox.notices().is_empty());
    // Asked for without a wait it is sent all the same.
    let told = scene.send("--to r --observe-delivery");
    let observation = json!({"status": "unsupported", "injection_observed": false});
    assert_eq!(told["handoff"]["observation"], observation);
}

#[test]
fn a_send_whose_turn_comes_after_its_time_touches_nobody() {
    let scene = Scene::new();
    // All but a second is kept for what follows the send.
    let mut lock = Shell::lock(&scene.sandbox);
    let sender = scene.start("send --to q --message-file m --wait-timeout 6");
    until("the queue", || scene.at("mail.sqlite3-queue").exists());
    let queued = Instant::now();
    until("the end of its time", || queued.elapsed() > Duration::from_secs(1));
    lock.tell("ROLLBACK;");
    let told = ended(&finish(sender), "refused", "deadline_before_effect");
    assert_eq!(grades(&told), ["refused", "refused", "not_requested", "not_requested"]);
    assert!(scene.queued().is_empty());
}

#[test]
fn a_handoff_has_sixty_four_waits() {
    let scene = Scene::new();
    let id = id(&scene.send("--to q"));
    for _ in 0..64 {
        scene.handoff(&format!("wait {id} --wait-timeout 6")).ended(1);
    }
    scene.handoff(&format!("wait {id} --wait-timeout 6")).refused_by(1, "handoff_wait_capacity");
    scene.status(&id);
}

#[test]
fn an_early_receipt_is_an_acknowledgment_once_the_outcome_is_recorded() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::freezing(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 60");
    inbox.receipt();
    assert_eq!(inbox.ack().done()["classification"], "pending");
    let told = scene.status(newest(&scene)["correlation_id"].as_str().unwrap());
    assert_eq!(grades(&told), ["unknown", "unknown", "pending", "pending"]);
    assert_eq!(told["handoff"]["next_actions"], json!(["keep_waiting", "reconcile", "stop_waiting"]));
    signal(&sender, Signal::SIGCONT);
    let told = finish(sender).done();
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "satisfied"]);
    assert_eq!(told["handoff"]["ack"]["late"], false);
    let again = inbox.ack().done();
    assert_eq!((&again["duplicate"], &again["classification"]), (&json!(true), &json!("committed")));
}

#[test]
fn an_outcome_after_a_quarantine_is_told_and_not_recorded() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::freezing(&scene) else { return };
    let sender = scene.start("send --to r --message-file m");
    inbox.notice();
    scene.htalk("handoff quarantine").done();
    signal(&sender, Signal::SIGCONT);
    let told = finish(sender).refused_by(1, "handoff_history_unavailable");
    assert!(told["next_action"].as_str().unwrap().contains("Do not resend"), "{told}");
    assert_eq!(told["submission"], "submitted", "the effect is what it is");
    assert_eq!(newest(&scene)["phase"], "quarantined");
}

#[test]
fn the_wait_of_a_killed_sender_ends_at_its_deadline() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 6");
    until("the outcome", || newest(&scene)["submission"] == "submitted");
    kill(sender);
    let id = newest(&scene)["correlation_id"].as_str().unwrap().to_owned();
    until("the deadline", || scene.status(&id)["handoff"]["wait"]["status"] == "timed_out_unknown");
    let told = scene.confirm(&id).done();
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "timed_out_unknown"]);
    assert_eq!(told["handoff"]["ack"]["late"], true);
}

/// Whether it stands in the queue of those who found the mailbox locked.
fn is_queued(child: &Child) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    let paths = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    paths.into_iter().any(|path| path.to_string_lossy().ends_with("-queue"))
}

/// Whether this moment of the clock that decides is over.
fn is_over(ns: i64) -> bool {
    let now = clock_gettime(ClockId::CLOCK_BOOTTIME).unwrap();
    now.tv_sec() * 1_000_000_000 + now.tv_nsec() >= ns
}

#[test]
fn an_acknowledgment_that_waited_for_the_mailbox_beyond_the_deadline_is_late() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    // Less is left of it than anybody waits for a lock.
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 12");
    let receipt = inbox.receipt();
    until("the outcome", || newest(&scene)["submission"] == "submitted");
    let deadline = scene.sql("SELECT deadline_ns FROM handoff_waits;").parse().unwrap();
    let mut lock = Shell::lock(&scene.sandbox);
    let mut ack = scene.reading("ack", &receipt.frame);
    drop(ack.stdin.take());
    until("the receipt in the queue", || is_queued(&ack));
    until("the deadline", || is_over(deadline));
    lock.tell("ROLLBACK;");
    assert_eq!(finish(ack).done()["classification"], "committed");
    assert_eq!(grades(&finish(sender).ended(1))[3], "timed_out_unknown");
    let told = scene.status(&receipt.value("correlation_id"));
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "timed_out_unknown"]);
    assert_eq!(told["handoff"]["ack"]["late"], true);
}

/// How many waits for handoffs there are.
fn waits(scene: &Scene) -> usize {
    scene.sql("SELECT count(*) FROM handoff_waits;").parse().unwrap()
}

/// A wait for this handoff, begun after so many others.
fn begun(scene: &Scene, id: &str, seconds: u32, others: usize) -> Child {
    let waiting = scene.start(&format!("wait {id} --wait-timeout {seconds}"));
    until("the wait", || waits(scene) > others);
    waiting
}

/// The operation of a handoff's wait, by its number.
fn operation(scene: &Scene, number: u32) -> String {
    scene.sql(&format!("SELECT operation FROM handoff_waits WHERE number = {number};"))
}

#[test]
fn a_wait_answers_with_itself_and_not_with_a_later_one() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let sent = id(&scene.send("--to r --request-ack"));
    inbox.receipt();
    let shown = |told: &serde_json::Value| {
        let wait = &told["handoff"]["wait"];
        ["operation_id", "status"].map(|key| wait[key].as_str().unwrap().to_owned())
    };
    // The first of three ends while the second is pending; the third, while the second is.
    let first = begun(&scene, &sent, 10, 0);
    let second = begun(&scene, &sent, 60, 1);
    let told = finish(first).ended(1);
    assert_eq!(shown(&told), [operation(&scene, 1), "timed_out_unknown".to_owned()], "{told}");
    assert_eq!(shown(&scene.status(&sent)), [operation(&scene, 2), "pending".to_owned()], "the status: the latest");
    let told = scene.handoff(&format!("wait {sent} --wait-timeout 6")).ended(1);
    assert_eq!(shown(&told), [operation(&scene, 3), "timed_out_unknown".to_owned()], "{told}");
    inbox.ack().done();
    let told = finish(second).done();
    assert_eq!(shown(&told), [operation(&scene, 2), "satisfied".to_owned()], "{told}");
    assert_eq!(shown(&scene.status(&sent))[1], "timed_out_unknown");
}

#[test]
fn a_wait_is_interrupted_at_once_whoever_has_the_lock() {
    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scene = Scene::new();
        let Some(_inbox) = Inbox::open(&scene) else { return };
        let sent = id(&scene.send("--to r --request-ack"));
        let waiting = begun(&scene, &sent, 60, 0);
        let mut lock = Shell::lock(&scene.sandbox);
        let begin = Instant::now();
        signal(&waiting, with);
        let ran = finish(waiting);
        // A second is what it waits for the lock itself.
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        assert_eq!((ran.code, &ran.json()["state"]), (code, &json!("interrupted")), "{ran:?}");
        lock.tell("ROLLBACK;");
    }
}
