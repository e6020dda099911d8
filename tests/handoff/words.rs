//! What an answer says to its reader: the command that goes on, and what differs.

use std::fs;

use serde_json::Value;

use super::fake::inbox::Inbox;
use super::scene::Scene;
use crate::support::run;

#[test]
fn what_prepare_says_to_send_sends_it() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    fs::create_dir(scene.at("it's other")).unwrap();
    scene.world.state("it's other", &[&scene.world.row("cli", 0, "user")]);
    scene.write("it's \"m\" $HOME", "hello");
    let home = scene.at("it's other").display().to_string();
    let told = scene.handoff("send --to r --host h --message-file m --dry-run").done();
    let generation = told["target_generation"].as_str().unwrap().to_owned();
    for words in [
        &["--to", "r"][..],
        &["--to", "r", "--generation", &generation],
        &["--to", "r", "--host", "h", "--generation", &generation],
        &["--to", "q"],
        &["--to", "q", "--host", "h"],
        &["--to", "q", "--codex-home", &home, "--allow-inactive-codex-home"],
        &["--to", "q", "--host", "h", "--codex-home", &home, "--allow-inactive-codex-home"],
    ] {
        let prepare = ["--as", "b", "handoff", "prepare", "--message-file", "it's \"m\" $HOME"];
        let told = scene.run(&[&prepare, words].concat()).done();
        let send = told["recovery"]["send"].as_str().unwrap_or_else(|| panic!("{told}"));
        // From anywhere.
        let sent = run(scene.program("sh").args(["-c", send]).current_dir("/"), b"").done();
        assert_eq!(sent["handoff"]["correlation_id"], told["handoff"]["correlation_id"], "{send}");
        assert_eq!(sent["handoff"]["state"], "submitted", "{send}");
    }
    assert_eq!((inbox.notices().len(), scene.queued().len()), (3, 4));
    let calls = scene.world.calls();
    let homes = calls.split("[queue]\n").skip(1).map(|call| call.split_once("\nhome=").unwrap().1.starts_with(&home));
    assert_eq!(homes.collect::<Vec<_>>(), [false, false, true, true], "{calls}");
    // What came from standard input is gone.
    let told = scene.handoff_reading("prepare --to q --message-file -", b"hello").done();
    assert_eq!(told["recovery"]["send"], Value::Null);
}

#[test]
fn a_conflict_says_what_differs() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    scene.write("changed", "hello!");
    let id = scene.prepare("--to r");
    let generation = scene.status(&id)["handoff"]["target_generation"].as_str().unwrap().to_owned();
    let conflict = |actor: &str, words: &str| {
        let told = scene.htalk(&format!("--as {actor} handoff send {id} {words}"));
        told.refused_by(1, "handoff_binding_conflict")["detail"].as_str().unwrap().to_owned()
    };
    for (actor, words, differs) in [
        ("b", "--to r --message-file changed", "the message"),
        // Codex tells no processes apart.
        ("b", "--to q --message-file m", "the recipient, the process of the session"),
        ("b", "--to r --message-file changed --host h", "the host, the message"),
        ("b", "--to r --message-file m --host h", "the host"),
        ("c", "--to r --message-file m", "the sender"),
    ] {
        assert_eq!(conflict(actor, words), format!("not as prepared: {differs}"), "{words}");
    }
    let inbox = inbox.replace(&scene);
    assert_eq!(conflict("b", "--to r --message-file m"), "not as prepared: the process of the session");
    let named = conflict("b", &format!("--to r --message-file m --generation {generation}"));
    assert!(named.contains("the session has another generation now"), "{named}");
    assert_eq!(scene.status(&id)["phase"], "prepared");
    assert!(inbox.notices().is_empty());
}
