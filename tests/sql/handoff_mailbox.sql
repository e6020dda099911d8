-- What a handoff is in the mailbox. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, 9);
INSERT INTO new_handoffs (id, host) SELECT value, 'h' FROM generate_series(21, 21);

INSERT INTO messages (sender, recipient, body) VALUES ('b', 'a', 'Question.');
INSERT INTO peer_retirements (peer, action) VALUES ('c', 'retired');

-- The id of an intent is taken: an ordinary send can't have it.
-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');
INSERT INTO messages (id, sender, recipient, in_reply_to, body)
SELECT '10000000-0000-4000-8000-000000000001', 'a', 'b', id, 'Answer.' FROM messages WHERE body = 'Question.';

-- What also breaks a rule of the mailbox is refused by that rule, whichever trigger comes first.
-- refuses: invalid_seq
INSERT INTO messages (id, sender, recipient, body, seq)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello', -1);
INSERT INTO messages (id, sender, recipient, body, seq)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello', 0);

-- refuses: invalid_time
INSERT INTO messages (id, sender, recipient, body, created_at)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello', 9e999);

-- refuses: sender_and_recipient_must_differ
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'a', 'Hello');

-- refuses: peer_retired
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'c', 'Hello');

-- After the fence its message is saved, and claims its own notice. So the ordinary notifier sends none, and can't
-- record an outcome of it.
INSERT INTO new_sends (handoff, submission) VALUES (1, NULL);

-- prints: submission_unknown|1|saved
SELECT submission, notification_started_at IS NOT NULL, state
FROM message_v WHERE id = '10000000-0000-4000-8000-000000000001';

-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- refuses: handoff_can_not_be_cancelled
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'a');

-- refuses: message_id_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hullo');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'Hello');

-- refuses: invalid_time
INSERT INTO notice_outcomes (message_id, submission, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 9e999);

-- refuses: handoff_phase_illegal
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'submitted');
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted');

-- The recipient doesn't see it in its inbox, the sender sees it among what it sent.
-- prints: 0|1
SELECT (SELECT count(*) FROM inbox_v WHERE recipient = 'x'), (SELECT count(*) FROM sent_v WHERE sender = 'a');

-- refuses: record_is_permanent
INSERT INTO open_mail (recipient, seq) SELECT 'x', seq FROM messages WHERE id = '10000000-0000-4000-8000-000000000001';

-- Submitted, it is open mail like any other.
INSERT OR IGNORE INTO new_outcomes (detail, recipient_status, at) VALUES ('claude_inbox_accepted', 'idle', 1000.5);

-- prints: submitted|claude_inbox_accepted|idle|1000.5
SELECT submission, notification_detail, recipient_status, notification_finished_at FROM inbox_v
WHERE recipient = 'x' AND id = '10000000-0000-4000-8000-000000000001';

-- refuses: record_is_permanent
DELETE FROM open_mail;
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'submitted');

-- An ordinary acknowledgment or answer is no evidence of a handoff.
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'x');
INSERT INTO messages (id, sender, recipient, in_reply_to, body)
VALUES ('10000000-0000-4000-8000-000000000091', 'x', 'a', '10000000-0000-4000-8000-000000000001', 'Got it.');

-- prints: submitted|pending
SELECT state, ack FROM seen WHERE n = 1;

-- prints: reply_received|0
SELECT state, (SELECT count(*) FROM inbox_v WHERE recipient = 'x') FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

-- Refused or unknown, it stays out of the inbox, under every conflict clause.
INSERT INTO new_sends (handoff, submission) VALUES (2, NULL);
REPLACE INTO new_outcomes (handoff, submission, reason) VALUES (2, 'refused', 'stale_target');
INSERT INTO new_sends (handoff, submission) VALUES (3, NULL);
INSERT OR IGNORE INTO new_outcomes (handoff, submission, reason) VALUES (3, 'unknown', 'native_outcome_unknown');

-- prints: not_submitted|stale_target
-- prints: submission_unknown|native_outcome_unknown
SELECT submission, notification_detail FROM message_v
WHERE id IN ('10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003') ORDER BY id;

-- prints: 0
SELECT count(*) FROM inbox_v WHERE recipient = 'x';

-- What Codex has in its queue is taken back after the ordinary acknowledgment, as any notice.
INSERT INTO new_handoffs (id, recipient, harness, target, generation) VALUES (22, 'y', 'codex', 2, NULL);
INSERT INTO new_sends (handoff, recipient, generation, hash, submission) VALUES (22, 'y', NULL, NULL, NULL);
INSERT INTO new_outcomes (handoff, detail, queue_id) VALUES (22, 'codex_queued', 'q-7');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000022', 'y');

-- prints: due||q-7
.parameter set :id "'10000000-0000-4000-8000-000000000022'"
.read sql/queries/cleanup_get.sql

-- Answered before the outcome is known: it never becomes open mail.
INSERT INTO new_sends (handoff, submission) VALUES (4, NULL);
INSERT INTO messages (sender, recipient, in_reply_to, body)
VALUES ('x', 'a', '10000000-0000-4000-8000-000000000004', 'Fast.');
INSERT INTO new_outcomes (handoff) VALUES (4);

-- prints: 0
SELECT count(*) FROM inbox_v WHERE recipient = 'x';

-- On another host it is not in this mailbox's inbox, and nothing here acknowledges it.
INSERT INTO new_attempts (handoff, host) VALUES (21, 'h');

-- refuses: receipt_authority_unavailable
INSERT INTO new_capabilities (handoff) VALUES (21);

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000021', 'a', 'x', 'Hello');
INSERT INTO new_outcomes (handoff) VALUES (21);

-- prints: 0|submitted
SELECT (SELECT count(*) FROM inbox_v WHERE recipient = 'x'), submission FROM sent_v
WHERE id = '10000000-0000-4000-8000-000000000021';

-- No token goes to another machine, but its sender can state what it knows.
-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (handoff, receipt_id) VALUES (21, 21);

INSERT INTO new_receipts (handoff, assurance) VALUES (21, 'operator_confirmed');

-- prints: acknowledged|operator_confirmed
SELECT state, ack_assurance FROM seen WHERE n = 21;

-- The larger limit is for handoffs alone.
-- refuses: message_must_be_1_to_32000_bytes
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'x', printf('%032001d', 1));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', 'a', 'x', printf('%032001d', 1));

INSERT INTO new_handoffs (id, chars, bytes, boot) VALUES (31, 1000000, 4000000, printf('%064d',
  1));
INSERT INTO new_attempts (handoff) VALUES (31);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'x', printf('%01000000d', 1));

-- refuses: message_must_be_1_to_32000_bytes
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'x', replace(printf('%01000001d', 0), '0', char(128640)));

-- refuses: message_contains_nul
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'x', 'x' || char(0));

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'x', replace(printf('%01000000d', 0), '0', char(128640)));

-- prints: 1000000|4000000
SELECT length(body), length(CAST(body AS BLOB)) FROM messages WHERE id = '10000000-0000-4000-8000-000000000031';

-- A handoff to a peer that retired meanwhile is refused, and the whole transaction with it.
INSERT INTO peer_retirements (peer, action) VALUES ('x', 'retired');

BEGIN;
INSERT INTO new_attempts (handoff) VALUES (6);

-- refuses: peer_retired
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Hello');

ROLLBACK;

-- prints: validated
SELECT state FROM seen WHERE n = 6;
