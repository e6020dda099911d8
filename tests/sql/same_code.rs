//! The command and the plain shell refuse the same thing with the same code.

use crate::support::Sandbox;

const REQUEST: &str = "10000000-0000-4000-8000-000000000001";
const ANSWERED: &str = "10000000-0000-4000-8000-000000000002";
const UNKNOWN: &str = "10000000-0000-4000-8000-00000000000f";

/// Peers a, b, c and the retired d; an open request from a to b and an answered one.
fn mailbox() -> Sandbox {
    let sandbox = Sandbox::with_peers(&["a", "b", "c", "d"]);
    sandbox.htalk(&["peer", "retire", "d"]).done();
    for id in [REQUEST, ANSWERED] {
        sandbox.htalk(&["--as", "a", "send", "b", "--id", id, "--message", "A question."]).done();
    }
    sandbox.reply("b", ANSWERED, "The answer.");
    sandbox
}

#[test]
fn messages_and_acknowledgments() {
    let sandbox = mailbox();
    let answer = sandbox.htalk(&["--as", "a", "show", ANSWERED]).done()["reply"]["id"].as_str().unwrap().to_owned();
    let long = "x".repeat(32_001);
    let send = |sender: &str, recipient: &str, id: &str, body: &str| {
        let id = if id.is_empty() { "10000000-0000-4000-8000-00000000000a" } else { id };
        let sql = format!(
            "INSERT INTO messages (id, sender, recipient, body) VALUES ('{id}', '{sender}', '{recipient}', '{body}');"
        );
        (["--as", sender, "send", recipient, "--id", id, "--message", body].map(str::to_owned).to_vec(), sql)
    };
    let reply = |sender: &str, recipient: &str, request: &str, body: &str| {
        let sql = format!(
            "INSERT INTO messages (in_reply_to, sender, recipient, body)
             VALUES ('{request}', '{sender}', '{recipient}', '{body}');"
        );
        (["--as", sender, "reply", request, "--message", body].map(str::to_owned).to_vec(), sql)
    };
    let ack = |peer: &str, id: &str| {
        let sql = format!("INSERT INTO acks (message_id, peer) VALUES ('{id}', '{peer}');");
        (["--as", peer, "ack", id].map(str::to_owned).to_vec(), sql)
    };
    let cases = [
        ("unknown_peer", send("a", "bb", "", "x")),
        ("unknown_peer", send("a", "B", "", "x")),
        ("sender_and_recipient_must_differ", send("a", "a", "", "x")),
        ("peer_retired", send("a", "d", "", "x")),
        ("peer_retired", send("d", "a", "", "x")),
        ("message_id_conflict", send("a", "b", REQUEST, "Another question.")),
        ("message_id_conflict", send("a", "c", REQUEST, "A question.")),
        ("message_must_be_1_to_32000_bytes", send("a", "b", "", "")),
        ("message_must_be_1_to_32000_bytes", send("a", "b", "", " \n\u{3000}")),
        ("message_must_be_1_to_32000_bytes", send("a", "b", "", &long)),
        ("invalid_uuid", send("a", "b", "no-id", "x")),
        ("unknown_request", reply("b", "a", UNKNOWN, "x")),
        ("reply_requires_a_request", reply("a", "b", &answer, "Thanks.")),
        ("reply_address_mismatch", reply("a", "b", REQUEST, "x")),
        ("reply_address_mismatch", reply("c", "a", REQUEST, "x")),
        ("reply_conflict_existing_answer_preserved", reply("b", "a", ANSWERED, "Another answer.")),
        ("message_must_be_1_to_32000_bytes", reply("b", "a", REQUEST, "\t")),
        ("unknown_message", ack("b", UNKNOWN)),
        ("only_recipient_can_ack", ack("a", REQUEST)),
        ("only_recipient_can_ack", ack("c", REQUEST)),
    ];
    for (code, (words, sql)) in cases {
        sandbox.htalk(&words.iter().map(String::as_str).collect::<Vec<_>>()).refused(code);
        assert_eq!(sandbox.sqlite(&sql).shell_errors(), [(1, code.to_owned())], "{sql}");
    }
}

#[test]
fn bodies_that_an_argument_can_not_carry() {
    let sandbox = mailbox();
    for (code, bytes) in [("message_contains_nul", &b"a\0b"[..]), ("message_is_not_utf8", b"a\xff")] {
        sandbox.htalk_reading(&["--as", "a", "send", "b", "--message-file", "-"], bytes).refused(code);
        let value = match code {
            "message_contains_nul" => "CAST(x'610062' AS TEXT)",
            _ => "x'61ff'",
        };
        let sql = format!("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', {value});");
        assert_eq!(sandbox.sqlite(&sql).shell_errors(), [(1, code.to_owned())], "{sql}");
    }
}

/// A code, a name, and the columns and values of an address, which are options and words to the command.
type Registration<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn registrations() {
    let sandbox = mailbox();
    let session = "10000000-0000-4000-8000-000000000009";
    let root = sandbox.root().to_str().unwrap();
    sandbox.htalk(&["peer", "add", "x", "--harness", "codex", "--session", session, "--workspace", root]).done();
    let cases: &[Registration] = &[
        ("invalid_peer_name", "A", &[("harness", "test"), ("delivery", "pull")]),
        ("invalid_peer_name", "e.f", &[("harness", "test"), ("delivery", "pull")]),
        ("invalid_harness_id", "e", &[("harness", "Test"), ("delivery", "pull")]),
        ("unsupported_harness", "e", &[("harness", "test")]),
        ("unsupported_delivery", "e", &[("harness", "codex"), ("delivery", "push")]),
        ("pull_peer_has_no_native_address", "e", &[("harness", "test"), ("delivery", "pull"), ("workspace", root)]),
        ("invalid_uuid", "e", &[("harness", "codex"), ("session_id", "no-id"), ("workspace", root)]),
        ("invalid_uuid", "e", &[("harness", "claude"), ("session_id", ""), ("workspace", root)]),
        ("invalid_opencode_session_id", "e", &[("harness", "opencode"), ("session_id", "7"), ("workspace", root)]),
        ("workspace_must_be_a_directory", "e", &[("harness", "codex"), ("session_id", session), ("workspace", "gone")]),
        (
            "claude_socket_is_discovered_from_live_identity",
            "e",
            &[("harness", "claude"), ("session_id", session), ("workspace", root), ("socket", "/s")],
        ),
        (
            "opencode_uses_a_server_url_not_a_socket",
            "e",
            &[("harness", "opencode"), ("session_id", "ses_1"), ("workspace", root), ("socket", "/s")],
        ),
        (
            "url_is_only_for_opencode",
            "e",
            &[("harness", "codex"), ("session_id", session), ("workspace", root), ("url", "http://127.0.0.1:1")],
        ),
        (
            "home_is_only_for_codex_and_claude",
            "e",
            &[("harness", "opencode"), ("session_id", "ses_1"), ("workspace", root), ("home", root)],
        ),
        ("peer_already_has_a_different_address", "a", &[("harness", "other"), ("delivery", "pull")]),
        ("session_already_has_a_peer_name", "e", &[("harness", "codex"), ("session_id", session), ("workspace", root)]),
    ];
    for (code, name, address) in cases {
        let mut words = vec!["peer".to_owned(), "add".to_owned(), (*name).to_owned()];
        let (mut columns, mut values) = (String::from("name"), format!("'{name}'"));
        for (column, value) in *address {
            words.extend([format!("--{}", column.trim_end_matches("_id")), (*value).to_owned()]);
            columns += &format!(", {column}");
            values += &format!(", '{value}'");
        }
        sandbox.htalk(&words.iter().map(String::as_str).collect::<Vec<_>>()).refused(code);
        let sql = format!("INSERT INTO peers ({columns}) VALUES ({values});");
        assert_eq!(sandbox.sqlite(&sql).shell_errors(), [(1, (*code).to_owned())], "{sql}");
    }
}
