//! What each tool does and answers.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::{Sandbox, keys};

/// A way on as a call.
fn call(tool: &str, id: &Value) -> Value {
    json!({ "tool": tool, "arguments": { "id": id } })
}

#[test]
fn the_list_tells_what_a_client_may_run_unasked() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let answer = Client::of(&sandbox, "a").request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected =
        ["send", "reply", "inbox", "show", "ack", "wait", "note", "cancel", "nudge", "join", "whoami", "peers"];
    assert_eq!(names, expected);
    for tool in tools {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        let is_read_only = ["inbox", "show", "whoami", "peers"].contains(&name);
        assert_eq!(hints["readOnlyHint"], is_read_only, "{tool}");
        assert!(is_read_only || hints["destructiveHint"] == false, "{tool}");
        assert_eq!(hints["openWorldHint"], false, "{tool}");
        let schema = &tool["inputSchema"];
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert_eq!(schema["properties"]["as"]["type"], "string", "{tool}");
        assert!(tool.get("outputSchema").is_none(), "{tool}");
    }
    assert!(answer.to_string().len() < 9_000, "every session reads it: {} bytes", answer.to_string().len());
}

#[test]
fn a_request_is_asked_answered_and_acknowledged() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let (mut asker, mut other) = (Client::of(&sandbox, "a"), Client::of(&sandbox, "b"));
    let peers = asker.done("peers", json!({}));
    assert_eq!(peers["peers"][1], json!({ "name": "b", "harness": "test", "delivery": "pull" }));

    // What a shell would expand or take for an option arrives as it is.
    let text = "--as x `id` $HOME \"quoted\"\r\n'two' lines\u{1b}";
    let id = "1F0C9D52-0000-4000-8000-000000000001";
    let sent = asker.done("send", json!({ "recipient": ["b"], "message": text, "id": id }));
    assert_eq!((&sent["created"], &sent["actor"], &sent["state"]), (&json!(true), &json!("a"), &json!("saved")));
    assert!(sent.get("body").is_none(), "what was just said is not repeated: {sent}");
    let request = sent["id"].clone();
    assert_eq!(request, id.to_lowercase());
    let expected = json!({ "show": call("show", &request), "wait": call("wait", &request) });
    assert_eq!(sent["recovery"], expected);
    let again = asker.done("send", json!({ "recipient": "b", "message": text, "id": id }));
    assert_eq!((&again["created"], &again["seq"]), (&json!(false), &sent["seq"]));

    let inbox = other.done("inbox", json!({}));
    assert_eq!((&inbox["total"], &inbox["messages"][0]["body"]), (&json!(1), &json!(text)));
    assert_eq!(inbox["messages"][0]["recovery"]["ack_after_reading"], call("ack", &request));
    let read = other.done("ack", json!({ "id": request }));
    assert!(read["ack_at"].is_f64() && read["notification_cleanup"]["status"].is_string(), "{read}");
    let answered = other.done("reply", json!({ "id": &id[..8], "message": "Yes." }));
    assert_eq!((&answered["in_reply_to"], &answered["created"]), (&request, &json!(true)));
    assert_eq!(other.done("inbox", json!({}))["messages"], json!([]));

    let waited = asker.done("wait", json!({ "id": request, "seconds": 45 }));
    assert_eq!(waited["reply"]["body"], "Yes.");
    assert_eq!(waited["recovery"]["ack_after_reading"], call("ack", &answered["id"]));
    let shown = asker.done("show", json!({ "id": answered["id"] }));
    assert_eq!((&shown["body"], &shown["sender"], &shown["actor"]), (&json!("Yes."), &json!("b"), &json!("a")));
    asker.done("ack", json!({ "id": answered["id"] }));
    assert_eq!(asker.done("inbox", json!({}))["total"], 0);
    // The same in the mailbox as from the command line.
    assert_eq!(sandbox.htalk(&["--as", "b", "show", request.as_str().unwrap()]).done()["body"], text);
    assert_eq!((asker.end().code, other.end().code), (0, 0));
}

#[test]
fn a_send_can_wait_for_its_answer() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut asker = Client::of(&sandbox, "a");
    let waited = asker.done("send", json!({ "recipient": "b", "message": "x", "seconds": 0.1 }));
    assert_eq!((&waited["wait_ended"], &waited["created"]), (&json!("timeout"), &json!(true)));
}

#[test]
fn a_refusal_carries_its_code_and_calls_that_help() {
    let sandbox = Sandbox::with_peers(&["reviewer", "b"]);
    let mut client = Client::of(&sandbox, "b");
    let request = sandbox.send("reviewer", "b", "x");
    let refused = client.refused("send", json!({ "recipient": "reviewr", "message": "x" }), "unknown_peer");
    assert_eq!(refused["nearest"], json!(["reviewer"]));
    assert_eq!(refused["recovery"]["peers"], json!({ "tool": "peers", "arguments": {} }));
    // There is no tool for what was sent.
    assert_eq!(keys(&refused["recovery"]), ["peers", "inbox"]);
    client.refused("wait", json!({ "id": request }), "wait_requires_own_request");
    client.refused("show", json!({ "id": "1f0c9d52" }), "unknown_message");
    client.refused("show", json!({ "id": "x" }), "invalid_uuid");
    client.refused("wait", json!({ "id": request, "seconds": 46 }), "wait_seconds_must_be_between_0_and_45");
    client.done("reply", json!({ "id": request, "message": "y" }));
    let conflict =
        client.refused("reply", json!({ "id": request, "message": "z" }), "reply_conflict_existing_answer_preserved");
    assert_eq!(conflict["recovery"]["show"], call("show", &conflict["message_id"]));
    // Nothing that is told is a line for a shell.
    assert!(!client.call("show", json!({ "id": request })).text.contains("htalk --db"));
}

#[test]
fn a_mailbox_that_is_not_there_has_a_code() {
    let sandbox = Sandbox::new();
    let mut client = Client::of(&sandbox, "a");
    let refused = client.refused("inbox", json!({}), "database_not_found");
    assert!(refused["resolved_path"].is_string(), "{refused}");
    // It is there as soon as somebody makes it.
    sandbox.htalk(&["peer", "add", "a", "--harness", "test", "--delivery", "pull"]).done();
    client.done("inbox", json!({}));
}

#[test]
fn a_conversation_goes_on_by_notes_and_a_request_is_taken_back() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let (mut asker, mut other) = (Client::of(&sandbox, "a"), Client::of(&sandbox, "b"));
    let both = asker.done("send", json!({ "recipient": ["b", "c"], "message": "Look at this." }));
    let messages = both["messages"].as_array().unwrap();
    assert_eq!((messages.len(), both["batch"].as_str().map(str::len)), (2, Some(36)), "{both}");
    let request = &messages[0]["id"];
    let note = other.done("note", json!({ "about": request, "message": "Half done." }));
    assert_eq!((&note["kind"], &note["recipient"]), (&json!("note"), &json!("a")));
    let thread = asker.done("show", json!({ "id": request, "thread": true }));
    assert_eq!(thread["messages"][1]["body"], "Half done.");
    let cancelled = asker.done("cancel", json!({ "id": request }));
    assert_eq!(cancelled["state"], "cancelled");
    let who = asker.done("whoami", json!({}));
    assert_eq!((&who["name"], &who["open"], &who["unanswered"]), (&json!("a"), &json!(1), &json!(1)));
    asker.refused("nudge", json!({ "id": request }), "nothing_to_repeat");
    // A server joins only a session that it recognises.
    asker.refused("join", json!({}), "join_needs_a_session");
}
