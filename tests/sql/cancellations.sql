-- The rules of cancellations. script.rs explains the notation.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000009', '/');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'To be cancelled.'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'Answered.'),
  ('10000000-0000-4000-8000-000000000003', 'a', 'b', 'By a plain row.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000002', 'b', 'a', 'The answer.');
INSERT INTO messages (id, kind, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', 'note', 'a', 'b', 'A note.');

-- refuses: unknown_request
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-00000000000f');
INSERT INTO cancellations (message_id) VALUES (NULL);
INSERT INTO cancellations (message_id) VALUES (1);
INSERT INTO cancellations (message_id) VALUES ('10000000');
INSERT INTO cancellations (message_id) VALUES (CAST('10000000-0000-4000-8000-000000000001' AS BLOB));
INSERT INTO cancellations DEFAULT VALUES;

-- Whoever says who they are must be the one who asked.
-- refuses: only_sender_can_cancel
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'b');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'c');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'A');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', x'61');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000004', 'a');

-- refuses: cancel_requires_a_request
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000004');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000004', 'b');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000005', 'a');

-- refuses: request_already_answered
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000002');
INSERT INTO cancellations (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000002', 'a');

-- refuses: invalid_time
INSERT INTO cancellations (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', NULL);
INSERT INTO cancellations (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 9e999);
INSERT INTO cancellations (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 'now');

-- Nothing of a statement stays when one of its rows is refused.
-- refuses: request_already_answered
INSERT INTO cancellations (message_id)
VALUES ('10000000-0000-4000-8000-000000000001'), ('10000000-0000-4000-8000-000000000002');

INSERT INTO cancellations (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 1000.5);
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000003');

-- changes nothing
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO cancellations (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 2000);

-- refuses: record_is_permanent
UPDATE cancellations SET at = 1;
UPDATE cancellations SET message_id = message_id;
DELETE FROM cancellations;
DELETE FROM cancellations WHERE message_id = '10000000-0000-4000-8000-000000000001';

-- It takes no answer any more; a note is the way.
-- refuses: request_cancelled
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'Too late.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'b', 'a', 'Too late.');

INSERT INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'note', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Too late?');

-- prints: cancelled|1000.5
SELECT state, cancelled_at FROM message_v WHERE id = '10000000-0000-4000-8000-000000000001';

-- prints: 1000.5|
SELECT cancelled_at, answered_at FROM conversation_v WHERE request_id = '10000000-0000-4000-8000-000000000001';

-- prints: a|4
-- prints: a|6
-- prints: b|5
SELECT recipient, seq FROM inbox_v ORDER BY recipient, seq;

-- refuses: record_is_permanent
INSERT INTO open_mail (recipient, seq) VALUES ('b', 1);

-- prints: a|show|show
-- prints: b|ack_after_reading|ack
-- prints: b|show|show
SELECT peer, action, verb FROM recovery_v WHERE message_id = '10000000-0000-4000-8000-000000000001' ORDER BY 1, 2;

-- It may still be acknowledged.
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'b');

-- A notice that was not claimed is not made; one that is queued is taken back.
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000007', 'a', 'x', 'Cancelled before the claim.'),
  ('10000000-0000-4000-8000-000000000008', 'a', 'x', 'Cancelled behind it.'),
  ('10000000-0000-4000-8000-000000000009', 'a', 'x', 'Claimed, and nothing more.');
INSERT INTO cancellations (message_id) VALUES ('10000000-0000-4000-8000-000000000007');
INSERT INTO notice_claims (message_id)
VALUES ('10000000-0000-4000-8000-000000000008'), ('10000000-0000-4000-8000-000000000009');
INSERT INTO notice_outcomes (message_id, submission, queue_id)
VALUES ('10000000-0000-4000-8000-000000000008', 'submitted', 'q');

-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000007');

-- refuses: unknown_message
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000008', 'removed');

-- prints: skipped|message_not_acknowledged_by_recipient|q
.parameter set :id "'10000000-0000-4000-8000-000000000008'"
.read sql/queries/cleanup_get.sql

INSERT INTO cancellations (message_id)
VALUES ('10000000-0000-4000-8000-000000000008'), ('10000000-0000-4000-8000-000000000009');

-- prints: due||q
.parameter set :id "'10000000-0000-4000-8000-000000000008'"
.read sql/queries/cleanup_get.sql

-- prints: pending||
.parameter set :id "'10000000-0000-4000-8000-000000000009'"
.read sql/queries/cleanup_get.sql

-- prints: a|retry_notification_cleanup|cancel
-- prints: a|show|show
-- prints: x|ack_after_reading|ack
-- prints: x|show|show
SELECT peer, action, verb FROM recovery_v WHERE message_id = '10000000-0000-4000-8000-000000000008' ORDER BY 1, 2;

INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000008', 'removed');

-- prints: removed||q
.parameter set :id "'10000000-0000-4000-8000-000000000008'"
.read sql/queries/cleanup_get.sql

-- prints: show
SELECT action FROM recovery_v WHERE message_id = '10000000-0000-4000-8000-000000000008' AND peer = 'a';
