//! Calls that wait, side by side.

use serde_json::json;

use super::client::{Client, Told};
use crate::support::Sandbox;
use crate::support::process::until;

/// Waits until so many waits are registered, each with its doorbell.
pub fn registered(sandbox: &Sandbox, count: usize) {
    until("the registrations", || {
        let files = std::fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().file_name());
        let bells = files.filter(|name| name.to_string_lossy().contains("-wait-")).count();
        let rows = sandbox.sqlite(".timeout 10000\nSELECT count(*) FROM waits;");
        (rows.text().parse(), bells) == (Ok(count), count)
    });
}

#[test]
fn one_of_several_waits_is_cancelled() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let requests = ["x", "y", "z"].map(|text| sandbox.send("a", "b", text));
    let mut client = Client::of(&sandbox, "a");
    let waits = requests
        .each_ref()
        .map(|id| client.ask("tools/call", json!({ "name": "wait", "arguments": { "id": id, "seconds": 45 } })));
    registered(&sandbox, 3);
    // Other calls go on meanwhile.
    client.done("inbox", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": waits[1], "reason": "test" }));
    registered(&sandbox, 2);
    for at in [2, 0] {
        let answer = sandbox.reply("b", &requests[at], "yes");
        let read = client.read();
        assert_eq!(read["id"], waits[at]);
        assert_eq!(Told::of(&read).value["reply"]["id"], answer);
    }
    registered(&sandbox, 0);
    // Too late, twice, for nothing, and wrong: no answer, and no harm.
    for id in [json!(waits[0]), json!(waits[1]), json!(1_000_000), json!("x"), json!(null), json!({})] {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    client.notify("notifications/cancelled", json!({}));
    client.done("inbox", json!({}));
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_wait_says_that_it_goes_on() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "x");
    let mut client = Client::of(&sandbox, "a");
    let call = json!({ "name": "wait", "arguments": { "id": id }, "_meta": { "progressToken": "t" } });
    let wait = client.ask("tools/call", call);
    let mut last = 0.0;
    for _ in 0..2 {
        let told = client.read();
        assert_eq!(
            (&told["method"], &told["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("t"))
        );
        let progress = told["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{told}");
        last = progress;
    }
    sandbox.reply("b", &id, "yes");
    loop {
        let told = client.read();
        if told["method"] != "notifications/progress" {
            assert_eq!((&told["id"], &Told::of(&told).value["reply"]["body"]), (&json!(wait), &json!("yes")));
            break;
        }
    }
}

#[test]
fn more_waits_than_run_at_once_wait_for_their_turn() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "x");
    let mut client = Client::of(&sandbox, "a");
    let wait = json!({ "name": "wait", "arguments": { "id": id } });
    let waits: Vec<u64> = (0..80).map(|_| client.ask("tools/call", wait.clone())).collect();
    registered(&sandbox, 64);
    for id in &waits {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    registered(&sandbox, 0);
    client.done("inbox", json!({}));
}
