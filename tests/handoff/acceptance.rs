//! The fourteen acceptance checks, in their order.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::inbox::Inbox;
use super::scene::{SESSION, Scene, UNKNOWN, ended, grades, id};
use crate::clients::codex::fake::QUEUED;
use crate::support::process::until;
use crate::support::shell::Shell;
use crate::support::{finish, keys, run};

#[test]
fn check_1_nothing_works_before_the_one_init() {
    let scene = Scene::before_init();
    let receipt = json!({
        "schema_version": 1, "kind": "receipt", "ledger_epoch": UNKNOWN, "correlation_id": UNKNOWN,
        "target_generation": "x", "receipt_id": UNKNOWN, "capability": "A".repeat(43),
    });
    let confirmation = json!({
        "schema_version": 1, "ledger_epoch": UNKNOWN, "correlation_id": UNKNOWN, "target_generation": "x",
        "confirmed": true,
    });
    for (words, input) in [
        ("prepare --to r --message-file m", "".to_owned()),
        ("send --to r --message-file m", "".to_owned()),
        ("send --to r", "hello".to_owned()),
        ("send UNKNOWN --to r --message-file m", "".to_owned()),
        ("send --to r --message-file m --dry-run", "".to_owned()),
        ("status UNKNOWN", "".to_owned()),
        ("list", "".to_owned()),
        ("wait UNKNOWN", "".to_owned()),
        ("confirm --receipt -", confirmation.to_string()),
        ("ack --receipt -", receipt.to_string()),
        ("quarantine", "".to_owned()),
    ] {
        let words = words.replace("UNKNOWN", UNKNOWN);
        scene.handoff_reading(&words, input.as_bytes()).refused_by(1, "handoff_history_unavailable");
    }
    let told = scene.handoff("init").done();
    assert_eq!(keys(&told), ["ledger_epoch", "recovery", "next_action"]);
    scene.handoff("init").refused_by(1, "handoff_already_initialized");
    scene.prepare("--to q");
}

#[test]
fn check_2_preparing_reaches_nobody() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let told = scene.handoff("prepare --to r --message-file m").done();
    let generation = told["handoff"]["target_generation"].clone();
    assert!(generation.as_str().is_some_and(|text| (1..=256).contains(&text.len())), "{told}");
    let handoff = json!({
        "schema_version": 1, "correlation_id": id(&told), "ledger_epoch": told["handoff"]["ledger_epoch"],
        "state": "validated", "submission": {"status": "not_attempted"},
        "observation": {"status": "not_requested", "injection_observed": false}, "ack": {"status": "not_requested"},
        "wait": {"for": "none", "status": "not_requested"}, "target_generation": generation,
        "decision_owner": "sender_operator", "retry": {"allowed": false, "reason": "receiver_dedup_unavailable"},
        "next_actions": [],
    });
    assert_eq!(told["handoff"], handoff);
    assert_eq!(keys(&told["handoff"]), keys(&handoff));
    assert_eq!((&told["sender"], &told["recipient"], &told["phase"]), (&json!("b"), &json!("r"), &json!("prepared")));
    assert_eq!(scene.status(&id(&told))["handoff"], handoff);
    assert!(inbox.notices().is_empty());
    assert_eq!(scene.mail("r"), 0);
    assert_eq!(scene.sql("SELECT count(*) FROM messages;"), "0");
}

#[test]
fn check_3_a_blank_message_is_not_prepared() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    scene.write("m", " \n");
    for verb in ["prepare", "send"] {
        let ran = scene.handoff(&format!("{verb} --to r --message-file m"));
        ran.refused_by(1, "handoff_message_must_be_1_to_1000000_characters");
    }
    assert_eq!(scene.handoffs(), "0");
}

#[test]
fn check_4_what_is_too_large_for_its_way_is_not_prepared() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    scene.write("m", "x".repeat(1_000_001));
    let ran = scene.handoff("prepare --to r --message-file m");
    ran.refused_by(1, "handoff_message_must_be_1_to_1000000_characters");
    assert_eq!(scene.handoffs(), "0");

    // How much the words around a message take is htalk's own affair, so the limit is searched for.
    let (mut fits, mut exceeds) = (20_000, 40_000);
    while exceeds - fits > 1 {
        let size = (fits + exceeds) / 2;
        scene.write("m", "x".repeat(size));
        let ran = scene.handoff("prepare --host h --to q --message-file m");
        match ran.code {
            0 => fits = size,
            _ => exceeds = ran.refused_by(1, "handoff_frame_too_large").as_object().map_or(0, |_| size),
        }
    }
    scene.write("m", "x".repeat(fits));
    scene.send("--host h --to q");
    assert_eq!(scene.queued()[0].len(), 32_768, "the largest text that Codex can be given");
}

#[test]
fn check_5_a_message_file_that_others_reach_is_refused() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        scene.chmod("m", mode);
        scene.handoff("prepare --to r --message-file m").refused_by(1, "unsafe_message_file");
    }
    scene.chmod("m", 0o600);
    scene.sandbox.sh("ln -s m link; mkfifo -m 600 fifo; mkdir -m 700 directory").text();
    for (name, code) in [
        ("link", "unsafe_message_file"),
        ("fifo", "unsafe_message_file"),
        ("directory", "unsafe_message_file"),
        ("missing", "message_file_unreadable"),
    ] {
        for verb in ["prepare", "send"] {
            scene.handoff(&format!("{verb} --to r --message-file {name}")).refused_by(1, code);
        }
    }
    assert_eq!(scene.handoffs(), "0");
}

#[test]
fn check_6_one_attempt_and_one_frame() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r");
    let told = scene.send(&format!("{id} --to r"));
    assert_eq!(grades(&told), ["submitted", "submitted", "not_requested", "not_requested"]);
    assert_eq!(told["native"]["target"]["pid"], inbox.pid());
    let notices = inbox.notices();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].lines().any(|line| line.ends_with(&format!(" --as r show {id}"))), "{notices:?}");
    assert!(!notices[0].contains("hello") && !notices[0].contains("capability"), "{notices:?}");
    let again = scene.handoff(&format!("send {id} --to r --message-file m"));
    again.refused_by(1, "handoff_already_attempted");
    assert_eq!(inbox.notices().len(), 1);
    assert_eq!(scene.status(&id)["handoff"], told["handoff"]);
}

#[test]
fn check_7_only_what_was_prepared_is_sent() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let refused = scene.handoff(&format!("send {UNKNOWN} --to r --message-file m")).refused_by(1, "handoff_id_unknown");
    let query = json!({
        "correlation_id": UNKNOWN, "status": "unknown", "context": "id_unknown",
        "retry": {"allowed": false, "reason": "receiver_dedup_unavailable"},
    });
    assert_eq!(refused["handoff_query"], query);
    let id = scene.prepare("--to r");
    scene.write("changed", "hello!");
    for words in ["--to r --message-file changed", "--to q --message-file m", "--to r --message-file m --host h"] {
        scene.handoff(&format!("send {id} {words}")).refused_by(1, "handoff_binding_conflict");
    }
    assert_eq!(scene.status(&id)["phase"], "prepared");
    assert!(inbox.notices().is_empty());
    scene.send(&format!("{id} --to r"));
}

#[test]
fn check_8_a_successor_of_the_prepared_process_gets_nothing() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r");
    let inbox = inbox.replace(&scene);
    let send = format!("send {id} --to r --message-file m");
    scene.handoff(&send).refused_by(1, "handoff_binding_conflict");
    assert_eq!(scene.status(&id)["phase"], "prepared");
    assert!(inbox.notices().is_empty());

    // Without a process it can't be told whether it is the same.
    let id = scene.prepare("--to r");
    inbox.kill();
    scene.handoff(&format!("send {id} --to r --message-file m")).refused_by(1, "target_generation_unavailable");
    assert_eq!(scene.status(&id)["phase"], "prepared");

    // The sender has looked at the process and waits for the ledger when the process is replaced.
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = scene.prepare("--to r");
    let mut lock = Shell::lock(&scene.sandbox);
    let sender = scene.start(&format!("send {id} --to r --message-file m"));
    until("the queue", || scene.at("mail.sqlite3-queue").exists());
    let inbox = inbox.replace(&scene);
    lock.tell("ROLLBACK;");
    let told = ended(&finish(sender), "refused", "stale_target");
    assert_eq!(grades(&told), ["refused", "refused", "not_requested", "not_requested"]);
    assert!(inbox.notices().is_empty());
    assert_eq!(scene.mail("r"), 0);

    // Likewise when it has ended, and nobody has come in its place.
    let id = scene.prepare("--to r");
    let mut lock = Shell::lock(&scene.sandbox);
    std::fs::remove_file(scene.at("mail.sqlite3-queue")).unwrap();
    let sender = scene.start(&format!("send {id} --to r --message-file m"));
    until("the queue", || scene.at("mail.sqlite3-queue").exists());
    inbox.kill();
    lock.tell("ROLLBACK;");
    ended(&finish(sender), "refused", "stale_target");
}

#[test]
fn check_9_a_receipt_in_time_satisfies_the_wait() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let words = "send --to r --message-file m --request-ack --wait-for acknowledged --wait-timeout 60";
    let sender = scene.start(words);
    let token = inbox.receipt().token();
    assert!(token.len() == 43 && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    let ack = inbox.ack().done();
    assert_eq!(ack["duplicate"], false);
    let ran = finish(sender);
    let told = ran.done();
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "satisfied"]);
    let ack = &told["handoff"]["ack"];
    assert_eq!((&ack["assurance"], &ack["late"]), (&json!("token_possession"), &json!(false)));
    assert!(ack["received_at_utc_ms"].is_u64(), "{ack}");
    assert!(!ran.out.contains(&token) && !scene.dump().contains(&token));
}

#[test]
fn check_10_a_receipt_after_the_deadline_is_late() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let ran = scene.handoff("send --to r --message-file m --wait-for acknowledged --wait-timeout 6");
    let told = ran.ended(1);
    assert_eq!(grades(&told), ["timed_out_unknown", "submitted", "pending", "timed_out_unknown"]);
    inbox.receipt();
    let ack = inbox.ack().done();
    assert_eq!(
        (keys(&ack), &ack["duplicate"], &ack["classification"]),
        (vec!["duplicate", "classification", "next_action"], &json!(false), &json!("committed"))
    );
    let id = id(&told);
    let told = scene.status(&id);
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "timed_out_unknown"]);
    assert_eq!(told["handoff"]["ack"]["late"], true);
    let told = scene.handoff(&format!("wait {id} --wait-timeout 6")).done();
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "satisfied"]);
    assert_eq!(told["handoff"]["ack"]["late"], true);
}

#[test]
fn check_11_one_receipt_counts_and_only_with_its_token() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r --request-ack"));
    let receipt = inbox.receipt();
    let (token, other) = (receipt.token(), uuid::Uuid::new_v4().to_string());
    let flipped = format!("{}{}", if token.starts_with('A') { "B" } else { "A" }, &token[1..]);
    let stranger = receipt.with("capability", &flipped);
    scene.present(&stranger).refused_by(1, "receipt_authority_unavailable");
    assert_eq!(scene.status(&id)["handoff"]["ack"]["status"], "pending");
    assert_eq!(scene.present(&receipt).done()["duplicate"], false);
    let told = scene.status(&id);
    let again = scene.present(&receipt).done();
    assert_eq!((&again["duplicate"], &again["classification"]), (&json!(true), &json!("committed")));
    scene.present(&receipt.with("receipt_id", &other)).refused_by(1, "receipt_conflict");
    scene.present(&stranger).refused_by(1, "receipt_authority_unavailable");
    assert_eq!(scene.status(&id), told);
    // The token decides; nobody has to say who is calling.
    let ran = run(&mut scene.command(&["handoff", "ack", "--receipt", "-"]), receipt.frame.as_bytes());
    assert_eq!(ran.done()["duplicate"], true);
}

#[test]
fn check_12_the_senders_own_statement_satisfies_a_later_wait() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r"));
    let told = scene.confirm(&id).done();
    assert_eq!(grades(&told), ["acknowledged", "submitted", "acknowledged", "not_requested"]);
    let told = scene.handoff(&format!("wait {id} --wait-for acknowledged --wait-timeout 6")).done();
    assert_eq!(grades(&told)[3], "satisfied");
    assert_eq!(told["handoff"]["ack"]["assurance"], "operator_confirmed");
}

#[test]
fn check_13_codex_never_gets_authority() {
    let scene = Scene::new();
    let told = scene.send("--to q --request-ack");
    assert_eq!(grades(&told), ["submitted", "submitted", "unsupported", "not_requested"]);
    assert_eq!((&told["native"]["queue_id"], &told["handoff"]["target_generation"]), (&json!(QUEUED), &Value::Null));
    assert_eq!(scene.queued().len(), 1);
    assert!(!scene.queued()[0].contains("capability"));
    assert!(scene.world.calls().starts_with("[--version]\n"), "{}", scene.world.calls());

    let calls = scene.world.calls();
    let ran = scene.handoff("send --to q --message-file m --wait-for acknowledged");
    let told = ended(&ran, "refused", "evidence_unsupported");
    assert_eq!(grades(&told), ["refused", "refused", "unsupported", "unsupported"]);
    assert_eq!(scene.world.calls(), calls, "the client is not touched");

    scene.codex_queues_for(QUEUED);
    let ran = scene.handoff("send --to q --message-file m");
    let told = ended(&ran, "unknown", "codex_cli_unconfirmed_receipt");
    assert_eq!(grades(&told), ["unknown", "unknown", "not_requested", "not_requested"]);
    assert_eq!(scene.sql("SELECT count(*) FROM handoff_capabilities;"), "0");
}

#[test]
fn check_14_over_ssh_the_body_goes_by_standard_input_and_within_the_budget() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let told = scene.handoff_reading("send --to r --host h", b"first line\n\nlast line").done();
    assert_eq!(grades(&told), ["submitted", "submitted", "not_requested", "not_requested"]);
    let notices = inbox.notices();
    assert_eq!(notices.len(), 1);
    let lines: Vec<&str> = notices[0].lines().filter(|line| line.starts_with('>')).collect();
    assert_eq!(lines, ["> first line", "> ", "> last line"]);
    assert!(notices[0].ends_with("\n> first line\n> \n> last line"), "{notices:?}");
    let calls = scene.ssh_calls();
    assert!(calls.contains("[BatchMode=yes]") && calls.contains("[-T]\n[--]\n[h]\n[htalk]\n[handoff]\n"), "{calls}");
    assert!(!calls.contains("line") && !calls.contains(SESSION), "{calls}");
    let many = scene.handoff_reading("send --to r --host h --host i", b"hello");
    many.refused_by(1, "handoff_fanout_runtime_unsupported");

    let begin = Instant::now();
    let mut command = scene.handoff_command("send --to r --host h --wait-timeout 6");
    let mut sender = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = sender.stdin.take().unwrap();
    finish(sender).refused_by(1, "handoff_stdin_deadline");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    drop(stdin);
    assert_eq!(scene.handoffs(), "1", "no intent");
    assert_eq!(inbox.notices().len(), 1);
}
