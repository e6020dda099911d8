//! Who is calling.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, run};

const CURRENT: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c6";
const OTHER: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c7";

/// A mailbox with peers of each kind; `mine` is the Codex session [`CURRENT`], `other` the one [`OTHER`].
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_peers(&["pull"]);
    for words in [
        format!("mine --harness codex --session {CURRENT} --workspace ."),
        format!("other --harness codex --session {OTHER} --workspace ."),
        format!("claude --harness claude --session {OTHER} --workspace ."),
        "open --harness opencode --session ses_1 --workspace .".to_owned(),
        "codex-pull --harness codex --delivery pull".to_owned(),
    ] {
        let words: Vec<&str> = ["peer", "add"].into_iter().chain(words.split(' ')).collect();
        sandbox.htalk(&words).done();
    }
    sandbox
}

/// Shows a message that everyone may read, as whoever is calling.
fn call(sandbox: &Sandbox, words: &[&str], environment: &[(&str, &str)]) -> Ran {
    let words: Vec<&str> = words.iter().copied().chain(["send", "pull", "--no-notify", "--message", "x"]).collect();
    run(sandbox.htalk_command(&words).envs(environment.iter().copied()), b"")
}

#[test]
fn the_option_beats_the_variable_beats_the_session() {
    let sandbox = sandbox();
    for (words, environment, sender, source) in [
        (&["--as", "open"][..], &[("HTALK_PEER", "claude")][..], "open", "option"),
        (&["--as", "mine"], &[("CODEX_THREAD_ID", CURRENT)], "mine", "option"),
        (&[], &[("HTALK_PEER", "open")], "open", "HTALK_PEER"),
        (&[], &[("HTALK_PEER", "open"), ("CODEX_THREAD_ID", CURRENT)], "open", "HTALK_PEER"),
        (&[], &[("CODEX_THREAD_ID", CURRENT)], "mine", "native_session"),
        (&[], &[("HTALK_PEER", ""), ("CODEX_THREAD_ID", CURRENT)], "mine", "native_session"),
        (&[], &[("CODEX_THREAD_ID", OTHER)], "other", "native_session"),
    ] {
        let sent = call(&sandbox, words, environment).done();
        assert_eq!(
            (&sent["sender"], &sent["actor_source"]),
            (&json!(sender), &json!(source)),
            "{words:?} {environment:?}"
        );
        let recovered = sent["recovery"]["show"].as_str().unwrap();
        assert!(recovered.contains(&format!(" --as {sender} ")), "{recovered}");
    }
}

#[test]
fn without_any_of_them_the_caller_is_asked_who_it_is() {
    let sandbox = sandbox();
    let unknown_session = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c8";
    for environment in [
        &[][..],
        &[("HTALK_PEER", "")],
        &[("CODEX_THREAD_ID", "")],
        &[("CODEX_THREAD_ID", unknown_session)],
        &[("CODEX_THREAD_ID", "ses_1")],
        &[("CLAUDE_CODE_SESSION_ID", OTHER)],
    ] {
        let refused = call(&sandbox, &[], environment).refused("peer_required_use_as_or_HTALK_PEER");
        assert_eq!(crate::support::keys(&refused["recovery"]), ["peers"], "{environment:?}");
    }
    call(&sandbox, &[], &[("HTALK_PEER", "nobody")]).refused("unknown_peer");
    // An option that is given is not skipped, even if it is empty.
    call(&sandbox, &["--as", ""], &[("HTALK_PEER", "pull")]).refused("unknown_peer");
}

#[test]
fn a_codex_session_does_not_speak_for_another_one() {
    let sandbox = sandbox();
    for (words, environment) in [
        (&["--as", "other"][..], &[("CODEX_THREAD_ID", CURRENT)][..]),
        (&[], &[("HTALK_PEER", "other"), ("CODEX_THREAD_ID", CURRENT)]),
    ] {
        let refused = call(&sandbox, words, environment).refused("actor_conflicts_with_CODEX_THREAD_ID");
        assert_eq!(refused["registered_peer"], "other");
        assert_eq!(refused["registered_session_id"], OTHER);
        assert_eq!(refused["current_session_id"], CURRENT);
    }
    assert_eq!(call(&sandbox, &["--as", "other"], &[("CODEX_THREAD_ID", "")]).done()["sender"], "other");
    // Every command that has an actor is guarded, the readers too.
    for words in
        ["inbox", "sent", "watch", "show 1f0c9d52", "ack 1f0c9d52", "wait 1f0c9d52", "reply 1f0c9d52 --message x"]
    {
        let words: Vec<&str> = ["--as", "other"].into_iter().chain(words.split(' ')).collect();
        let ran = run(sandbox.htalk_command(&words).env("CODEX_THREAD_ID", CURRENT), b"");
        ran.refused("actor_conflicts_with_CODEX_THREAD_ID");
    }
}

#[test]
fn actors_of_other_harnesses_ignore_the_codex_session() {
    let sandbox = sandbox();
    for name in ["claude", "open", "codex-pull"] {
        let sent = call(&sandbox, &["--as", name], &[("CODEX_THREAD_ID", CURRENT)]).done();
        assert_eq!(sent["sender"], name);
    }
}

#[test]
fn a_retired_session_still_reads() {
    let sandbox = sandbox();
    sandbox.htalk(&["peer", "retire", "mine"]).done();
    let ran = run(sandbox.htalk_command(&["inbox"]).env("CODEX_THREAD_ID", CURRENT), b"");
    assert_eq!(ran.done()["total"], Value::from(0));
}
