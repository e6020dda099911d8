//! How the server ends: the end of input, a closed output, signals.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use super::client::{Client, Told};
use super::waits::registered;
use crate::support::process::{Signal, closed_pipe, signal};
use crate::support::{Sandbox, finish, run};

/// A server of `a` in whose name somebody waits.
fn waiting(sandbox: &Sandbox) -> (Client, u64) {
    let id = sandbox.send("a", "b", "x");
    let mut client = Client::of(sandbox, "a");
    let wait = client.ask("tools/call", json!({ "name": "wait", "arguments": { "id": id } }));
    registered(sandbox, 1);
    (client, wait)
}

#[test]
fn the_end_of_input_ends_waits_and_the_server() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let (mut client, wait) = waiting(&sandbox);
    drop(client.input.take());
    let answer = client.read();
    let told = Told::of(&answer);
    assert_eq!((&answer["id"], &told.value["state"], told.is_error), (&json!(wait), &json!("interrupted"), true));
    assert_eq!(told.value["persistence"], "saved");
    assert!(client.is_silent());
    let ended = client.end();
    assert_eq!((ended.code, &*ended.err), (0, ""));
    registered(&sandbox, 0);
}

#[test]
fn the_end_of_input_leaves_other_calls_their_time() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let line =
        |id: u64, method: &str, params| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let client = json!({ "name": "test", "version": "1" });
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let send = json!({ "name": "send", "arguments": { "recipient": "b", "message": "x" } });
    let mut lines = format!("{}\n", line(0, "initialize", initialize));
    for id in 1..=20 {
        lines += &format!("{}\n", line(id, "tools/call", send.clone()));
    }
    // The last line need not be ended.
    lines += &line(21, "tools/call", send).to_string();
    let ran = run(&mut sandbox.htalk_command(&["--as", "a", "mcp"]), lines.as_bytes());
    assert_eq!((ran.code, ran.out.lines().count()), (0, 22), "{ran:?}");
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "21");
}

#[test]
fn the_end_before_a_handshake_is_quiet() {
    let sandbox = Sandbox::with_peers(&["a"]);
    for input in ["", "\n", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"] {
        let ran = run(&mut sandbox.htalk_command(&["mcp"]), input.as_bytes());
        assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""));
    }
}

#[test]
fn a_closed_output_ends_it_quietly() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    // From the start.
    let mut command = sandbox.htalk_command(&["--as", "a", "mcp"]);
    let mut server = command.stdin(Stdio::piped()).stdout(closed_pipe()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let ended = finish(server);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    drop(input);
    // In the middle, while somebody waits.
    let id = sandbox.send("a", "b", "x");
    let script = r#"{ printf '%s\n' "$1" "$2"; until [ -e bell ]; do sleep 0.01; done; printf '%s\n' "$3"
        sleep 600 & echo $! >pid; wait; } | { "$0" --as a mcp; echo $? >code; kill $(cat pid); } | head -n 1"#;
    let client = json!({ "name": "test", "version": "1" });
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let line = |id: u64, method: &str, params| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    };
    let mut command = sandbox.command("sh");
    command.env("HTALK_DB", sandbox.mailbox()).args(["-c", script, env!("CARGO_BIN_EXE_htalk")]);
    command.arg(line(1, "initialize", initialize));
    command.arg(line(2, "tools/call", json!({ "name": "wait", "arguments": { "id": id } })));
    command.arg(line(3, "ping", json!({})));
    let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    registered(&sandbox, 1);
    std::fs::write(sandbox.root().join("bell"), "").unwrap();
    let ended = finish(started);
    assert_eq!((ended.out.lines().count(), &*ended.err), (1, ""), "{ended:?}");
    assert_eq!(std::fs::read_to_string(sandbox.root().join("code")).unwrap(), "0\n");
    registered(&sandbox, 0);
}

#[test]
fn a_signal_ends_it_as_it_ends_a_watch() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for (name, code) in [(Signal::SIGHUP, 129), (Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let (client, _) = waiting(&sandbox);
        signal(&client.server, name);
        let ended = finish(client.server);
        assert_eq!((ended.code, &*ended.err), (code, ""));
        drop(client.input);
        registered(&sandbox, 0);
    }
}
