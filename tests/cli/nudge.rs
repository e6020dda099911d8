//! Further attempts to tell a recipient.

use serde_json::json;

use crate::clients::codex::fake::{but, well};
use crate::clients::codex::world::World;

#[test]
fn what_was_not_submitted_is_tried_again_and_nothing_else() {
    let world = World::with_peer(&[]);
    let sent = world.run(&["--as", "a", "send", "b", "x"]).ended(2);
    let id = sent["id"].as_str().unwrap();
    assert_eq!(sent["submission"], "not_submitted");
    let nudge = sent["recovery"]["nudge"].as_str().unwrap();
    assert!(nudge.ends_with(&format!("--as a nudge {id}")) && sent["next_action"].as_str().unwrap().contains("nudge"));
    world.run(&["--as", "b", "nudge", id]).refused("only_sender_can_nudge");
    // Still nowhere: another attempt that is not submitted.
    let again = world.run(&["--as", "a", "nudge", id]).ended(2);
    assert_eq!((&again["submission"], &again["created"]), (&json!("not_submitted"), &json!(false)));
    // An older message is open too when the next notice comes through.
    world.run(&["--as", "a", "send", "b", "y"]).ended(2);
    let server = world.serve(well);
    let told = world.done(&["--as", "a", "nudge", &id[..8]]);
    assert_eq!((&told["submission"], told["recovery"].get("nudge")), (&json!("submitted"), None));
    let notice = server.request("thread/queue/add")["params"]["input"][0]["text"].as_str().unwrap().to_owned();
    assert!(notice.contains("One other message is open") && notice.contains(&format!("--as b reply {id}")), "{notice}");
    assert!(notice.lines().any(|line| line.ends_with(&format!("--as b ack {id}"))), "{notice}");
    let refused = world.run(&["--as", "a", "nudge", id]).refused("nothing_to_repeat");
    assert_eq!(refused["message_id"], id);
    let attempts = "SELECT group_concat(attempt || ' ' || submission) FROM notice_outcomes WHERE message_id = ";
    let said = world.sandbox().sqlite(&format!("{attempts} '{id}';"));
    assert_eq!(said.text(), "1 not_submitted,2 not_submitted,3 submitted");
}

#[test]
fn nothing_is_repeated_after_doubt_without_a_notice_or_for_closed_mail() {
    let world = World::with_peer(&[]);
    let quiet = world.done(&["--as", "a", "send", "b", "x", "--no-notify"]);
    assert_eq!(quiet["recovery"].get("nudge"), None);
    world.run(&["--as", "a", "nudge", quiet["id"].as_str().unwrap()]).refused("nothing_to_repeat");
    let failed = world.run(&["--as", "a", "send", "b", "y"]).ended(2);
    let id = failed["id"].as_str().unwrap();
    world.done(&["--as", "b", "ack", id]);
    world.run(&["--as", "a", "nudge", id]).refused("nothing_to_repeat");
    let _server = world.serve(but("thread/queue/add", |_, _| Vec::new()));
    let doubtful = world.run(&["--as", "a", "send", "b", "z"]).ended(2);
    assert_eq!(doubtful["submission"], "submission_unknown");
    world.run(&["--as", "a", "nudge", doubtful["id"].as_str().unwrap()]).refused("nothing_to_repeat");
    world.run(&["--as", "a", "nudge", "1f0c9d52-aaaa-4aaa-8aaa-000000000001"]).refused("unknown_message");
}
