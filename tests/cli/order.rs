//! Which refusal comes first where several apply.

use std::fs;

use crate::support::{Sandbox, run};

const NOBODY: &str = "3f0c9d52-aaaa-4aaa-8aaa-000000000003";

#[test]
fn arguments_come_before_the_mailbox() {
    let sandbox = Sandbox::new();
    for (words, code) in [
        ("--as a show x", "invalid_uuid"),
        ("--as a ack x", "invalid_uuid"),
        ("--as a wait x", "invalid_uuid"),
        ("--as a reply x --message y", "invalid_uuid"),
        ("--as a send b --id x --message y", "invalid_uuid"),
        ("--as a send b --wait 46 --message y", "wait_seconds_must_be_between_0_and_45"),
        (&format!("--as a wait {NOBODY} --seconds -1"), "wait_seconds_must_be_between_0_and_45"),
        ("--as a inbox --limit 0", "limit_must_be_between_1_and_500"),
        ("--as a sent --max-bytes 1", "max_bytes_must_be_between_1024_and_10485760"),
        ("--as a sent --before-seq 0", "seq_cursor_must_be_a_positive_integer"),
        ("peer discover --harness x", "unsupported_harness"),
        ("peer discover --harness claude --codex-socket s", "codex_socket_requires_codex_discovery"),
        ("peer discover --harness codex --opencode-url http://localhost", "opencode_url_requires_opencode_discovery"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        sandbox.htalk(&words).refused(code);
        fs::write(sandbox.mailbox(), "no mailbox").unwrap();
        sandbox.htalk(&words).refused(code);
        fs::remove_file(sandbox.mailbox()).unwrap();
    }
}

#[test]
fn each_later_fault_shows_once_the_earlier_ones_are_mended() {
    let sandbox = Sandbox::new();
    let session = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c6";
    let other = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c7";
    let send = |actor: &str, recipient: &str, file: &str| {
        let mut words = vec!["send", recipient, "--message-file", file];
        if !actor.is_empty() {
            words.splice(0..0, ["--as", actor]);
        }
        run(sandbox.htalk_command(&words).env("CODEX_THREAD_ID", other), b"")
    };
    let reply = |actor: &str, request: &str, file: &str| {
        sandbox.htalk(&["--as", actor, "reply", request, "--message-file", file])
    };
    send("", "nobody", "missing").refused("database_not_found");
    for name in ["a", "b", "c"] {
        sandbox.htalk(&["peer", "add", name, "--harness", "test", "--delivery", "pull"]).done();
    }
    sandbox.htalk(&["peer", "add", "n", "--harness", "codex", "--session", session, "--workspace", "."]).done();
    fs::write(sandbox.root().join("blank"), " ").unwrap();
    fs::write(sandbox.root().join("nul"), " \0").unwrap();
    fs::write(sandbox.root().join("binary"), b"\xff\0").unwrap();
    fs::write(sandbox.root().join("large"), [b"\xff\0".as_slice(), &[b' '; 32_000]].concat()).unwrap();
    fs::write(sandbox.root().join("good"), "x").unwrap();

    send("", "nobody", "missing").refused("peer_required_use_as_or_HTALK_PEER");
    send("nobody", "nobody", "missing").refused("unknown_peer");
    send("n", "nobody", "missing").refused("actor_conflicts_with_CODEX_THREAD_ID");
    send("a", "nobody", "missing").refused("message_file_unreadable");
    send("a", "nobody", "large").refused("message_must_be_1_to_32000_bytes");
    send("a", "nobody", "binary").refused("message_is_not_utf8");
    send("a", "nobody", "nul").refused("message_contains_nul");
    send("a", "nobody", "blank").refused("message_must_be_1_to_32000_bytes");
    send("a", "nobody", "good").refused("unknown_peer");
    send("a", "a", "good").refused("sender_and_recipient_must_differ");

    let request = sandbox.send("a", "b", "x");
    let answered = sandbox.send("a", "b", "y");
    let answer = sandbox.reply("b", &answered, "z");
    sandbox.htalk(&["peer", "retire", "c"]).done();
    reply("b", NOBODY, "missing").refused("message_file_unreadable");
    reply("b", NOBODY, "large").refused("unknown_request");
    reply("c", &answer, "large").refused("reply_requires_a_request");
    reply("c", &request, "large").refused("reply_address_mismatch");
    reply("b", &answered, "large").refused("message_must_be_1_to_32000_bytes");
    reply("b", &answered, "good").refused("reply_conflict_existing_answer_preserved");
    sandbox.htalk(&["--as", "a", "send", "c", "--id", &request, "--message", "x"]).refused("message_id_conflict");
    sandbox.htalk(&["--as", "a", "send", "c", "--message", "x"]).refused("peer_retired");
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "3", "nothing refused was saved");
}
