//! The way over SSH: a probe without the text, the fence, one submission, and what its one answer proves.

use std::fs;
use std::thread;

use serde_json::json;

use super::fake::inbox::Inbox;
use super::fake::programs::REMOTE;
use super::scene::{Scene, UNKNOWN, ended, grades};
use crate::support::{finish, has, run};

#[test]
fn the_probe_comes_first_and_without_the_text() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let root = scene.sandbox.root().display().to_string();
    scene.ssh(&format!("tee -a {root}/remote.in | {REMOTE}; echo -- >>{root}/remote.in"));
    scene.send("--to r --host h");
    let input = fs::read_to_string(scene.at("remote.in")).unwrap();
    let (probe, submission) = input.split_once("--\n").unwrap();
    let parts = submission.trim_end_matches("--\n").split_once('\n').unwrap();
    for header in [probe.trim_end(), parts.0] {
        assert!(header.len() <= 8192 && header.starts_with('{') && !header.contains('\n'), "{header}");
        assert!(!header.contains("hello"), "{header}");
    }
    assert_eq!(parts.1.lines().last(), Some("> hello"));
    assert!(!input.contains("capability") && !input.contains("mail.sqlite3"), "{input}");
    assert_eq!(scene.ssh_calls().matches("[native]").count(), 2);
    assert_eq!(inbox.notices().len(), 1);
}

/// What the submission comes to when this happens to it: the state, and how many frames the session gets.
fn judge(submission: &str, state: &str, frames: usize) {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r --host h");
    let never = format!("exec cat {}", scene.at("never").display());
    scene.sandbox.sh("mkfifo never").text();
    scene.ssh_but(&submission.replace("ID", &id).replace("OTHER", UNKNOWN).replace("HANG", &never));
    let send = format!("send {id} --to r --host h --message-file m");
    let seconds = if submission.contains("HANG") { 7 } else { 30 };
    let ran = scene.handoff(&format!("{send} --wait-timeout {seconds}"));
    if state == "submitted" {
        assert_eq!(grades(&ran.done())[..2], [state, state], "{submission}");
    } else {
        let told = ended(&ran, state, "ssh_handoff_response_unknown");
        assert_eq!(grades(&told)[1], state, "{submission}");
    }
    assert_eq!(inbox.notices().len(), frames, "{submission}");
    scene.handoff(&send).refused_by(1, "handoff_already_attempted");
    assert_eq!(inbox.notices().len(), frames, "{submission}");
}

#[test]
fn an_answer_proves_a_submission_only_if_it_is_whole_and_its_own() {
    if !has("python3") {
        return;
    }
    // Each of them takes its time, which is not the processor's.
    thread::scope(|scope| {
        for (submission, state, frames) in [
            ("remote; exit 255", "submitted", 1),
            ("remote; echo noise >&2", "submitted", 1),
            ("remote; head -c 100000 /dev/zero | tr '\\0' x >&2", "submitted", 1),
            ("remote; HANG", "submitted", 1),
            ("HANG", "unknown", 0),
            ("remote | head -c 20; HANG", "unknown", 1),
            ("remote | head -c 20", "unknown", 1),
            ("remote | tr -d '\\n'", "unknown", 1),
            ("remote >/dev/null", "unknown", 1),
            ("remote; echo", "unknown", 1),
            ("echo banner; remote", "unknown", 1),
            ("remote; head -c 2000000 /dev/zero | tr '\\0' x", "unknown", 1),
            ("remote | sed s/ID/OTHER/g", "unknown", 1),
            ("remote | sed s/submitted/finished/", "unknown", 1),
            ("remote | sed 's/submitted/refused/; s/claude_socket[^\"]*/No code/'", "unknown", 1),
            ("remote | sed s/submitted/ready/", "unknown", 1),
            ("remote | sed 's/submitted/refused/; s/\"detail\":\"[^\"]*\"/\"detail\":null/'", "unknown", 1),
            ("remote | sed 's/\"target_generation\":\"[^\"]*\"/\"target_generation\":\"other\"/'", "unknown", 1),
            ("remote | sed 's/\"target_generation\":\"[^\"]*\"/\"target_generation\":null/'", "unknown", 1),
            ("exit 255", "unknown", 0),
            ("exit 0", "unknown", 0),
            ("cat >/dev/null; echo '{}'", "unknown", 0),
            ("cat >/dev/null; echo '[]'", "unknown", 0),
        ] {
            scope.spawn(move || judge(submission, state, frames));
        }
    });
}

#[test]
fn a_successor_on_the_other_host_gets_nothing() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    // Preparing asks no other host; a dry run does, and tells the generation there.
    let told = scene.handoff("send --to r --host h --message-file m --dry-run").done();
    let generation = told["target_generation"].as_str().unwrap().to_owned();
    let id = scene.prepare(&format!("--to r --host h --generation {generation}"));
    let inbox = inbox.replace(&scene);
    let ran = scene.handoff(&format!("send {id} --to r --host h --message-file m"));
    ran.refused_by(1, "handoff_binding_conflict");
    assert_eq!(scene.status(&id)["phase"], "prepared");
    assert!(inbox.notices().is_empty());

    // Replaced between the probe and the submission.
    scene.sandbox.sh("mkfifo called go").text();
    let root = scene.sandbox.root().display();
    scene.ssh_but(&format!("echo >{root}/called; cat {root}/go; remote"));
    let sender = scene.start("send --to r --host h --message-file m");
    fs::read(scene.at("called")).unwrap();
    let inbox = inbox.replace(&scene);
    fs::write(scene.at("go"), "").unwrap();
    ended(&finish(sender), "refused", "stale_target");
    assert!(inbox.notices().is_empty());
}

#[test]
fn a_host_that_can_not_tell_processes_or_times_apart_gets_no_text() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let long = format!("\"{}\"", "x".repeat(257));
    let generations = ["null", "\"\"", r#""g\\u0007""#, r#""g\\u009b""#, r#""g\\n""#, &long].map(|other| {
        (format!(r#"s/"target_generation":"[^"]*"/"target_generation":{other}/"#), "remote_generation_unsupported")
    });
    let clock = (r#"s/"now":{[^}]*}/"now":null/"#.to_owned(), "remote_clock_unsupported");
    for (change, code) in generations.into_iter().chain([clock]) {
        scene.ssh(&format!("{REMOTE} | sed '{change}'"));
        scene.handoff("send --to r --host h --message-file m").refused_by(1, code);
    }
    assert!(inbox.notices().is_empty());
    assert_eq!(scene.handoffs(), "0");
}

#[test]
fn a_remote_codex_that_has_moved_meanwhile_gets_nothing() {
    let scene = Scene::new();
    scene.world.state("other", &[&scene.world.row("cli", 0, "user")]);
    scene.ssh_but(&format!("export CODEX_HOME={}; remote", scene.at("other").display()));
    let ran = scene.handoff("send --to q --host h --message-file m");
    ended(&ran, "refused", "remote_native_context_changed");
    assert!(scene.queued().is_empty());
}

#[test]
fn a_host_without_htalk_gets_no_text() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let never = format!("exec cat {}", scene.at("never").display());
    scene.sandbox.sh("mkfifo never").text();
    for script in [
        &never,
        "echo 'sh: htalk: not found' >&2; exit 127",
        "exit 255",
        "cat >/dev/null; echo nonsense",
        "cat >/dev/null; echo '{}'",
        "head -c 2000000 /dev/zero | tr '\\0' x",
    ] {
        scene.ssh(&format!("cat >>{}/remote.in & {script}", scene.sandbox.root().display()));
        let told = scene.handoff("send --to r --host h --message-file m --wait-timeout 6").ended(1);
        let code = if told["state"] == "error" { &told["error"] } else { &told["reason"] };
        assert_eq!(*code, "remote_preflight_unavailable", "{script}: {told}");
    }
    // No ssh at all.
    fs::remove_file(scene.at("bin/ssh")).unwrap();
    let mut command = scene.handoff_command("send --to r --host h --message-file m");
    let ran = run(command.env("PATH", scene.at("bin")), b"");
    assert_eq!(ran.ended(1)["handoff"]["submission"]["status"].as_str().unwrap_or("refused"), "refused");
    assert!(inbox.notices().is_empty());
}

#[test]
fn what_a_host_says_of_a_mailbox_is_not_said_of_this_one() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r --host h");
    let unavailable = "remote_preflight_unavailable";
    for (said, code) in [
        ("database_busy", unavailable),
        ("database_busy:x", unavailable),
        ("unknown_peer", unavailable),
        ("handoff_id_unknown", unavailable),
        ("handoff_already_attempted", unavailable),
        ("handoff_history_unavailable", unavailable),
        ("peer_required_use_as_or_HTALK_PEER", unavailable),
        ("recipient_of_a_later_release", unavailable),
        // Of its session it knows.
        ("recipient_socket_unavailable", "recipient_socket_unavailable"),
    ] {
        scene.ssh(&format!(r#"{REMOTE} | sed 's/"ready","detail":null/"refused","detail":"{said}"/'"#));
        for words in ["send", &format!("send {id}")] {
            let told = scene.handoff(&format!("{words} --to r --host h --message-file m")).refused_by(1, code);
            assert!(told["handoff_query"].is_null() && told["submission"].is_null(), "{told}");
            assert!(!told["next_action"].as_str().unwrap().contains("Repeat"), "{told}");
        }
    }
    assert_eq!(scene.status(&id)["phase"], "prepared");
    assert!(inbox.notices().is_empty());
    assert_eq!(scene.handoffs(), "1");
}

#[test]
fn nothing_can_be_acknowledged_over_ssh() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let told = scene.send("--to r --host h --request-ack");
    assert_eq!(grades(&told), ["submitted", "submitted", "unsupported", "not_requested"]);
    assert!(!inbox.notices()[0].contains("capability"));
    for goal in ["acknowledged", "delivered"] {
        let calls = scene.ssh_calls();
        let ran = scene.handoff(&format!("send --to r --host h --message-file m --wait-for {goal}"));
        let told = ended(&ran, "refused", "evidence_unsupported");
        assert_eq!(told["handoff"]["wait"]["status"], "unsupported");
        assert_eq!(scene.ssh_calls(), calls, "the host is not asked");
    }
    assert_eq!(scene.sql("SELECT count(*) FROM handoff_capabilities;"), "0");
}

#[test]
fn the_sender_can_confirm_what_went_to_a_known_process_of_another_machine() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let told = scene.send("--to r --host h");
    let id = told["handoff"]["correlation_id"].as_str().unwrap();
    let told = scene.confirm(id).done();
    assert_eq!(told["handoff"]["ack"]["assurance"], "operator_confirmed");
    let told = scene.handoff(&format!("wait {id}")).done();
    assert_eq!(grades(&told)[3], "satisfied");
}

#[test]
fn a_handoff_to_a_remote_codex_carries_the_quoted_text() {
    let scene = Scene::new();
    scene.write("m", "-one\ntwo\r\n");
    let told = scene.send("--to q --host h");
    assert_eq!(told["handoff"]["target_generation"], json!(null));
    let texts = scene.queued();
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("\n> -one\n> two"), "{texts:?}");
    assert!(!scene.ssh_calls().contains("one"));
}

#[test]
fn the_remote_side_takes_one_strict_request_and_no_mailbox() {
    let scene = Scene::new();
    fs::remove_file(scene.sandbox.mailbox()).unwrap();
    for input in ["", "{}\n", "[]\n", "{\"schema_version\":1}\nhello", &format!("{{\"x\":\"{}\"}}\n", "x".repeat(8192))]
    {
        let mut command = scene.command(&["handoff", "native", "--frame", "-"]);
        let told = run(&mut command, input.as_bytes()).ended(1);
        assert!(told.to_string().contains("invalid_remote_native_request"), "{told}");
    }
    assert!(!scene.sandbox.mailbox().exists());
}
