//! The rules where rows of harness-talk are older than they.

use crate::support::Sandbox;

/// An upgraded mailbox. Its highest message is 15, and its next one would have been 19; message 11 has the outcome of a
/// notice but no claim, and is for a native peer.
fn mailbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.legacy("v3");
    sandbox.htalk(&["migrate"]).done();
    sandbox
}

#[test]
fn a_seq_exceeds_those_of_deleted_messages_too() {
    let sandbox = mailbox();
    let insert = |seq| {
        format!("INSERT INTO messages (sender, recipient, body, seq) VALUES ('builder', 'reviewer', 'x', {seq});")
    };
    for seq in [7, 15, 16, 18] {
        assert_eq!(sandbox.sqlite(&insert(seq)).shell_errors(), [(1, "invalid_seq".to_owned())]);
    }
    assert_eq!(sandbox.sqlite(&insert(19)).text(), "");
}

#[test]
fn an_outcome_without_a_claim_is_no_invitation() {
    let sandbox = mailbox();
    let claim = "INSERT INTO notice_claims (message_id) SELECT id FROM messages WHERE seq = 11 RETURNING message_id;";
    assert_eq!(sandbox.sqlite(claim).text(), "");
    let before = "SELECT submission, notification_started_at IS NULL FROM message_v WHERE seq = 11;";
    assert_eq!(sandbox.sqlite(before).text(), "submitted|1");
}
