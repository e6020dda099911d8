//! The five faults that were found in the first implementation of Handoff v1, each as a rule.

use std::fs;
use std::process::Stdio;

use super::fake::inbox::Inbox;
use super::scene::{Scene, grades, id};
use crate::clients::codex::fake::THREAD;
use crate::clients::codex::world::Holder;
use crate::support::process::until;
use crate::support::{Ran, finish, has};

#[test]
fn fault_1_what_can_never_be_sent_is_not_prepared() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let size = "handoff_message_must_be_1_to_1000000_characters";
    for (bytes, words, code) in [
        (b"".to_vec(), "--to r", size),
        (" ".repeat(4096).into_bytes(), "--to r", size),
        ("\u{2003}\u{a0}\n".into(), "--to r", size),
        ("\u{1f980}".repeat(1_000_001).into_bytes(), "--to r", size),
        (b"hel\xfflo".to_vec(), "--to r", "message_is_not_utf8"),
        (b"hel\0lo".to_vec(), "--to r", "message_contains_nul"),
        ("x".repeat(90_001).into_bytes(), "--to r --host h", "handoff_frame_too_large"),
        ("x".repeat(32_769).into_bytes(), "--to q --host h", "handoff_frame_too_large"),
        // Each line gets its own prefix on the way.
        ("x\n".repeat(10_000).into_bytes(), "--to q --host h", "handoff_frame_too_large"),
    ] {
        scene.write("m", &bytes);
        for verb in ["prepare", "send"] {
            scene.handoff(&format!("{verb} --message-file m {words}")).refused_by(1, code);
        }
        scene.handoff_reading(&format!("send {words}"), &bytes).refused_by(1, code);
        assert_eq!(scene.handoffs(), "0", "{} bytes", bytes.len());
    }
    assert!(inbox.notices().is_empty() && scene.queued().is_empty());

    // What is prepared can be sent, up to the last character.
    for (words, body) in [("--to r", "\u{1f980}".repeat(1_000_000)), ("--to r --host h", "x".repeat(90_000))] {
        scene.write("m", &body);
        let id = scene.prepare(words);
        scene.send(&format!("{id} {words}"));
        assert!(scene.htalk(&format!("--as b show {id}")).done()["body"] == body, "{words}");
    }
}

#[test]
fn fault_2_an_acknowledgment_satisfies_a_new_wait_whatever_its_assurance_and_budget() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let stated = id(&scene.send("--to r"));
    scene.confirm(&stated).done();
    inbox.notice();
    let proved = id(&scene.send("--to r --request-ack"));
    inbox.receipt();
    inbox.ack().done();
    for (id, assurance) in [(stated, "operator_confirmed"), (proved, "token_possession")] {
        for seconds in [1, 5, 6, 60] {
            let told = scene.handoff(&format!("wait {id} --wait-timeout {seconds}")).done();
            assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "satisfied"]);
            assert_eq!(told["handoff"]["ack"]["assurance"], assurance);
        }
    }
}

/// Prepares a message whose file is changed when the verb comes out of its first such call on it: the tracer stops the
/// verb there. The stops at further calls are passed over.
fn changed_at(scene: &Scene, call: &str, change: &str) -> Ran {
    let (log, file) = (scene.at("calls.log"), scene.at("m").display().to_string());
    fs::write(&log, "").unwrap();
    let mut command = scene.program("strace");
    command.args([
        "-f",
        "-qq",
        "-P",
        &file,
        "-e",
        &format!("trace={call}"),
        "-e",
        &format!("inject={call}:signal=STOP"),
    ]);
    command.arg("-o").arg(&log).arg(env!("CARGO_BIN_EXE_htalk"));
    command.args(["--as", "b", "handoff", "prepare", "--to", "r", "--message-file", &file]);
    let mut tracer = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut continued = 0;
    until("the end", || {
        let calls = fs::read_to_string(&log).unwrap();
        // Its other threads stop too; the one that called is named first.
        let caller = calls.split(' ').next().unwrap();
        let is_stop = |line: &&str| line.starts_with(caller) && line.ends_with("--- stopped by SIGSTOP ---");
        if calls.lines().filter(is_stop).count() > continued {
            if continued == 0 {
                scene.sandbox.sh(change).text();
            }
            continued += 1;
            scene.sandbox.sh(&format!("kill -CONT {caller}")).text();
        }
        tracer.try_wait().unwrap().is_some()
    });
    assert!(continued > 0, "no {call} on {file}");
    finish(tracer)
}

#[test]
fn fault_3_a_message_file_is_judged_where_it_is_open_and_once_more_when_it_is_read() {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let open_to_all = "chmod 644 m";
    for (call, change) in [
        ("openat", open_to_all),
        ("statx", open_to_all),
        ("read", open_to_all),
        ("read", "chmod 644 m; chmod 600 m"),
        ("statx", "echo more >>m"),
    ] {
        scene.write("m", "hello");
        changed_at(&scene, call, change).refused_by(1, "unsafe_message_file");
        assert_eq!(scene.handoffs(), "0", "{call} {change}");
    }
    // Another file in its place is not the one that is open.
    scene.write("m", "hello");
    changed_at(&scene, "openat", "mv m elsewhere; echo another >m; chmod 644 m").done();
    assert_eq!(scene.handoffs(), "1");
}

#[test]
fn fault_4_an_inactive_codex_home_is_prepared_and_sent_with_the_same_decision() {
    let scene = Scene::new();
    scene.world.state("other", &[&scene.world.row("cli", 0, "user")]);
    let home = scene.at("other").display().to_string();
    let named = format!("--to q --codex-home {home}");
    scene.handoff(&format!("prepare {named} --message-file m")).refused_by(1, "inactive_codex_home");
    let allowed = format!("{named} --allow-inactive-codex-home");
    let id = scene.prepare(&allowed);
    for words in [&named, "--to q"] {
        let ran = scene.handoff(&format!("send {id} --message-file m {words}"));
        // Without the home it is another binding, with it another decision.
        let code = if words == named { "handoff_native_context_changed" } else { "handoff_binding_conflict" };
        ran.refused_by(1, code);
        assert_eq!(scene.status(&id)["phase"], "prepared");
    }
    assert!(scene.queued().is_empty());
    scene.send(&format!("{id} {allowed}"));
    assert!(scene.world.calls().contains(&format!("home={home} ")), "{}", scene.world.calls());

    // With a live writer the decision is not needed.
    fs::create_dir(scene.at("other/thread-writer-locks")).unwrap();
    let lock = scene.at("other/thread-writer-locks").join(format!("{THREAD}.lock"));
    fs::write(&lock, "").unwrap();
    let _holder = Holder::of(&lock);
    let id = scene.prepare(&named);
    scene.send(&format!("{id} {named}"));
}

#[test]
fn fault_5_a_quarantine_ends_satisfied_waits_too() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 60");
    inbox.receipt();
    inbox.ack().done();
    let told = finish(sender).done();
    assert_eq!(grades(&told)[3], "satisfied");
    scene.htalk("handoff quarantine").done();
    let told = scene.status(&id(&told));
    assert_eq!(grades(&told), ["unknown", "unknown", "unsupported", "failed"]);
    assert_eq!(told["handoff"]["wait"]["reason"], "history_unavailable");
}
