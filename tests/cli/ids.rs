//! Message ids in every spelling, and their beginnings.

use crate::support::Sandbox;

const ID: &str = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";
const TWIN: &str = "1f0c9d52-aaaa-4bbb-8aaa-000000000002";
const FOREIGN: &str = "2f0c9d52-aaaa-4aaa-8aaa-000000000003";

/// Two requests from a to b whose ids begin alike, and one from b to c.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    for (sender, recipient, id) in [("a", "b", ID), ("a", "b", TWIN), ("b", "c", FOREIGN)] {
        sandbox.htalk(&["--as", sender, "send", recipient, "--id", id, "--message", id]).done();
    }
    sandbox
}

/// Spellings of one UUID.
fn spellings(id: &str) -> [String; 7] {
    let plain = id.replace('-', "");
    [
        id.to_owned(),
        id.to_uppercase(),
        plain.clone(),
        plain.to_uppercase(),
        format!("{{{id}}}"),
        format!("urn:uuid:{id}"),
        format!("URN:UUID:{}", id.to_uppercase()),
    ]
}

#[test]
fn an_id_is_accepted_in_any_spelling_and_returned_in_one() {
    let sandbox = sandbox();
    for spelling in spellings(ID) {
        assert_eq!(sandbox.htalk(&["--as", "a", "show", &spelling]).done()["id"], ID, "{spelling}");
        assert_eq!(sandbox.htalk(&["--as", "b", "ack", &spelling]).done()["id"], ID, "{spelling}");
        assert_eq!(sandbox.htalk(&["--as", "a", "wait", &spelling, "--seconds", "0"]).done()["id"], ID, "{spelling}");
        let answer = sandbox.htalk(&["--as", "b", "reply", &spelling, "--message", "x"]).done();
        assert_eq!(answer["in_reply_to"], ID, "{spelling}");
        let retry = sandbox.htalk(&["--as", "a", "send", "b", "--id", &spelling, "--message", ID]).done();
        assert_eq!((&retry["id"], retry["created"].as_bool()), (&ID.into(), Some(false)), "{spelling}");
    }
}

#[test]
fn a_beginning_stands_for_the_only_message_that_has_it() {
    let sandbox = sandbox();
    let enough = "1f0c9d52-aaaa-4a";
    for prefix in [enough, "1F0C9D52AAAA4A", "1f0c9d52aaaa-4aaa", &ID[..35]] {
        assert_eq!(sandbox.htalk(&["--as", "a", "show", prefix]).done()["id"], ID, "{prefix}");
        assert_eq!(sandbox.htalk(&["--as", "b", "ack", prefix]).done()["id"], ID, "{prefix}");
        assert_eq!(sandbox.htalk(&["--as", "a", "wait", prefix, "--seconds", "0"]).done()["id"], ID, "{prefix}");
        let answer = sandbox.htalk(&["--as", "b", "reply", prefix, "--message", "x"]).done();
        assert_eq!(answer["in_reply_to"], ID, "{prefix}");
    }
    // Exactly eight digits are enough where they are unique among the messages of the caller.
    assert_eq!(sandbox.htalk(&["--as", "c", "show", "2f0c9d52"]).done()["id"], FOREIGN);
}

#[test]
fn a_beginning_is_refused_where_it_is_ambiguous_unknown_or_too_short() {
    let sandbox = sandbox();
    for (actor, spelling, code, request_code) in [
        ("b", "1f0c9d52", "ambiguous_message_id", "ambiguous_message_id"),
        ("b", "1F0C9D52-AAAA-4", "ambiguous_message_id", "ambiguous_message_id"),
        ("b", "1f0c9d53", "unknown_message", "unknown_request"),
        // Messages of others are not even counted.
        ("c", "1f0c9d52", "unknown_message", "unknown_request"),
        ("a", "2f0c9d52", "unknown_message", "unknown_request"),
        ("a", "1f0c9d5", "invalid_uuid", "invalid_uuid"),
        ("a", "1f0c-9d5", "invalid_uuid", "invalid_uuid"),
        ("a", "1f0c9d5g", "invalid_uuid", "invalid_uuid"),
        ("a", "", "invalid_uuid", "invalid_uuid"),
        ("a", "-", "invalid_uuid", "invalid_uuid"),
        ("a", "1f0c9d52%", "invalid_uuid", "invalid_uuid"),
        ("a", "１ｆ０ｃ９ｄ５２", "invalid_uuid", "invalid_uuid"),
        ("a", &format!("{ID}0"), "invalid_uuid", "invalid_uuid"),
        ("a", &format!("{{{ID}"), "invalid_uuid", "invalid_uuid"),
    ] {
        sandbox.htalk(&["--as", actor, "show", spelling]).refused(code);
        sandbox.htalk(&["--as", actor, "ack", spelling]).refused(code);
        sandbox.htalk(&["--as", actor, "wait", spelling, "--seconds", "0"]).refused(request_code);
        sandbox.htalk(&["--as", actor, "reply", spelling, "--message", "x"]).refused(request_code);
    }
    // A new request has a whole id of its own.
    for spelling in ["1f0c9d52", "1f0c9d52-aaaa-4a", "x", ""] {
        sandbox.htalk(&["--as", "a", "send", "b", "--id", spelling, "--message", "x"]).refused("invalid_uuid");
    }
}

#[test]
fn a_whole_id_that_nobody_has_or_another_has_gets_its_own_code() {
    let sandbox = sandbox();
    let nobody = "3f0c9d52-aaaa-4aaa-8aaa-000000000003";
    for (actor, verb, id, code) in [
        ("a", "show", nobody, "unknown_message"),
        ("a", "ack", nobody, "unknown_message"),
        ("a", "wait", nobody, "unknown_request"),
        ("a", "show", FOREIGN, "message_not_addressed_to_peer"),
        ("a", "ack", FOREIGN, "only_recipient_can_ack"),
        ("a", "ack", ID, "only_recipient_can_ack"),
        ("a", "wait", FOREIGN, "wait_requires_own_request"),
        ("b", "wait", ID, "wait_requires_own_request"),
    ] {
        sandbox.htalk(&["--as", actor, verb, id]).refused(code);
    }
    sandbox.htalk(&["--as", "a", "reply", nobody, "--message", "x"]).refused("unknown_request");
    sandbox.htalk(&["--as", "a", "reply", FOREIGN, "--message", "x"]).refused("reply_address_mismatch");
    sandbox.htalk(&["--as", "a", "reply", ID, "--message", "x"]).refused("reply_address_mismatch");
    let answer = sandbox.reply("b", ID, "x");
    sandbox.htalk(&["--as", "a", "reply", &answer, "--message", "x"]).refused("reply_requires_a_request");
    sandbox.htalk(&["--as", "a", "wait", &answer]).refused("wait_requires_own_request");
    sandbox.htalk(&["--as", "b", "wait", &answer]).refused("wait_requires_own_request");
}
