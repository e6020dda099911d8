//! What the ledger keeps, from whom, and in which files.

use serde_json::json;

use super::fake::inbox::Inbox;
use super::scene::{Scene, UNKNOWN, grades, id};
use crate::support::namespace::Namespace;
use crate::support::{keys, run};

#[test]
fn a_dry_run_writes_nothing() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let prepared = scene.prepare("--to r");
    scene.write("blank", " ");
    let before = scene.dump();
    let dry = |words: &str| scene.handoff(&format!("send {words} --dry-run"));

    let told = dry("--to r --message-file m").done();
    let seen = [&told["dry_run"], &told["recipient"], &told["harness"], &told["chars"], &told["bytes"]];
    assert_eq!(seen, [&json!(true), &json!("r"), &json!("claude"), &json!(5), &json!(5)], "{told}");
    assert!(told["target_generation"].is_string() && told["handoff"].is_null(), "{told}");
    let told = dry("--to q --message-file m").done();
    assert_eq!((&told["dry_run"], &told["harness"]), (&json!(true), &json!("codex")));
    let told = dry(&format!("{prepared} --to r --message-file m")).done();
    assert_eq!((&told["dry_run"], id(&told)), (&json!(true), prepared.clone()));
    assert_eq!(told["handoff"], scene.status(&prepared)["handoff"]);

    let nobody = format!("{UNKNOWN} --to r --message-file m");
    let elsewhere = format!("{prepared} --to q --message-file m");
    for (words, code) in [
        ("--to r --message-file blank", "handoff_message_must_be_1_to_1000000_characters"),
        ("--to r --message-file missing", "message_file_unreadable"),
        ("--to c --message-file m", "handoff_route_unsupported"),
        (&nobody, "handoff_id_unknown"),
        (&elsewhere, "handoff_binding_conflict"),
        ("--to r --message-file m --wait-timeout 5", "insufficient_budget"),
    ] {
        dry(words).refused_by(1, code);
    }
    for option in ["--request-ack", "--observe-delivery", "--wait-for acknowledged", "--wait-for delivered"] {
        let ran = dry(&format!("--to r --message-file m {option}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    }
    assert!(inbox.notices().is_empty() && scene.queued().is_empty());
    drop(inbox);
    dry("--to r --message-file m").refused_by(1, "target_generation_unavailable");
    assert_eq!(scene.dump(), before);
}

#[test]
fn what_is_refused_without_a_handoff_leaves_no_row() {
    let scene = Scene::new();
    let before = scene.dump();
    for (words, exit, code) in [
        ("prepare --to nobody --message-file m", 2, "unknown_peer"),
        ("prepare --to b --message-file m", 1, "sender_and_recipient_must_differ"),
        ("prepare --to c --message-file m", 1, "handoff_route_unsupported"),
        ("prepare --to r --message-file m", 1, "target_generation_unavailable"),
        ("prepare --to q --message-file m --generation x", 1, "unsupported_target_generation"),
        ("prepare --to q --message-file m --host -oProxyCommand=x", 1, "handoff_route_unsupported"),
        ("prepare --to q --message-file m --host h;x", 1, "handoff_route_unsupported"),
        ("send --to q --message-file m --wait-timeout 0", 2, "wait_timeout_must_be_between_1_and_60"),
        ("send --to q --message-file m --wait-timeout 61", 2, "wait_timeout_must_be_between_1_and_60"),
        ("send --to q --message-file m --wait-timeout 010", 2, "wait_timeout_must_be_between_1_and_60"),
        ("send --to q --message-file m --wait-timeout 00", 2, "wait_timeout_must_be_between_1_and_60"),
        ("send --to q --message-file m --wait-timeout +10", 2, "wait_timeout_must_be_between_1_and_60"),
        ("wait 1f0c9d52-aaaa-4aaa-8aaa-000000000001 --wait-timeout 07", 2, "wait_timeout_must_be_between_1_and_60"),
        ("send --to q --message-file m --wait-timeout 5", 1, "insufficient_budget"),
        ("send ABC --to q --message-file m", 2, "invalid_correlation_id"),
        ("status 1F0C9D52-AAAA-4AAA-8AAA-000000000001", 2, "invalid_correlation_id"),
        ("status 1f0c9d52-aaaa-1aaa-8aaa-000000000001", 2, "invalid_correlation_id"),
        ("status 1f0c9d5", 2, "invalid_correlation_id"),
        ("status 1F0C9D52", 2, "invalid_correlation_id"),
        ("status 1f0c9d52", 1, "handoff_id_unknown"),
        ("wait 1f0c9d52-aaaa", 1, "handoff_id_unknown"),
        ("list --before 1f0c9d52", 2, "invalid_correlation_id"),
        ("list --before 1f0c9d52-aaaa-4aaa-8aaa-000000000001", 1, "handoff_id_unknown"),
        ("list --limit 0", 2, "limit_must_be_between_1_and_500"),
    ] {
        let words = words.replace("--host -", "--host=-");
        scene.handoff(&words).refused_by(exit, code);
    }
    scene.htalk("handoff list").refused_by(2, "peer_required_use_as_or_HTALK_PEER");
    assert_eq!(scene.dump(), before);
    assert!(scene.world.calls().is_empty() && scene.ssh_calls().is_empty());
}

#[test]
fn a_codex_that_can_not_be_asked_is_handed_nothing() {
    let scene = Scene::new();
    for script in ["exit 1", "kill -9 $$", "head -c 200000 /dev/zero | tr '\\0' 7"] {
        scene.world.codex(script);
        scene.handoff("send --to q --message-file m").refused_by(1, "native_version_unavailable");
    }
    std::fs::remove_file(scene.at("bin/codex")).unwrap();
    let ran = scene.handoff("send --to q --message-file m").ended(1);
    let codes = ["native_version_unavailable", "adapter_unavailable"];
    assert!(codes.contains(&ran["error"].as_str().unwrap()), "{ran}");
    assert_eq!(scene.handoffs(), "0");
    assert!(!scene.world.calls().contains("[queue]"));
}

#[test]
fn a_retired_peer_is_handed_nothing() {
    let scene = Scene::new();
    let id = scene.prepare("--to q");
    scene.htalk("peer retire q").done();
    scene.handoff("prepare --to q --message-file m").refused_by(1, "peer_retired");
    scene.handoff(&format!("send {id} --to q --message-file m")).refused_by(1, "peer_retired");
    assert_eq!(scene.status(&id)["phase"], "prepared");
    scene.htalk("peer restore q").done();
    scene.send(&format!("{id} --to q"));
    assert_eq!(scene.queued().len(), 1);
}

#[test]
fn a_generation_that_is_named_must_be_that_of_the_process() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let before = scene.handoffs();
    for (name, code) in [("x", "handoff_binding_conflict"), ("\u{1}", "invalid_target_generation")] {
        for verb in ["prepare", "send"] {
            let ran = scene.handoff(&format!("{verb} --to r --message-file m --generation {name}"));
            ran.refused_by(1, code);
        }
    }
    assert_eq!(scene.handoffs(), before);
    let told = scene.handoff("prepare --to r --message-file m").done();
    let generation = told["handoff"]["target_generation"].as_str().unwrap().to_owned();
    scene.send(&format!("--to r --generation {generation}"));
    assert_eq!(inbox.notices().len(), 1);
}

#[test]
fn the_ledger_is_for_its_owner_alone() {
    let scene = Scene::new();
    let id = scene.prepare("--to q");
    // Another reader keeps the side files there.
    let reader = crate::support::shell::Shell::open(&scene.sandbox, &scene.sandbox.mailbox());
    scene.status(&id);
    let root = scene.sandbox.root().display().to_string();
    let verbs = ["init", "prepare --to q --message-file m", "list", "quarantine"].map(str::to_owned);
    let of_one = [format!("status {id}"), format!("wait {id}"), format!("send {id} --to q --message-file m")];
    for (name, private) in
        [("mail.sqlite3", 0o600), ("mail.sqlite3-wal", 0o600), ("mail.sqlite3-shm", 0o600), (".", 0o700)]
    {
        for open in [0o040, 0o004, 0o020, 0o001] {
            scene.chmod(name, private | open);
            for words in verbs.iter().chain(&of_one) {
                let told = scene.handoff(words).refused_by(1, "unsafe_handoff_storage");
                assert!(told["detail"].as_str().is_some_and(|detail| detail.contains(&root)), "{told}");
            }
        }
        scene.chmod(name, private);
        assert_eq!(scene.status(&id)["phase"], "prepared", "{name}");
    }
    scene.write("mail.sqlite3-journal", "");
    scene.chmod("mail.sqlite3-journal", 0o644);
    scene.handoff("list").refused_by(1, "unsafe_handoff_storage");
    scene.sandbox.sh("rm mail.sqlite3-journal").text();
    drop(reader);
    // Ordinary mail goes on everywhere.
    scene.chmod(".", 0o755);
    scene.htalk("--as b send c --message x").done();
    scene.chmod(".", 0o700);
    scene.send(&format!("{id} --to q"));
}

#[test]
fn a_status_can_be_read_where_nothing_can_be_written() {
    let scene = Scene::new();
    let told = scene.send("--to q");
    let Some(place) = Namespace::read_only(&scene.sandbox) else { return };
    let inside = |words: &[&str]| {
        run(place.command(env!("CARGO_BIN_EXE_htalk")).args(["--as", "b", "handoff"]).args(words), b"")
    };
    assert_eq!(inside(&["status", &id(&told)]).done()["handoff"], told["handoff"]);
    assert_eq!(inside(&["list"]).done()["handoffs"].as_array().unwrap().len(), 1);
    let told = inside(&["quarantine"]).json();
    assert_eq!(told["error"], "mailbox_not_writable", "{told}");
}

#[test]
fn a_handoff_is_its_senders_affair() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r"));
    let confirmation = scene.confirmation(&id);
    for words in [format!("status {id}"), format!("wait {id} --wait-timeout 6")] {
        let told = scene.htalk(&format!("--as c handoff {words}")).refused_by(1, "handoff_id_unknown");
        assert_eq!(told["handoff_query"]["context"], "id_unknown");
    }
    for peer in ["c", "r"] {
        let mut confirm = scene.command(&["--as", peer, "handoff", "confirm", "--receipt", "-"]);
        run(&mut confirm, confirmation.as_bytes()).refused_by(1, "receipt_authority_unavailable");
        assert_eq!(scene.htalk(&format!("--as {peer} handoff list")).done()["handoffs"], json!([]));
    }
    let again = scene.htalk(&format!("--as c handoff send {id} --to r --message-file m"));
    assert_eq!(again.ended(1)["state"], "error");
    assert_eq!(grades(&scene.status(&id)), ["submitted", "submitted", "not_requested", "not_requested"]);
}

#[test]
fn the_list_shows_the_own_ones_newest_first() {
    let scene = Scene::new();
    let ids: Vec<String> = (0..3).map(|_| scene.prepare("--to q")).collect();
    scene.htalk("--as c handoff prepare --to q --message-file m").done();
    let listed = |words: &str| {
        let told = scene.handoff(words).done();
        assert_eq!(keys(&told)[0], "handoffs");
        let rows = told["handoffs"].as_array().unwrap().clone();
        rows.iter().map(|row| row["correlation_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("list"), [&ids[2], &ids[1], &ids[0]].map(String::as_str));
    assert_eq!(listed("list --limit 2"), [&ids[2], &ids[1]].map(String::as_str));
}

#[test]
fn a_quarantine_ends_what_the_ledger_proves_and_allows() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let prepared = scene.prepare("--to r");
    let told = scene.handoff("send --to r --message-file m --wait-for acknowledged --wait-timeout 6").ended(1);
    let (sent, receipt) = (id(&told), inbox.receipt());
    let told = scene.htalk("handoff quarantine").done();
    let epoch = told["ledger_epoch"].clone();
    assert!(epoch.is_string(), "{told}");

    assert_eq!(grades(&scene.status(&prepared)), ["unknown", "unknown", "not_requested", "not_requested"]);
    let told = scene.status(&sent);
    // A wait that had timed out stays so.
    assert_eq!(grades(&told), ["unknown", "unknown", "unsupported", "timed_out_unknown"]);
    assert_eq!((&told["phase"], &told["handoff"]["ledger_epoch"]), (&json!("quarantined"), &epoch));
    let unusable = |words: &str| scene.handoff(words).refused_by(1, "handoff_history_unavailable");
    let none_usable = || {
        unusable(&format!("send {prepared} --to r --message-file m"));
        unusable(&format!("send {sent} --to r --message-file m"));
        unusable(&format!("wait {sent} --wait-timeout 6"));
        scene.present(&receipt).refused_by(1, "receipt_authority_unavailable");
        scene.confirm(&sent).refused_by(1, "receipt_authority_unavailable");
    };
    none_usable();
    unusable("prepare --to r --message-file m");
    unusable("quarantine");

    let told = scene.handoff("init").done();
    assert_ne!(told["ledger_epoch"], epoch);
    none_usable();
    assert_eq!(scene.send("--to r")["handoff"]["ledger_epoch"], told["ledger_epoch"]);
    assert_eq!(inbox.notices().len(), 2);
    // It ends what the sender knew, not what the recipient got.
    assert_eq!(scene.mail("r"), 2);
}

#[test]
fn a_quarantine_fails_a_pending_wait() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 60");
    inbox.notice();
    let listed = || scene.handoff("list").done()["handoffs"][0].clone();
    crate::support::process::until("the outcome", || listed()["submission"] == "submitted");
    scene.htalk("handoff quarantine").done();
    let told = crate::support::finish(sender).ended(1);
    assert_eq!(grades(&told), ["unknown", "unknown", "unsupported", "failed"]);
    assert_eq!(told["handoff"]["wait"]["reason"], "history_unavailable");
    assert_eq!(scene.status(&id(&told))["handoff"], told["handoff"]);
}
