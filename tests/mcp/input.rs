//! What is no request, and arguments that no tool takes: one code each, and the server goes on.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

/// The code of a line that is refused by itself.
#[track_caller]
fn refused(client: &mut Client, line: &str, number: i64, code: &str, id: Value) {
    client.write(line);
    let answer = client.read();
    let shown = line.chars().take(80).collect::<String>();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(number), &id), "{shown}: {answer}");
    assert_eq!(answer["error"]["data"]["error"], code, "{shown}: {answer}");
    assert!(answer["error"]["message"].as_str().unwrap().starts_with(&format!("{code}: ")), "{answer}");
}

#[test]
fn a_line_that_is_no_request_has_a_code() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let mut client = Client::of(&sandbox, "a");
    for line in ["{bad", "Hello", "{\"jsonrpc\":\"2.0\"", "\u{feff}x", &"[".repeat(1_000)] {
        refused(&mut client, line, -32700, "mcp_message_is_not_json", Value::Null);
    }
    for line in ["[]", "7", "{}", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"] {
        refused(&mut client, line, -32600, "mcp_message_is_not_a_request", Value::Null);
    }
    let line = r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#;
    refused(&mut client, line, -32600, "mcp_message_is_not_a_request", json!("x"));
    let line = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    refused(&mut client, line, -32600, "mcp_message_is_not_a_request", Value::Null);
    for method in ["resources/list", "prompts/list", "logging/setLevel", "htalk", "tasks/get"] {
        let line = json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": {} }).to_string();
        refused(&mut client, &line, -32601, "mcp_unknown_method", json!(9));
    }
    for params in [json!(null), json!([]), json!({}), json!({"name": 7}), json!({"name": "show", "arguments": "x"})] {
        let line = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }).to_string();
        refused(&mut client, &line, -32602, "mcp_invalid_params", json!(9));
    }
    // Empty lines, responses and unknown notifications are none of its business.
    for line in ["", "  ", r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, r#"{"jsonrpc":"2.0","method":"htalk"}"#] {
        client.write(line);
    }
    client.done("inbox", json!({}));
}

#[test]
fn an_oversized_line_is_skipped_with_a_code() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut client = Client::of(&sandbox, "a");
    for length in [1 << 20, 3 << 20] {
        let line = json!({
            "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "send", "arguments": { "recipient": "b", "message": "x".repeat(length) } },
        });
        refused(&mut client, &line.to_string(), -32600, "mcp_message_is_too_long", Value::Null);
    }
    // The longest text comes through, in the longest way to write it.
    let escaped = "\\u0078".repeat(32_000);
    let call = json!({ "name": "send", "arguments": { "recipient": "b", "message": "TEXT" } });
    let line = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call }).to_string();
    client.write(&line.replace("TEXT", &escaped));
    assert_eq!(client.read()["result"]["isError"], false);
    let long = json!({ "recipient": "b", "message": "x".repeat(32_001) });
    let refused = client.refused("send", long, "message_must_be_1_to_32000_bytes");
    assert_eq!(refused["detail"], "32001 bytes; the limit is 32000 bytes");
    client.refused("send", json!({ "recipient": "b", "message": "x\u{0}" }), "message_contains_nul");
}

#[test]
fn an_argument_that_no_tool_takes_has_a_code() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut client = Client::of(&sandbox, "a");
    for (tool, arguments, code, detail) in [
        ("show", json!({}), "argument_missing", "id"),
        ("send", json!({ "recipient": "b" }), "argument_missing", "message"),
        ("show", json!({ "id": 7 }), "invalid_argument", "id is not a text"),
        ("wait", json!({ "id": "1f0c9d52", "seconds": "1" }), "invalid_argument", "seconds is not a number"),
        ("inbox", json!({ "after": -1 }), "invalid_argument", "after is not a whole number from 0 on"),
        ("send", json!({ "recipient": ["b", 1], "message": "x" }), "invalid_argument", "not an array of texts"),
        ("show", json!({ "id": "x".repeat(300) }), "argument_too_long", "300 bytes"),
        ("inbox", json!({ "as": "x".repeat(300) }), "argument_too_long", "300 bytes"),
        ("show", json!({ "id": "1f0c9d52", "ID": 1 }), "unknown_argument", "\"ID\"; show takes id, thread, from, as"),
        ("inbox", json!({ "x".repeat(100_000): 1 }), "unknown_argument", "inbox takes"),
        ("inbox", json!({ "opencode_session": 7 }), "invalid_opencode_session_id", "opencode_session"),
        ("inbox", json!({ "after": 0 }), "seq_cursor_must_be_a_positive_integer", "0"),
    ] {
        let refused = client.refused(tool, arguments.clone(), code);
        assert!(refused["detail"].as_str().unwrap().contains(detail), "{refused}");
    }
    let unknown = client.request("tools/call", json!({ "name": "x".repeat(100_000), "arguments": {} }));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["error"]),
        (&json!(-32602), &json!("unknown_tool"))
    );
    assert!(unknown.to_string().len() < 1_000);
    // What is null was not given.
    client.done("inbox", json!({ "after": null, "as": null }));
    assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "0");
}
