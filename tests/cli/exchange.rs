//! A request, its answer, and what both sides find.

use crate::support::Sandbox;

#[test]
fn a_request_is_answered_once() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "Which test is missing?");
    let answer = sandbox.reply("b", &request, "The one for empty input.");
    let again = sandbox.htalk(&["--as", "b", "reply", &request, "--message", "The one for empty input."]).done();
    assert_eq!((again["created"].as_bool(), again["id"].as_str()), (Some(false), Some(answer.as_str())));
    let other = sandbox.htalk(&["--as", "b", "reply", &request, "--message", "Another one."]);
    assert_eq!(other.refused("reply_conflict_existing_answer_preserved")["message_id"], request);
    let shown = sandbox.htalk(&["--as", "a", "show", &request]).done();
    assert_eq!(shown["reply"]["body"], "The one for empty input.");
    assert_eq!(shown["state"], "reply_received");
}
