//! Senders that are killed, interrupted, or many. Whatever happens behind the fence, there is no second attempt.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};
use std::thread;

use nix::fcntl::OFlag;
use serde_json::json;

use super::fake::inbox::Inbox;
use super::scene::{Scene, ended, grades};
use crate::support::process::{Signal, signal, until};
use crate::support::shell::Shell;
use crate::support::{Ran, finish, has, kill, run};

/// Whether so many handoffs are behind the fence.
fn attempts(scene: &Scene) -> i64 {
    let connection = rusqlite::Connection::open(scene.sandbox.mailbox()).unwrap();
    connection.query_row("SELECT count(*) FROM handoff_attempts", [], |row| row.get(0)).unwrap()
}

/// A `codex` that has been called, and the sender that called it and waits for its answer.
fn at_codex(scene: &Scene, words: &str) -> Child {
    scene.sandbox.sh("mkfifo called answer").text();
    let root = scene.sandbox.root().display();
    scene.codex(&format!("echo >{root}/called; exec cat {root}/answer"));
    let sender = scene.start(words);
    fs::read(scene.at("called")).unwrap();
    sender
}

/// The answer that the called `codex` waits for, to be written; none while nobody reads it.
fn answer_of(scene: &Scene) -> Option<File> {
    File::options().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(scene.at("answer")).ok()
}

/// It is unknown for good: no outcome follows, and no repetition reaches anybody.
#[track_caller]
fn stays_unknown(scene: &Scene, id: &str, to: &str) {
    let told = scene.status(id);
    assert_eq!(grades(&told)[..2], ["unknown", "unknown"]);
    assert_eq!(told["phase"], "attempted");
    let again = scene.handoff(&format!("send {id} --to {to} --message-file m"));
    again.refused_by(1, "handoff_already_attempted");
    assert_eq!(scene.status(id), told);
    assert_eq!(scene.mail(to), 0, "what nobody knows to be submitted is no open mail");
}

#[test]
fn a_sender_killed_while_its_frame_is_on_the_way() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::deadly(&scene) else { return };
    let id = scene.prepare("--to r");
    let ran = scene.handoff(&format!("send {id} --to r --message-file m --request-ack"));
    assert_eq!((ran.code, ran.out.as_str()), (137, ""));
    stays_unknown(&scene, &id, "r");
    assert_eq!(inbox.notices().len(), 1);
}

#[test]
fn a_sender_killed_before_its_frame_is_accepted() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::deaf(&scene) else { return };
    let id = scene.prepare("--to r");
    let sender = scene.start(&format!("send {id} --to r --message-file m"));
    until("the fence", || attempts(&scene) == 1);
    assert_eq!(kill(sender).code, 137);
    stays_unknown(&scene, &id, "r");
    drop(inbox);
}

#[test]
fn a_sender_killed_while_codex_answers() {
    let scene = Scene::new();
    let id = scene.prepare("--to q");
    let sender = at_codex(&scene, &format!("send {id} --to q --message-file m"));
    assert_eq!(kill(sender).code, 137);
    // Codex goes on; its answer comes too late for anybody, and nothing of it is left.
    let mut answer = None;
    until("a reader of the answer", || {
        answer = answer_of(&scene);
        answer.is_some()
    });
    answer.unwrap().write_all(b"x\n").unwrap();
    until("the end of codex", || answer_of(&scene).is_none());
    stays_unknown(&scene, &id, "q");
}

/// A verb under `strace`, which without `-f` leaves the programs that it starts alone.
fn traced(scene: &Scene, options: &[&str], words: &str) -> Ran {
    let mut command = scene.program("strace");
    command.args(["-qq", "-o"]).arg(scene.at("calls.log")).args(options).arg(env!("CARGO_BIN_EXE_htalk"));
    command.args(["--as", "b", "handoff"]).args(words.split(' '));
    run(&mut command, b"")
}

#[test]
fn a_sender_killed_at_every_change_of_a_file() {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    let (mut before, mut behind, mut queued) = (0, 0, 0);
    for call in ["pwrite64", "fdatasync", "clone,clone3,vfork", "write"] {
        for nth in 1.. {
            let id = scene.prepare("--to q");
            let send = format!("send {id} --to q --message-file m");
            let inject = format!("inject={call}:signal=KILL:when={nth}");
            let killed = traced(&scene, &["-e", &format!("trace={call}"), "-e", &inject], &send);
            let again = scene.handoff(&send);
            match (killed.code, again.code) {
                (137, 0) => before += 1,
                (137, _) => {
                    again.refused_by(1, "handoff_already_attempted");
                    behind += 1;
                }
                _ => {
                    killed.done();
                    again.refused_by(1, "handoff_already_attempted");
                }
            }
            let now = scene.queued().len();
            assert!(now <= queued + 1, "{call} {nth}: submitted twice");
            queued = now;
            if killed.code == 0 {
                break;
            }
        }
    }
    assert!(before > 0 && behind > 0, "{before} died before the fence, {behind} behind it");
    scene.sandbox.assert_sound();
}

#[test]
fn the_fence_is_on_the_disk_before_the_effect() {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    for mode in ["wal", "delete"] {
        assert_eq!(scene.sql(&format!("PRAGMA journal_mode = {mode};")), mode);
        traced(&scene, &["-f", "-e", "trace=pwrite64,fdatasync,fsync,unlink,execve"], "send --to q --message-file m")
            .done();
        let calls = fs::read_to_string(scene.at("calls.log")).unwrap();
        let (before, _) = calls.split_once("\"queue\"").expect("codex queue");
        // A commit is the end of a log that is synced, or a journal that is gone for good.
        let change = if mode == "wal" { "pwrite64(" } else { "unlink(" };
        let last = before.rfind(change).unwrap_or_else(|| panic!("{mode} {calls}"));
        assert!(before[last..].contains("sync("), "{mode} {calls}");
    }
}

#[test]
fn an_early_receipt_of_a_killed_sender_stays_pending() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::deadly(&scene) else { return };
    assert_eq!(scene.handoff("send --to r --message-file m --request-ack").code, 137);
    inbox.receipt();
    let ack = inbox.ack().done();
    assert_eq!((&ack["duplicate"], &ack["classification"]), (&json!(false), &json!("pending")));
    let listed = scene.handoff("list").done();
    let told = scene.status(listed["handoffs"][0]["correlation_id"].as_str().unwrap());
    assert_eq!(grades(&told), ["unknown", "unknown", "pending", "not_requested"]);
}

#[test]
fn a_session_that_accepts_nobody_is_refused_for_certain() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::deaf(&scene) else { return };
    let ran = scene.handoff("send --to r --message-file m --request-ack");
    let told = ended(&ran, "refused", "recipient_socket_unavailable");
    assert_eq!(grades(&told), ["refused", "refused", "unsupported", "not_requested"]);
    let ran = scene.handoff("send --to r --message-file m --wait-for acknowledged");
    let told = ended(&ran, "refused", "recipient_socket_unavailable");
    assert_eq!(grades(&told), ["refused", "refused", "unsupported", "failed"]);
    assert_eq!(told["handoff"]["wait"]["reason"], "evidence_failed");
}

#[test]
fn an_interrupted_send_is_unknown() {
    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scene = Scene::new();
        let id = scene.prepare("--to q");
        let sender = at_codex(&scene, &format!("send {id} --to q --message-file m"));
        signal(&sender, with);
        let ran = finish(sender);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.json()["next_action"].as_str().unwrap().contains("Do not resend"), "{ran:?}");
        assert_eq!(ran.json()["persistence"], "saved", "the fence and the message are committed");
        let told = scene.status(&id);
        assert_eq!(grades(&told)[..2], ["unknown", "unknown"], "{told}");
        let again = scene.handoff(&format!("send {id} --to q --message-file m"));
        again.refused_by(1, "handoff_already_attempted");
        assert_eq!(scene.queued().len(), 1);
        // What it had started is gone too: nobody reads.
        until("the end of codex", || answer_of(&scene).is_none());
    }
}

#[test]
fn a_send_interrupted_before_its_fence_leaves_no_trace() {
    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scene = Scene::new();
        let prepared = scene.prepare("--to q");
        let before = scene.dump();
        // More than a pipe holds, so that a part has been read when all is written.
        let mut command = scene.handoff_command("send --to q");
        let mut reading = command.stdin(Stdio::piped()).spawn().unwrap();
        reading.stdin.as_mut().unwrap().write_all(&[b'x'; 70_000]).unwrap();
        let mut lock = Shell::lock(&scene.sandbox);
        let waiting = scene.start(&format!("send {prepared} --to q --message-file m"));
        until("the queue", || scene.at("mail.sqlite3-queue").exists());
        for sender in [&reading, &waiting] {
            signal(sender, with);
        }
        let _input = reading.stdin.take();
        for ran in [finish(reading), finish(waiting)] {
            assert_eq!((ran.code, &ran.json()["state"]), (code, &json!("interrupted")), "{ran:?}");
        }
        lock.tell("ROLLBACK;");
        assert_eq!(scene.dump(), before);
        scene.send(&format!("{prepared} --to q"));
        assert_eq!(scene.queued().len(), 1);
    }
}

#[test]
fn an_interrupted_wait_is_stopped_by_its_operator() {
    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scene = Scene::new();
        let Some(mut inbox) = Inbox::open(&scene) else { return };
        let waits = |id: &str, status: &str| {
            let told = scene.status(id);
            assert_eq!(grades(&told), ["submitted", "submitted", "pending", status], "{told}");
            told["handoff"]["wait"].clone()
        };
        let id = scene.prepare("--to r");
        let sender = format!("send {id} --to r --message-file m --wait-for acknowledged --wait-timeout 60");
        let waiter = format!("wait {id} --wait-timeout 60");
        let mut operation = json!(null);
        for words in [sender, waiter] {
            let waiting = scene.start(&words);
            let wait = || scene.status(&id)["handoff"]["wait"].clone();
            let is_submitted = || scene.status(&id)["handoff"]["submission"]["status"] == "submitted";
            until("the wait", || {
                is_submitted() && wait()["status"] == "pending" && wait()["operation_id"] != operation
            });
            operation = waits(&id, "pending")["operation_id"].clone();
            signal(&waiting, with);
            let ran = finish(waiting);
            assert_eq!(ran.code, code, "{ran:?}");
            assert_eq!(ran.json()["state"], "interrupted", "{ran:?}");
            assert_eq!(ran.json()["persistence"], "saved", "{ran:?}");
            assert_eq!(waits(&id, "stopped")["reason"], "stopped_by_operator");
        }
        // The authority goes on, and a stopped wait stays stopped.
        inbox.receipt();
        inbox.ack().done();
        let told = scene.status(&id);
        assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "stopped"]);
    }
}

#[test]
fn one_of_many_senders_wins() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r");
    // All of them have looked when the first may write.
    let mut lock = Shell::lock(&scene.sandbox);
    let senders: Vec<_> = (0..12).map(|_| scene.start(&format!("send {id} --to r --message-file m"))).collect();
    until("the queue", || scene.at("mail.sqlite3-queue").exists());
    lock.tell("ROLLBACK;");
    let (won, lost): (Vec<_>, Vec<_>) = senders.into_iter().map(finish).partition(|ran| ran.code == 0);
    assert_eq!((won.len(), lost.len()), (1, 11), "{lost:?}");
    assert_eq!(won[0].done()["handoff"]["state"], "submitted");
    lost.iter().for_each(|ran| drop(ran.refused_by(1, "handoff_already_attempted")));
    assert_eq!(inbox.notices().len(), 1);
    assert_eq!(scene.mail("r"), 1);
}

#[test]
fn of_many_receipts_one_counts_and_of_many_histories_one_begins() {
    let scene = Scene::before_init();
    let started = |words: &[&str]| -> Vec<Child> { words.iter().map(|words| scene.start(words)).collect() };
    let inits = started(&["init"; 8]).into_iter().map(finish);
    let (begun, refused): (Vec<_>, Vec<_>) = inits.partition(|ran| ran.code == 0);
    assert_eq!(begun.len(), 1);
    refused.iter().for_each(|ran| drop(ran.refused_by(1, "handoff_already_initialized")));

    let Some(inbox) = Inbox::open(&scene) else { return };
    scene.send("--to r --request-ack");
    let receipt = inbox.receipt();
    let others = (0..4).map(|_| receipt.with("receipt_id", &uuid::Uuid::new_v4().to_string()));
    let receipts: Vec<_> = others.chain([receipt.clone(), receipt.clone()]).collect();
    let acks: Vec<_> = thread::scope(|scope| {
        let acks: Vec<_> = receipts.iter().map(|receipt| scope.spawn(|| scene.present(receipt))).collect();
        acks.into_iter().map(|ack| ack.join().unwrap()).collect()
    });
    let (done, refused): (Vec<_>, Vec<_>) = acks.into_iter().partition(|ran| ran.code == 0);
    assert_eq!(done.iter().filter(|ran| ran.json()["duplicate"] == false).count(), 1, "{done:?}");
    refused.iter().for_each(|ran| drop(ran.refused_by(1, "receipt_conflict")));
}
