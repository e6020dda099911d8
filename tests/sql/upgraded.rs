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

#[test]
fn a_receipt_of_the_queue_of_codex_has_its_id() {
    let sandbox = mailbox();
    let ids = "SELECT m.seq, o.detail, o.queue_id FROM notice_outcomes AS o JOIN messages AS m ON m.id = o.message_id
        WHERE o.queue_id IS NOT NULL OR o.detail GLOB '*queued:*' ORDER BY m.seq;";
    let id = "5f0d7c34-9a11-4b0e-8c1d-2e3f4a5b6c03";
    // One that htalk would not write is not understood.
    assert_eq!(sandbox.sqlite(ids).text(), format!("3|codex_cli_queued:{id}|{id}\n8|codex_queued:q-17/ü|"));
    let message = "6d0c2f5e-0a53-4f3b-8d34-1e6f0a7b2c03";
    sandbox.sqlite(&format!("INSERT INTO acks (message_id, peer) VALUES ('{message}', 'builder');")).text();
    let query = concat!(env!("CARGO_MANIFEST_DIR"), "/sql/queries/cleanup_get.sql");
    let cleanup = format!(".parameter set :id \"'{message}'\"\n.read '{query}'\n");
    assert_eq!(sandbox.sqlite(&cleanup).text(), format!("due||{id}"));
}

/// Another program could write anything into the tables of harness-talk.
#[test]
fn old_rows_of_any_type_come_along() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v3");
    let changes = "UPDATE messages SET body = x'00ff', created_at = 'yesterday', ack_at = x'31' WHERE seq = 1;
        UPDATE messages SET notification_detail = x'636f6465785f636c695f7175657565643a01' WHERE seq = 3;
        UPDATE messages SET notification_detail = 7, notification_started_at = 'now' WHERE seq = 5;
        UPDATE peers SET workspace = 7.5, socket = x'2f' WHERE name = 'builder';
        INSERT INTO retired_peers VALUES ('helper', 'long ago');";
    sandbox.sqlite(changes).text();
    let before = sandbox.old_facts(&sandbox.mailbox());
    sandbox.htalk(&["migrate"]).done();
    assert_eq!(sandbox.facts(), before);
    sandbox.assert_sound();
    for (verb, peer) in [("inbox", "reviewer"), ("sent", "builder"), ("sent", "reviewer")] {
        sandbox.htalk(&["--as", peer, verb]).done();
    }
}
