//! The versions of the protocol, and what comes before them.

use serde_json::json;

use super::client::Client;
use crate::support::Sandbox;

fn start(sandbox: &Sandbox) -> Client {
    Client::start(&mut sandbox.htalk_command(&["--as", "a", "mcp"]))
}

#[test]
fn both_versions_are_spoken() {
    let sandbox = Sandbox::with_peers(&["a"]);
    for version in ["2025-06-18", "2025-11-25"] {
        let mut client = start(&sandbox);
        let answer = client.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "htalk");
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.len() < 1_000 && instructions.contains("reply"), "{instructions}");
        assert_eq!(client.done("inbox", json!({}))["actor"], "a");
        assert_eq!(client.end().code, 0);
    }
}

#[test]
fn no_other_version_is_spoken() {
    let sandbox = Sandbox::with_peers(&["a"]);
    for version in ["2024-11-05", "2025-03-26", "2026-07-28", "2030-01-01"] {
        // The one who can't speak the version that is offered goes.
        assert_eq!(start(&sandbox).initialize(version)["result"]["protocolVersion"], "2025-11-25", "{version}");
    }
    let mut client = Client::of(&sandbox, "a");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("tools/call", json!({ "name": "inbox", "arguments": {}, "_meta": meta }));
    assert!(answer.get("result").is_none() && answer["error"]["code"].is_i64(), "{answer}");
}

#[test]
fn what_comes_before_initialize_ends_nothing() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let mut client = start(&sandbox);
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 1 }));
    let refused = client.request("server/discover", json!({}));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["error"]),
        (&json!(-32601), &json!("mcp_unknown_method"))
    );
    for (method, params) in [("tools/list", json!({})), ("tools/call", json!({ "name": "inbox" }))] {
        let refused = client.request(method, params)["error"].clone();
        assert_eq!((&refused["code"], &refused["data"]["error"]), (&json!(-32600), &json!("mcp_is_not_initialized")));
        assert!(refused["message"].as_str().unwrap().starts_with("mcp_is_not_initialized: "), "{refused}");
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    // No handshake is one that was not understood.
    let refused = client.request("initialize", json!({ "protocolVersion": 1 }));
    assert_eq!(refused["error"]["data"]["error"], "mcp_invalid_params");
    assert_eq!(client.request("tools/list", json!({}))["error"]["code"], -32600);
    client.initialize("2025-11-25");
    assert_eq!(client.request("server/discover", json!({}))["error"]["code"], -32601);
    client.done("inbox", json!({}));
}
