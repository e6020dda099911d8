//! How long an answer may be, and how long a call. Every answer that these tests read is shorter than 10,000
//! characters: the client looks at that.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;
use crate::support::process::soon;

/// Fills the inbox of `b` with this many requests of a text.
fn fill(sandbox: &Sandbox, count: usize, text: &str) {
    let rows = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})");
    sandbox
        .sqlite(&format!("{rows} INSERT INTO messages (sender, recipient, body) SELECT 'a', 'b', '{text}' FROM n;"))
        .text();
}

/// Follows the calls that continue an answer.
fn pages(client: &mut Client, tool: &str, mut arguments: Value, key: &str) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    loop {
        let mut page = client.done(tool, arguments);
        pages.push(page[key].as_array().unwrap().clone());
        let next = page["next_page"].take();
        if next.is_null() {
            assert_eq!(page["omitted"], 0);
            return pages;
        }
        assert_eq!(next["tool"], tool);
        arguments = next["arguments"].clone();
    }
}

#[test]
fn an_inbox_of_a_hundred_long_messages_comes_in_pages() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    fill(&sandbox, 100, &"long text \u{1F600} ".repeat(2_000));
    let mut client = Client::of(&sandbox, "b");
    let pages = pages(&mut client, "inbox", json!({}), "messages");
    let numbers: Vec<_> = pages.iter().flatten().map(|message| message["seq"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    assert!(pages.len() < 20, "{} pages", pages.len());
    let first = &pages[0][0];
    assert!(first["body_bytes"] == 30_000 && first["body_preview"].is_string(), "{first}");
}

#[test]
fn short_messages_stand_whole_in_a_page_or_as_a_summary() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    fill(&sandbox, 60, "short\ntwo lines");
    let mut client = Client::of(&sandbox, "b");
    for (arguments, key) in [(json!({}), "body"), (json!({ "summary": true }), "body_preview")] {
        let pages = pages(&mut client, "inbox", arguments, "messages");
        assert!(pages.len() > 1 && pages.iter().flatten().count() == 60);
        assert!(pages.iter().flatten().all(|message| message[key].as_str().unwrap().starts_with("short")));
    }
}

#[test]
fn a_long_text_is_read_in_parts() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let text: String = (0..4_000).map(|number| format!("{number} \"é\"\n")).collect::<String>()[..32_000].to_owned();
    let mut asker = Client::of(&sandbox, "a");
    let sent = asker.done("send", json!({ "recipient": "b", "message": text }));
    let mut read = String::new();
    let mut next = json!({ "id": sent["id"] });
    while !next.is_null() {
        let shown = asker.done("show", next);
        read += shown["body"].as_str().unwrap();
        next = shown["body_rest"]["arguments"].clone();
    }
    assert_eq!(read, text);
    // A wait brings as much of the answer as has room beside the question.
    sandbox
        .htalk_reading(&["--as", "b", "reply", sent["id"].as_str().unwrap(), "--message-file", "-"], text.as_bytes());
    let waited = asker.done("wait", json!({ "id": sent["id"] }));
    assert!(waited["reply"]["body"].as_str().unwrap().len() > 3_000, "{waited}");
    assert_eq!(waited["reply"]["body_rest"]["arguments"]["id"], waited["reply"]["id"]);
    // Behind the end there is nothing.
    assert_eq!(asker.done("show", json!({ "id": sent["id"], "from": 1_000_000 }))["body"], "");
}

#[test]
fn many_peers_come_in_pages() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let peers: Vec<String> = (0..150).map(|number| format!("('p{number:03}', 'test', 'pull')")).collect();
    sandbox.sqlite(&format!("INSERT INTO peers (name, harness, delivery) VALUES {};", peers.join(","))).text();
    let mut client = Client::of(&sandbox, "a");
    let pages = pages(&mut client, "peers", json!({}), "peers");
    assert!(pages.len() > 1 && pages.iter().flatten().count() == 151);
}

/// The limit is 1 ms beside the sync of a commit, and a call that reads has none.
#[test]
fn a_call_is_short() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "x");
    let mut client = Client::of(&sandbox, "a");
    soon(Duration::from_secs(10), || {
        let begun = Instant::now();
        for _ in 0..1_000 {
            client.done("show", json!({ "id": id }));
        }
        println!("a call of show took {:?}", begun.elapsed() / 1_000);
    });
}
