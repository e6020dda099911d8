//! Who is calling: the session that the client names with the call, the one above the server as it is now, and else the
//! peer that the server was started for.

use std::fs;
use std::process::id;

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

const ROOT: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c6";
const SUBAGENT: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c7";
const STRANGER: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c8";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_peers(&["pull"]);
    for words in [
        format!("root --harness codex --session {ROOT} --workspace ."),
        format!("sub --harness codex --session {SUBAGENT} --workspace ."),
        format!("before --harness claude --session {ROOT} --workspace ."),
        format!("after --harness claude --session {SUBAGENT} --workspace ."),
        "open --harness opencode --session ses_1 --workspace .".to_owned(),
    ] {
        let words: Vec<&str> = ["peer", "add"].into_iter().chain(words.split(' ')).collect();
        sandbox.htalk(&words).done();
    }
    sandbox
}

/// A server with this peer and environment.
fn start(sandbox: &Sandbox, words: &[&str], environment: &[(&str, &str)]) -> Client {
    let words: Vec<&str> = words.iter().copied().chain(["mcp"]).collect();
    let mut client = Client::start(sandbox.htalk_command(&words).envs(environment.iter().copied()));
    client.initialize("2025-06-18");
    client
}

/// Who a call is made by, and what named them; or the code of its refusal.
fn who(client: &mut Client, arguments: Value, thread: Option<&str>) -> (String, String) {
    let meta = thread.map_or(json!({}), |thread| json!({ "threadId": thread, "progressToken": 1 }));
    let told = client.call_with("inbox", arguments, meta).value;
    let word = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    if told.get("error").is_some() { (word("error"), String::new()) } else { (word("actor"), word("actor_source")) }
}

#[track_caller]
fn assert_is(found: (String, String), actor: &str, source: &str) {
    assert_eq!((&*found.0, &*found.1), (actor, source));
}

const NOBODY: &str = "peer_required_use_as_or_HTALK_PEER";

#[test]
fn codex_names_the_thread_with_each_call() {
    let sandbox = sandbox();
    let mut client = start(&sandbox, &[], &[]);
    assert_is(who(&mut client, json!({}), Some(ROOT)), "root", "native_session");
    // A subagent is another one, and a thread that is no peer is nobody.
    assert_is(who(&mut client, json!({}), Some(&SUBAGENT.to_uppercase())), "sub", "native_session");
    assert_is(who(&mut client, json!({}), Some(STRANGER)), NOBODY, "");
    assert_is(who(&mut client, json!({}), None), NOBODY, "");
    for thread in ["", "x", "ses_1"] {
        assert_is(who(&mut client, json!({}), Some(thread)), NOBODY, "");
    }
    // A name that is not its own is refused, that of a pull peer is taken.
    assert_is(who(&mut client, json!({ "as": "sub" }), Some(ROOT)), "actor_conflicts_with_CODEX_THREAD_ID", "");
    assert_is(who(&mut client, json!({ "as": "pull" }), Some(ROOT)), "pull", "option");
    let sent = client.call_with("send", json!({ "recipient": "pull", "message": "x" }), json!({ "threadId": ROOT }));
    assert_eq!((&sent.value["sender"], &sent.value["actor_source"]), (&json!("root"), &json!("native_session")));
}

#[test]
fn a_session_comes_before_what_the_server_was_started_for() {
    let sandbox = sandbox();
    for (words, environment, source) in
        [(&["--as", "pull"][..], &[][..], "option"), (&[], &[("HTALK_PEER", "pull")], "HTALK_PEER")]
    {
        let mut client = start(&sandbox, words, environment);
        assert_is(who(&mut client, json!({}), Some(ROOT)), "root", "native_session");
        assert_is(who(&mut client, json!({}), Some(STRANGER)), "pull", source);
        assert_is(who(&mut client, json!({}), None), "pull", source);
        assert_is(who(&mut client, json!({ "as": "open" }), None), "open", "option");
    }
    // The name of one thread is not for another one.
    let mut client = start(&sandbox, &["--as", "root"], &[]);
    assert_is(who(&mut client, json!({}), Some(STRANGER)), "actor_conflicts_with_CODEX_THREAD_ID", "");
    assert_is(who(&mut client, json!({}), None), "root", "option");
}

#[test]
fn opencode_names_the_session_in_the_arguments() {
    let sandbox = sandbox();
    let mut client = start(&sandbox, &[], &[]);
    assert_is(who(&mut client, json!({ "opencode_session": "ses_1" }), None), "open", "native_session");
    assert_is(who(&mut client, json!({ "opencode_session": "ses_2" }), None), NOBODY, "");
    assert_is(who(&mut client, json!({ "opencode_session": "ses_1", "as": "pull" }), None), "pull", "option");
}

/// Claude Code gives the process of a session another session at `/clear`; its servers keep the variables of before.
#[test]
fn claude_has_the_session_of_its_record() {
    let sandbox = sandbox();
    let (config, pid) = (sandbox.root().join("claude"), id());
    let record = config.join(format!("sessions/{pid}.json"));
    fs::create_dir_all(record.parent().unwrap()).unwrap();
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let started = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
    let write = |session: &str, started: &str| {
        let text = json!({ "pid": pid, "procStart": started, "sessionId": session, "cwd": "/" }).to_string();
        fs::write(&record, text).unwrap();
    };
    write(ROOT, &started);
    let variables = [("CLAUDE_CONFIG_DIR", config.to_str().unwrap()), ("CLAUDE_CODE_SESSION_ID", ROOT)];
    let mut client = start(&sandbox, &[], &variables);
    assert_is(who(&mut client, json!({}), None), "before", "native_session");
    write(SUBAGENT, &started);
    assert_is(who(&mut client, json!({}), None), "after", "native_session");
    assert_is(who(&mut client, json!({ "as": "before" }), None), "actor_conflicts_with_CLAUDE_CODE_SESSION_ID", "");
    write(STRANGER, &started);
    assert_is(who(&mut client, json!({}), None), NOBODY, "");
    // The record of an earlier process.
    write(ROOT, "1");
    assert_is(who(&mut client, json!({}), None), NOBODY, "");
}
