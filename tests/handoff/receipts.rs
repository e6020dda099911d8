//! Receipts and confirmations: their authority, and that their secret is nowhere else.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::fake::inbox::{Inbox, Receipt};
use super::scene::{Scene, grades, id};
use crate::support::process::until;
use crate::support::{finish, run};

#[test]
fn authority_is_for_one_handoff_of_one_process_in_one_history() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let (one, two) = (id(&scene.send("--to r --request-ack")), id(&scene.send("--to r --request-ack")));
    let (first, second) = (inbox.receipt(), inbox.receipt());
    let plain = id(&scene.send("--to r"));
    let unknown = uuid::Uuid::new_v4().to_string();
    for receipt in [
        first.with("correlation_id", &two),
        first.with("correlation_id", &plain),
        first.with("correlation_id", &unknown),
        first.with("ledger_epoch", &unknown),
        first.with("target_generation", "x"),
        first.with("capability", &second.token()),
        first.with("capability", &"A".repeat(43)),
    ] {
        scene.present(&receipt).refused_by(1, "receipt_authority_unavailable");
    }
    for (key, value) in [("ledger_epoch", unknown.as_str()), ("target_generation", "x"), ("correlation_id", &unknown)] {
        let mut frame: serde_json::Value = serde_json::from_str(&scene.confirmation(&plain)).unwrap();
        frame[key] = json!(value);
        let ran = scene.handoff_reading("confirm --receipt -", frame.to_string().as_bytes());
        ran.refused_by(1, "receipt_authority_unavailable");
    }
    assert_eq!(grades(&scene.status(&one))[2], "pending");
    assert_eq!(scene.present(&first).done()["duplicate"], false);
    assert_eq!(grades(&scene.status(&two))[2], "pending");
    // The sender's own statement first, then the token: one of them counts.
    scene.confirm(&two).done();
    scene.present(&second).refused_by(1, "receipt_conflict");
    assert_eq!(scene.status(&two)["handoff"]["ack"]["assurance"], "operator_confirmed");
    scene.confirm(&one).done();
    assert_eq!(scene.status(&one)["handoff"]["ack"]["assurance"], "token_possession");
}

#[test]
fn a_statement_proves_no_order_while_the_first_wait_may_be_in_time() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 7");
    inbox.notice();
    let listed = || scene.handoff("list").done()["handoffs"][0].clone();
    until("the outcome", || listed()["submission"] == "submitted");
    let id = listed()["correlation_id"].as_str().unwrap().to_owned();
    let early = scene.confirm(&id);
    let told = finish(sender).ended(1);
    assert_eq!(grades(&told)[3], "timed_out_unknown");
    early.refused_by(1, "receipt_order_unprovable");
    scene.confirm(&id).done();
    let ack = scene.status(&id)["handoff"]["ack"].clone();
    assert_eq!((&ack["assurance"], &ack["late"]), (&json!("operator_confirmed"), &json!(true)));
    let prepared = scene.prepare("--to r");
    scene.confirm(&prepared).refused_by(1, "receipt_submission_unconfirmed");
}

#[test]
fn a_handler_that_others_can_change_gives_no_authority() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    // By another process: what this one has open to write can't be run.
    scene.sandbox.sh(concat!("cp '", env!("CARGO_BIN_EXE_htalk"), "' other/htalk")).text();
    for (program, mode) in [(0o777, 0o755), (0o757, 0o755), (0o755, 0o777)] {
        scene.chmod("other/htalk", program);
        scene.chmod("other", mode);
        let send = |words: &[&str]| {
            let mut command = scene.program(scene.at("other/htalk").to_str().unwrap());
            run(command.args(["--as", "b", "handoff", "send", "--to", "r", "--message-file", "m"]).args(words), b"")
        };
        let told = send(&["--request-ack"]).done();
        assert_eq!(grades(&told)[2], "unsupported", "{program:o} {mode:o}");
        let before = scene.handoffs();
        send(&["--wait-for", "acknowledged"]).refused_by(1, "unsafe_receipt_channel");
        assert_eq!(scene.handoffs(), before, "nothing is spent");
    }
    assert!(inbox.notices().iter().all(|notice| Receipt::of(notice).is_none()));
    scene.chmod("other", 0o755);
}

#[test]
fn the_handler_of_a_notice_stands_as_it_is_wherever_the_mailbox_lies() {
    let scene = Scene::before_init();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let directory = scene.at("it's a \"place\" $HOME");
    fs::DirBuilder::new().mode(0o700).create(&directory).unwrap();
    let there = directory.join("mail box.sqlite3");
    // The last who closes it leaves it in one file.
    scene.sql("SELECT count(*) FROM peers;");
    fs::rename(scene.sandbox.mailbox(), &there).unwrap();
    let htalk = |words: &str| {
        let mut command = scene.handoff_command(words);
        run(command.env("HTALK_DB", &there), b"").done()
    };
    htalk("init");
    let id = id(&htalk("send --to r --message-file m --request-ack"));
    let receipt = inbox.receipt();
    assert!(receipt.command.starts_with('/'), "{}", receipt.command);
    assert_eq!(scene.present(&receipt).done()["duplicate"], false);
    assert_eq!(grades(&htalk(&format!("status {id}")))[0], "acknowledged");
}

#[test]
fn a_mailbox_whose_path_breaks_a_line_keeps_no_handoffs() {
    let scene = Scene::before_init();
    scene.sql("SELECT count(*) FROM peers;");
    for name in ["a\nb/mail", "a\nb", "a\rb", "a\u{1b}b", "a\u{85}b", "a\u{2028}b", "a\u{2029}b"] {
        let there = scene.at(name);
        fs::DirBuilder::new().mode(0o700).recursive(true).create(there.parent().unwrap()).unwrap();
        let there = there.with_extension("sqlite3");
        fs::copy(scene.sandbox.mailbox(), &there).unwrap();
        let at = |words: &str| run(scene.handoff_command(words).env("HTALK_DB", &there), b"");
        for verb in ["init", "list", "prepare --to q --message-file m", "quarantine"] {
            let told = at(verb).refused_by(1, "unsafe_handoff_storage");
            assert!(told["detail"].as_str().unwrap().contains("line end"), "{name:?}: {told}");
        }
        // A link to it is no other place. Ordinary mail goes on.
        let link = scene.at("link");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&there, &link).unwrap();
        let mut command = scene.handoff_command("init");
        run(command.env("HTALK_DB", &link), b"").refused_by(1, "unsafe_handoff_storage");
        let mut command = scene.command(&["--as", "b", "send", "c", "--message", "x"]);
        run(command.env("HTALK_DB", &there), b"").done();
    }
}

#[test]
fn a_receipt_given_as_an_argument_is_refused_and_not_shown() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let sent = id(&scene.send("--to r --request-ack"));
    let receipt = inbox.receipt();
    let (frame, token) = (&receipt.frame, receipt.token());
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(frame).unwrap()).unwrap();
    for frame in [frame.clone(), format!("{frame}\n"), format!(" {frame}"), pretty] {
        let option = format!("--receipt={frame}");
        for verb in ["ack", "confirm"] {
            for words in [&["--receipt", &frame][..], &[&option], &[&frame], &["--receipt", "-", &frame]] {
                let ran = scene.run(&[&["--as", "b", "handoff", verb], words].concat());
                assert!(!ran.out.contains(&token) && !ran.err.contains(&token), "{verb} {words:?}: {ran:?}");
                if words[0] == frame || words.len() == 3 {
                    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
                } else {
                    ran.refused_by(1, "invalid_receipt");
                }
            }
        }
    }
    // The token alone is none, and no other option shows what it refuses.
    let (named, goal) = (format!("--receipt={token}"), format!("--wait-for={frame}"));
    for words in
        [&["ack", &token][..], &["ack", &named], &["wait", &sent, &goal], &["wait", &sent, "--wait-for", frame]]
    {
        let ran = scene.run(&[&["--as", "b", "handoff"], words].concat());
        assert!(ran.code != 0 && !ran.out.contains(&token) && !ran.err.contains(&token), "{words:?}: {ran:?}");
    }
    assert_eq!(grades(&scene.status(&sent))[2], "pending");
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() && !path.is_symlink() { files(&path) } else { vec![path] }).collect()
}

/// What all running processes were given: their arguments and, where it may be read, their environment.
fn given_to_processes() -> Vec<u8> {
    let mut given = Vec::new();
    for process in fs::read_dir("/proc").unwrap() {
        for part in ["cmdline", "environ"] {
            given.extend(fs::read(process.as_ref().unwrap().path().join(part)).unwrap_or_default());
            given.push(b'\n');
        }
    }
    given
}

fn holds(haystack: &[u8], needle: &str) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle.as_bytes())
}

#[test]
fn the_token_is_nowhere_but_in_its_notice() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 60");
    let receipt: Receipt = inbox.receipt();
    let token = receipt.token();
    let listed = || scene.handoff("list");
    until("the outcome", || listed().done()["handoffs"][0]["submission"] == "submitted");
    let id = listed().done()["handoffs"][0]["correlation_id"].as_str().unwrap().to_owned();
    let mut handler = scene.reading("ack", &receipt.frame);
    assert!(!holds(&given_to_processes(), &token), "sender and handler run");
    drop(handler.stdin.take());

    let verbs = [finish(handler), finish(sender), scene.present(&receipt), scene.present(&receipt.with("kind", "x"))];
    let looks = ["status", "list", "wait"].map(|verb| match verb {
        "list" => listed(),
        _ => scene.handoff(&format!("{verb} {id}")),
    });
    let ordinary = ["sent", "inbox"].map(|verb| scene.htalk(&format!("--as b {verb}")));
    let shown = scene.htalk(&format!("--as r show {id}"));
    for ran in verbs.iter().chain(&looks).chain(&ordinary).chain([&shown]) {
        assert!(!ran.out.contains(&token) && !ran.err.contains(&token), "{ran:?}");
        assert!(ran.out.ends_with('\n'), "{ran:?}");
    }
    assert!(!scene.dump().contains(&token));
    let log = &inbox.transcript;
    for file in files(scene.sandbox.root()).into_iter().filter(|file| file.is_file() && file != log) {
        assert!(!holds(&fs::read(&file).unwrap(), &token), "{}", file.display());
    }
    assert!(holds(&fs::read(log).unwrap(), &token));
    // Nor is it derived from what the ledger shows.
    assert_ne!(token, scene.sql("SELECT hash FROM handoff_capabilities;"));
}
