-- The rules of further attempts to tell a recipient. script.rs explains the notation.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/');
INSERT INTO batches (id, sender, size, has_notices)
VALUES ('30000000-0000-4000-8000-000000000001', 'a', 1, 1), ('30000000-0000-4000-8000-000000000002', 'a', 1, 0),
  ('30000000-0000-4000-8000-000000000003', 'a', 1, 1);
INSERT INTO messages (id, batch, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'a', 'x', 'Not submitted.'),
  ('10000000-0000-4000-8000-000000000002', NULL, 'a', 'x', 'In doubt.'),
  ('10000000-0000-4000-8000-000000000003', NULL, 'a', 'x', 'Submitted.'),
  ('10000000-0000-4000-8000-000000000004', NULL, 'a', 'x', 'Never attempted.'),
  ('10000000-0000-4000-8000-000000000005', NULL, 'a', 'x', 'Claimed, and nothing more.'),
  ('10000000-0000-4000-8000-000000000006', '30000000-0000-4000-8000-000000000001', 'a', 'x', 'Killed before.'),
  ('10000000-0000-4000-8000-000000000007', '30000000-0000-4000-8000-000000000002', 'a', 'x', 'Without notices.'),
  ('10000000-0000-4000-8000-000000000008', '30000000-0000-4000-8000-000000000003', 'a', 'x', 'Interrupted before.'),
  ('10000000-0000-4000-8000-000000000009', NULL, 'a', 'x', 'Not submitted, and acknowledged.'),
  ('10000000-0000-4000-8000-00000000000a', NULL, 'a', 'x', 'Not submitted, and cancelled.'),
  ('10000000-0000-4000-8000-00000000000b', NULL, 'a', 'b', 'To a pull peer.');
INSERT INTO notice_claims (message_id)
SELECT id FROM messages WHERE batch IS NULL AND recipient = 'x' AND body <> 'Never attempted.';
INSERT INTO notice_outcomes (message_id, submission, detail)
VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted', 'recipient_unavailable'),
  ('10000000-0000-4000-8000-000000000002', 'submission_unknown', NULL),
  ('10000000-0000-4000-8000-000000000003', 'submitted', NULL),
  ('10000000-0000-4000-8000-000000000008', 'not_submitted', 'interrupted_before_notification'),
  ('10000000-0000-4000-8000-000000000009', 'not_submitted', 'recipient_unavailable'),
  ('10000000-0000-4000-8000-00000000000a', 'not_submitted', 'recipient_unavailable');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000009', 'x');
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-00000000000a');

-- prints: 10000000-0000-4000-8000-000000000001|2
-- prints: 10000000-0000-4000-8000-000000000006|1
-- prints: 10000000-0000-4000-8000-000000000008|2
SELECT message_id, attempt FROM nudge_v ORDER BY message_id;

-- prints: 10000000-0000-4000-8000-000000000001|a
-- prints: 10000000-0000-4000-8000-000000000006|a
-- prints: 10000000-0000-4000-8000-000000000008|a
SELECT message_id, peer FROM recovery_v WHERE action = 'nudge' ORDER BY message_id;

-- refuses: nothing_to_repeat
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 3);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 0);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000002', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000003', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000004', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000005', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000007', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000009', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-00000000000a', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-00000000000b', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', NULL);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 'two');

-- An outcome is that of its own attempt.
-- refuses: unknown_message
INSERT INTO notice_outcomes (message_id, attempt, submission)
VALUES ('10000000-0000-4000-8000-000000000001', 2, 'submitted');

INSERT INTO notice_claims (message_id, attempt, at) VALUES ('10000000-0000-4000-8000-000000000001', 2, 1000.5);

-- prints: submission_unknown|1000.5||
SELECT submission, notification_started_at, notification_finished_at, notification_detail FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

-- refuses: nothing_to_repeat
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 2);
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 3);

-- prints: 10000000-0000-4000-8000-000000000006
-- prints: 10000000-0000-4000-8000-000000000008
SELECT message_id FROM nudge_v ORDER BY message_id;

INSERT INTO notice_outcomes (message_id, attempt, submission, detail, at)
VALUES ('10000000-0000-4000-8000-000000000001', 2, 'submitted', 'a receipt', 1001.5);

-- prints: submitted|1000.5|1001.5|a receipt
SELECT submission, notification_started_at, notification_finished_at, notification_detail FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

-- Both attempts stay on record, and there is no third one.
-- refuses: nothing_to_repeat
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000001', 3);

-- prints: 1|not_submitted
-- prints: 2|submitted
SELECT attempt, submission FROM notice_outcomes WHERE message_id = '10000000-0000-4000-8000-000000000001' ORDER BY 1;

INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000006');
INSERT INTO notice_claims (message_id, attempt) VALUES ('10000000-0000-4000-8000-000000000008', 2);

-- What named the sender of a message, and which session spoke.
-- refuses: invalid_value
INSERT INTO messages (sender_source, sender, recipient, body) VALUES ('', 'a', 'x', 'x');
INSERT INTO messages (sender_source, sender, recipient, body) VALUES ('sql', 'a', 'x', 'x');
INSERT INTO messages (sender_source, sender, recipient, body) VALUES (x'6f7074696f6e', 'a', 'x', 'x');
INSERT INTO messages (sender_session, sender, recipient, body) VALUES (x'78', 'a', 'x', 'x');

INSERT INTO messages (id, sender_source, sender_session, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000c', 'native_session', 's', 'a', 'x', 'By a session.');

-- prints: native_session|s
SELECT sender_source, sender_session FROM message_v WHERE id = '10000000-0000-4000-8000-00000000000c';

-- It is no part of what makes a message the same.
-- changes nothing
INSERT INTO messages (id, sender_source, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000c', 'option', 'a', 'x', 'By a session.');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000c', 'a', 'x', 'By a session.');
