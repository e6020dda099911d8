//! What an answer says to its reader: the command that goes on, and what differs.

use std::fs;

use serde_json::{Value, json};

use super::fake::inbox::Inbox;
use super::scene::{Scene, id};
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

#[test]
fn the_statement_of_the_sender_is_ready_to_run() {
    let scene = Scene::new();
    let Some(mut inbox) = Inbox::open(&scene) else { return };
    let confirm = |told: &Value| told["recovery"].get("confirm").map(|way| way.as_str().unwrap().to_owned());
    let sent = scene.send("--to r");
    inbox.notice();
    let way = confirm(&sent).unwrap_or_else(|| panic!("{sent}"));
    assert!(sent["next_action"].as_str().unwrap().contains("confirm"), "{sent}");
    assert_eq!(confirm(&scene.status(&id(&sent))), Some(way.clone()));
    let told = run(scene.program("sh").args(["-c", &way]).current_dir("/"), b"").done();
    assert_eq!(told["handoff"]["ack"]["assurance"], "operator_confirmed", "{told}");
    assert!(told["next_action"].as_str().unwrap().contains("You stated"), "{told}");
    assert_eq!(confirm(&told), None, "it is acknowledged");
    // What is not submitted, or has no process, can't be confirmed.
    let prepared = scene.prepare("--to r");
    assert_eq!(confirm(&scene.status(&prepared)), None);
    let queued = scene.send("--to q");
    assert_eq!(confirm(&queued), None);
    assert!(queued["handoff"].get("target_generation").is_none(), "what does not apply is left out: {queued}");
    let refused = scene.confirm(&id(&queued)).refused_by(1, "receipt_authority_unavailable");
    assert!(refused["detail"].as_str().unwrap().contains("Codex does not tell its processes apart"), "{refused}");
    scene.handoff(&format!("confirm {} --epoch x", id(&sent))).refused_by(1, "receipt_authority_unavailable");
    scene.handoff(&format!("confirm {prepared} --epoch x")).refused_by(1, "receipt_authority_unavailable");
    for words in
        ["confirm", "confirm --epoch x", &format!("confirm {prepared}"), &format!("confirm {prepared} --receipt -")]
    {
        assert_eq!(scene.handoff(words).code, 2, "{words}");
    }
    // A token that came back is no word of anybody's having it.
    scene.send("--to r --request-ack");
    inbox.receipt();
    inbox.ack().done();
    let newest = scene.handoff("list --limit 1").done()["handoffs"][0]["correlation_id"].clone();
    let told = scene.status(newest.as_str().unwrap());
    assert!(told["next_action"].as_str().unwrap().contains("was presented the token"), "{told}");
}

#[test]
fn a_handoff_is_found_by_its_first_digits() {
    let scene = Scene::new();
    let id = id(&scene.send("--to q"));
    for digits in [8, 9, 20, 35] {
        assert_eq!(scene.status(&id[..digits]), scene.status(&id), "{digits}");
    }
    // Only among those that the actor sent or got.
    scene.htalk(&format!("--as c handoff status {}", &id[..8])).refused_by(1, "handoff_id_unknown");
    let waited = scene.handoff(&format!("wait {} --wait-timeout 6", &id[..8])).ended(1);
    assert_eq!(waited["handoff"]["correlation_id"], id);
}

#[test]
fn handoffs_are_listed_in_pages() {
    let scene = Scene::new();
    let ids: Vec<String> = (0..7).map(|_| scene.prepare("--to q")).collect();
    let mut page = scene.handoff("list --limit 2").done();
    let mut listed: Vec<Value> = Vec::new();
    loop {
        let rows = page["handoffs"].as_array().unwrap();
        assert!(rows.iter().all(|row| row.as_object().unwrap().values().all(|value| !value.is_null())), "{page}");
        listed.extend(rows.iter().map(|row| row["correlation_id"].clone()));
        assert_eq!((&page["total"], &page["omitted"]), (&json!(7), &json!(7 - listed.len())));
        let Some(next) = page.get("next_page") else { break };
        page = run(scene.program("sh").args(["-c", next.as_str().unwrap()]), b"").done();
    }
    assert_eq!(listed, ids.iter().rev().map(|id| json!(id)).collect::<Vec<_>>());
    let bounded = scene.handoff("list --max-bytes 1024").done();
    assert!(bounded["omitted"].as_i64().unwrap() > 0, "{bounded}");
}
