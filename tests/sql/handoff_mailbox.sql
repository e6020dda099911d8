-- What a handoff is in the mailbox. script.rs explains the notation.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'claude', '30000000-0000-4000-8000-000000000001', '/'),
  ('y', 'codex', '30000000-0000-4000-8000-000000000002', '/'),
  ('z', 'opencode', 'ses_1', '/');
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(1, 9) WHERE true;
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h', 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(21, 21) WHERE true;

INSERT INTO messages (sender, recipient, body) VALUES ('b', 'a', 'Question.');
INSERT INTO peer_retirements (peer, action) VALUES ('c', 'retired');

-- The id of an intent is taken: an ordinary send can't have it.
-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');
INSERT INTO messages (id, sender, recipient, in_reply_to, body)
SELECT '10000000-0000-4000-8000-000000000001', 'a', 'b', id, 'Answer.' FROM messages WHERE body = 'Question.';

-- What breaks a rule of the mailbox too is refused by that rule, whichever trigger comes first.
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

-- Behind the fence its message is saved. The fence was the claim of its notice, so the ordinary notifier has none to
-- make,
-- and it can't say what became of it.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- prints: submission_unknown|1|saved
SELECT submission, notification_started_at IS NOT NULL, state
FROM message_v WHERE id = '10000000-0000-4000-8000-000000000001';

-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

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
INSERT OR IGNORE INTO handoff_outcomes (handoff, submission, fenced, native, detail, recipient_status, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', 'claude_inbox_accepted', 'idle',
  printf('%064d', 1), 3000,
  1000.5);

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
SELECT state, ack FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- prints: reply_received|0
SELECT state, (SELECT count(*) FROM inbox_v WHERE recipient = 'x') FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

-- Refused or unknown, it stays out of the inbox; so does the other way round, under every clause.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000002', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', 'a', 'x', 'Hello');
REPLACE INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'refused', 1, NULL, 'stale_target', printf('%064d', 1), 3000);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000003', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'x', 'Hello');
INSERT OR IGNORE INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 'unknown', 1, NULL, 'native_outcome_unknown', printf('%064d', 1),
  3000);

-- prints: not_submitted|stale_target
-- prints: submission_unknown|native_outcome_unknown
SELECT submission, notification_detail FROM message_v
WHERE id IN ('10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003') ORDER BY id;

-- prints: 0
SELECT count(*) FROM inbox_v WHERE recipient = 'x';

-- Answered before the outcome is known: it never becomes open mail.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000004', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'a', 'x', 'Hello');
INSERT INTO messages (sender, recipient, in_reply_to, body)
VALUES ('x', 'a', '10000000-0000-4000-8000-000000000004', 'Fast.');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

-- prints: 0
SELECT count(*) FROM inbox_v WHERE recipient = 'x';

-- On another host it is not in this mailbox's inbox, and nothing here acknowledges it.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000021', 'a', 'x', 'h', 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000021', printf('%064d', 9));

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000021', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000021', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

-- prints: 0|submitted
SELECT (SELECT count(*) FROM inbox_v WHERE recipient = 'x'), submission FROM sent_v
WHERE id = '10000000-0000-4000-8000-000000000021';

-- No token leads to another machine, but its sender can state what it knows.
-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000021', 'token_possession', '40000000-0000-4000-8000-000000000021',
  printf('%064d', 9), printf('%064d', 1), 4000);

INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000021', 'operator_confirmed', printf('%064d', 1), 4000);

-- prints: acknowledged|operator_confirmed
SELECT state, ack_assurance FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000021';

-- The larger limit is for handoffs alone.
-- refuses: message_must_be_1_to_32000_bytes
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'x', printf('%032001d', 1));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', 'a', 'x', printf('%032001d', 1));

INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, generation, digest, chars, bytes, framed_chars, framed_bytes, boot,
  at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000031', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'gen-1', printf('%064d', 7), 1000000, 4000000, 400, 400, printf('%064d',
  1), 1000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000031', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

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
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000006', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: peer_retired
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Hello');

ROLLBACK;

-- prints: validated
SELECT state FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000006';
