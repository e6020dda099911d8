//! Joining under a name, moving a name to another session, and who one is.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, run};

const FIRST: &str = "01a228b7-58fc-7e62-8f5a-f369cc0e7001";
const SECOND: &str = "01a228b7-58fc-7e62-8f5a-f369cc0e7002";

/// htalk as Codex runs it in a session.
fn inside(sandbox: &Sandbox, session: &str, words: &[&str]) -> Ran {
    run(sandbox.htalk_command(words).env("CODEX_THREAD_ID", session), b"")
}

/// The account's name as htalk makes a peer's name of it.
fn account(sandbox: &Sandbox) -> String {
    sandbox.sh("id -un").out.trim().to_lowercase()
}

#[test]
fn a_shell_joins_as_a_peer_that_looks_for_itself() {
    let sandbox = Sandbox::new();
    let joined = sandbox.htalk(&["join"]).done();
    let name = account(&sandbox);
    assert_eq!(
        (&joined["name"], &joined["delivery"], &joined["joined"]),
        (&json!(name), &json!("pull"), &json!("registered"))
    );
    assert_eq!(sandbox.htalk(&["join"]).done()["joined"], "unchanged");
    assert_eq!(sandbox.htalk(&["join", "helper"]).done()["joined"], "registered");
    assert_eq!(sandbox.htalk(&["join", "helper"]).done()["joined"], "unchanged");
    sandbox.sh(joined["recovery"]["inbox"].as_str().unwrap()).done();
    sandbox.htalk(&["join", "Not A Name"]).refused("invalid_peer_name");
    // A name that cannot be leaves no mailbox behind.
    let empty = Sandbox::new();
    empty.htalk(&["join", "Not A Name"]).refused("invalid_peer_name");
    assert!(!empty.mailbox().exists());
}

#[test]
fn a_session_joins_by_one_word_and_keeps_its_name() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.root().join("My Project");
    std::fs::create_dir(&workspace).unwrap();
    let join = |session: &str, words: &[&str]| {
        let mut command = sandbox.htalk_command(&[&["join"], words].concat());
        run(command.env("CODEX_THREAD_ID", session).current_dir(&workspace), b"")
    };
    let joined = join(FIRST, &[]).done();
    assert_eq!(
        (&joined["name"], &joined["harness"], &joined["session_id"], &joined["workspace"], &joined["joined"]),
        (&json!("my-project-codex"), &json!("codex"), &json!(FIRST), &json!(workspace), &json!("registered"))
    );
    assert_eq!(join(FIRST, &[]).done()["joined"], "unchanged");
    assert_eq!(join(FIRST, &["my-project-codex"]).done()["joined"], "unchanged");
    // A session has one name; another one gets a name of its own.
    let refused = join(FIRST, &["reviewer"]).refused("session_already_has_a_peer_name");
    assert_eq!(refused["registered_peer"], "my-project-codex");
    assert_eq!(join(SECOND, &[]).done()["name"], "my-project-codex-2");
    // The name goes to a new session once the former one is gone; its mail stays with it.
    sandbox.htalk(&["join", "me"]).done();
    let request = sandbox.htalk(&["--as", "me", "send", "my-project-codex", "x", "--no-notify"]).done();
    let third = "01a228b7-58fc-7e62-8f5a-f369cc0e7003";
    let moved = join(third, &["my-project-codex"]).done();
    assert_eq!((&moved["joined"], &moved["session_id"]), (&json!("moved"), &json!(third)));
    let inbox = inside(&sandbox, third, &["inbox"]).done();
    assert_eq!(inbox["messages"][0]["id"], request["id"]);
    inside(&sandbox, FIRST, &["inbox"]).refused("peer_required_use_as_or_HTALK_PEER");
    // A name of another kind is not taken.
    join("01a228b7-58fc-7e62-8f5a-f369cc0e7004", &["me"]).refused("peer_already_has_a_different_address");
    sandbox.htalk(&["join", "my-project-codex"]).refused("peer_already_has_a_different_address");
}

#[test]
fn a_peer_moves_and_what_is_left_out_stays() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let root = sandbox.root().to_str().unwrap();
    let home = format!("{root}/home");
    std::fs::create_dir(&home).unwrap();
    let add = ["peer", "add", "x", "--harness", "codex", "--session", FIRST, "--workspace", root];
    sandbox.htalk(&add).done();
    let moved = sandbox.htalk(&["peer", "move", "x", "--home", &home, "--socket", "s"]).done();
    let expected = |home: Value, socket: Value, session: &str| {
        json!({"name": "x", "harness": "codex", "delivery": "native", "session_id": session, "workspace": root,
            "home": home, "socket": socket, "url": null, "retired_at": null})
    };
    let socket = format!("{root}/s");
    assert_eq!(moved, expected(json!(home), json!(socket), FIRST));
    sandbox.htalk(&["peer", "move", "x", "--home", &home]).done();
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM peer_address_v;").text(), "2", "the same is no move");
    let cleared = sandbox.htalk(&["peer", "move", "x", "--home", "", "--socket", ""]).done();
    assert_eq!(cleared, expected(json!(null), json!(null), FIRST));
    let moved = sandbox.htalk(&["peer", "move", "x", "--session", &SECOND.to_uppercase()]).done();
    assert_eq!(moved, expected(json!(null), json!(null), SECOND));
    assert_eq!(sandbox.htalk(&["peer", "list"]).done()["peers"][1], moved);
    // peer add says the same as before: another address is a conflict.
    let refused = sandbox.htalk(&add).refused("peer_already_has_a_different_address");
    assert_eq!(refused["registered_session_id"], SECOND);
    assert!(refused["next_action"].as_str().unwrap().contains("peer move"), "{refused}");

    sandbox.htalk(&["peer", "move", "a", "--session", FIRST]).refused("pull_peer_has_no_native_address");
    sandbox.htalk(&["peer", "move", "nobody", "--session", FIRST]).refused("unknown_peer");
    sandbox.htalk(&["peer", "move", "x", "--session", "7"]).refused("invalid_uuid");
    sandbox.htalk(&["peer", "move", "x", "--workspace", "nowhere"]).refused("workspace_must_be_a_directory");
    sandbox.htalk(&["peer", "move", "x", "--url", "http://127.0.0.1:1"]).refused("url_is_only_for_opencode");
    let misuse = sandbox.htalk(&["peer", "move", "x"]);
    assert!(misuse.code == 2 && misuse.err.contains("say what has changed"), "{misuse:?}");
    sandbox.htalk(&["peer", "add", "y", "--harness", "codex", "--session", FIRST, "--workspace", root]).done();
    let refused = sandbox.htalk(&["peer", "move", "x", "--session", FIRST]).refused("session_already_has_a_peer_name");
    assert_eq!(refused["registered_peer"], "y");
    sandbox.htalk(&["peer", "retire", "x"]).done();
    let refused = sandbox.htalk(&["peer", "move", "x", "--home", &home]).refused("peer_retired");
    sandbox.sh(refused["recovery"]["restore"].as_str().unwrap()).done();
    sandbox.htalk(&["peer", "move", "x", "--home", &home]).done();
}

#[test]
fn whoami_says_who_calls_and_how_that_was_found() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let refused = sandbox.htalk(&["whoami"]).refused("peer_required_use_as_or_HTALK_PEER");
    assert_eq!(refused["recovery"]["join"], format!("htalk --db {} join", sandbox.mailbox().display()));
    inside(&sandbox, FIRST, &["join", "x"]).done();
    sandbox.send("a", "b", "x");
    sandbox.send("b", "a", "y");
    sandbox.htalk(&["--as", "b", "note", "a", "z"]).done();
    let who = sandbox.htalk(&["--as", "a", "whoami"]).done();
    let seen = |who: &Value| ["name", "actor_source", "open", "to_answer", "unanswered"].map(|key| who[key].clone());
    assert_eq!(seen(&who), [json!("a"), json!("option"), json!(2), json!(1), json!(1)]);
    assert_eq!((&who["resolved_path"], &who["mailbox_source"]), (&json!(sandbox.mailbox()), &json!("HTALK_DB")));
    let who = inside(&sandbox, FIRST, &["whoami"]).done();
    assert_eq!(seen(&who), [json!("x"), json!("native_session"), json!(0), json!(0), json!(0)]);
    assert_eq!(who["current_session_id"], FIRST);
    // Whoever speaks under another name than its own is seen to.
    let sent = inside(&sandbox, FIRST, &["--as", "a", "send", "b", "x"]).done();
    assert_eq!((&sent["sender_source"], &sent["sender_session"]), (&json!("option"), &json!(FIRST)));
    let read = sandbox.htalk(&["--as", "b", "show", sent["id"].as_str().unwrap()]).done();
    assert_eq!(read["sender_session"], FIRST);
    let own = inside(&sandbox, FIRST, &["send", "b", "y"]).done();
    assert_eq!((&own["sender"], &own["sender_source"]), (&json!("x"), &json!("native_session")));
}

#[test]
fn a_session_of_opencode_is_known_by_its_plug_in() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let root = sandbox.root().to_str().unwrap();
    let add = ["peer", "add", "o", "--harness", "opencode", "--session", "ses_1", "--workspace", root];
    sandbox.htalk(&add).done();
    let whoami = |named: &str| {
        let mut command = sandbox.htalk_command(&["whoami"]);
        run(command.env("OPENCODE_PID", "77").env("HTALK_OPENCODE_SESSION", named), b"")
    };
    assert_eq!(whoami("77:ses_1").done()["name"], "o");
    // Another OpenCode below it has another pid.
    for other in ["78:ses_1", "77:", "ses_1", "77:ses_2"] {
        whoami(other).refused("peer_required_use_as_or_HTALK_PEER");
    }
}
