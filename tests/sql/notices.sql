-- The rules of notices: one claim, one outcome, clean-ups, and the answers that a wait returned. script.rs explains the
-- notation. htalk alone writes these tables; what another program tries must not change what was recorded.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'To a native peer.'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'To a pull peer.'),
  ('10000000-0000-4000-8000-000000000003', 'a', 'x', 'Acknowledged before the claim.'),
  ('10000000-0000-4000-8000-000000000004', 'a', 'x', 'Claimed, and nothing more.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000002', 'b', 'a', 'An answer.');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000003', 'x');

-- refuses: unknown_message
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-00000000000f');
INSERT INTO notice_claims (message_id) VALUES (NULL);
INSERT INTO notice_claims (message_id) VALUES (1);
INSERT INTO notice_claims (message_id) VALUES (CAST('10000000-0000-4000-8000-000000000001' AS BLOB));
INSERT INTO notice_claims DEFAULT VALUES;
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-00000000000f', 'submitted');
INSERT INTO notice_outcomes (message_id, submission) VALUES (NULL, 'submitted');
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-00000000000f', 'removed');
INSERT INTO notice_cleanups (message_id, status) VALUES (NULL, 'removed');
INSERT INTO wait_returns (message_id) VALUES ('10000000-0000-4000-8000-00000000000f');
INSERT INTO wait_returns (message_id) VALUES (NULL);

-- refuses: invalid_time
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', NULL);
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 9e999);
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 9e999 - 9e999);
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 'now');

-- A pull peer looks for itself, and what is acknowledged needs no notice.
-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000002');
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000003');

-- prints nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000003') RETURNING message_id;

-- No outcome without a claim, no clean-up without an acknowledgment, no return but of an answer.
-- refuses: unknown_message
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'submitted');
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000003', 'not_submitted');
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000001', 'removed');
INSERT INTO wait_returns (message_id) VALUES ('10000000-0000-4000-8000-000000000001');

-- prints: not_submitted||
SELECT submission, notification_started_at, notification_finished_at FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 1000.5);
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000004', 1000.5);

-- The claim alone says: it may have been submitted, nobody knows.
-- prints: submission_unknown|1000.5||
SELECT submission, notification_started_at, notification_finished_at, notification_detail FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000001';

-- There is one attempt.
-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 2000);
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 2000)
ON CONFLICT (message_id, attempt) DO UPDATE SET at = excluded.at;

-- prints nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000001') RETURNING message_id;

-- fails: NOT NULL constraint failed: notice_outcomes.submission
INSERT INTO notice_outcomes (message_id) VALUES ('10000000-0000-4000-8000-000000000001');

-- changes nothing
INSERT OR IGNORE INTO notice_outcomes (message_id) VALUES ('10000000-0000-4000-8000-000000000001');

-- refuses: invalid_time
INSERT INTO notice_outcomes (message_id, submission, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 'now');
INSERT INTO notice_outcomes (message_id, submission, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', NULL);
INSERT INTO notice_outcomes (message_id, submission, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 9e999);

-- These tables take only what htalk writes.
-- refuses: invalid_value
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', '');
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'delivered');
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', x'00');
INSERT INTO notice_outcomes (message_id, submission, recipient_status)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 'asleep');
INSERT INTO notice_outcomes (message_id, submission, recipient_status)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', '');

-- Only what was submitted lies in a queue.
-- refuses: invalid_value
INSERT INTO notice_outcomes (message_id, submission, queue_id)
VALUES ('10000000-0000-4000-8000-000000000001', 'submission_unknown', 'q-1');
INSERT INTO notice_outcomes (message_id, submission, queue_id)
VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted', '');

INSERT INTO notice_outcomes (message_id, submission, at, detail, queue_id, recipient_status)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1001.5, 'codex_cli_queued:q-1', 'q-1', 'idle');

-- prints: submitted|1000.5|1001.5|codex_cli_queued:q-1|idle
SELECT submission, notification_started_at, notification_finished_at, notification_detail, recipient_status
FROM message_v WHERE id = '10000000-0000-4000-8000-000000000001';

-- The outcome is recorded once, and the claim can't be made again.
-- refuses: record_is_permanent
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted');
INSERT INTO notice_outcomes (message_id, submission, at, detail, recipient_status)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1001.5, 'codex_cli_queued:q-1', 'idle');
INSERT INTO notice_outcomes (message_id, submission)
VALUES ('10000000-0000-4000-8000-000000000004', 'not_submitted'),
  ('10000000-0000-4000-8000-000000000004', 'submitted');
UPDATE notice_claims SET at = 0;
UPDATE notice_claims SET message_id = '10000000-0000-4000-8000-000000000002';
DELETE FROM notice_claims;
UPDATE notice_outcomes SET submission = 'not_submitted';
UPDATE notice_outcomes SET detail = NULL, at = NULL;
DELETE FROM notice_outcomes WHERE submission = 'submitted';

-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000001');

-- A clean-up follows an acknowledgment; each try is recorded, the last one counts.
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'x');

-- prints: due||q-1
.parameter set :id "'10000000-0000-4000-8000-000000000001'"
.read sql/queries/cleanup_get.sql

-- refuses: invalid_seq
INSERT INTO notice_cleanups (message_id, status, seq) VALUES ('10000000-0000-4000-8000-000000000001', 'removed', 0);
INSERT INTO notice_cleanups (message_id, status, seq) VALUES ('10000000-0000-4000-8000-000000000001', 'removed', -1);
INSERT INTO notice_cleanups (message_id, status, seq)
VALUES ('10000000-0000-4000-8000-000000000001', 'removed', 9007199254740992);
INSERT INTO notice_cleanups (message_id, status, rowid)
VALUES ('10000000-0000-4000-8000-000000000001', 'removed', 9223372036854775807);

-- refuses: invalid_time
INSERT INTO notice_cleanups (message_id, status, at) VALUES ('10000000-0000-4000-8000-000000000001', 'removed', NULL);
INSERT INTO notice_cleanups (message_id, status, at) VALUES ('10000000-0000-4000-8000-000000000001', 'removed', 9e999);
INSERT INTO notice_cleanups (message_id, status, at) VALUES ('10000000-0000-4000-8000-000000000001', 'removed', 'x');

-- refuses: invalid_value
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000001', 'due');
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000001', 'pending');
INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000001', '');

INSERT INTO notice_cleanups (message_id, status, detail)
VALUES ('10000000-0000-4000-8000-000000000001', 'unavailable', 'recipient_unavailable');

-- prints: unavailable||q-1
.parameter set :id "'10000000-0000-4000-8000-000000000001'"
.read sql/queries/cleanup_get.sql

-- prints: retry_notification_cleanup
SELECT action FROM recovery_v
WHERE message_id = '10000000-0000-4000-8000-000000000001' AND peer = 'x' AND action GLOB 'retry*';

INSERT INTO notice_cleanups (message_id, status) VALUES ('10000000-0000-4000-8000-000000000001', 'removed');

-- prints: removed||q-1
.parameter set :id "'10000000-0000-4000-8000-000000000001'"
.read sql/queries/cleanup_get.sql

-- refuses: record_is_permanent
UPDATE notice_cleanups SET status = 'absent';
UPDATE notice_cleanups SET seq = seq + 10;
DELETE FROM notice_cleanups;

-- refuses: invalid_seq
INSERT INTO notice_cleanups (message_id, status, seq) VALUES ('10000000-0000-4000-8000-000000000001', 'unknown', 1);

-- What is to be done follows from what happened: nothing is to be taken back without a queue id, however the receipt
-- reads, nor from a client that can't do it.
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('l', 'claude', '10000000-0000-4000-8000-000000000001', '/');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Submitted, without a queue id.'),
  ('10000000-0000-4000-8000-000000000007', 'a', 'x', 'Refused.'),
  ('10000000-0000-4000-8000-000000000008', 'a', 'l', 'To a client that takes nothing back.'),
  ('10000000-0000-4000-8000-000000000009', 'a', 'x', 'Not acknowledged.');
INSERT INTO notice_claims (message_id) SELECT id FROM messages WHERE seq > 5;
INSERT INTO notice_outcomes (message_id, submission, detail, queue_id)
VALUES ('10000000-0000-4000-8000-000000000006', 'submitted', 'codex_cli_queued:q-2', NULL),
  ('10000000-0000-4000-8000-000000000007', 'not_submitted', 'codex_app_server_refused:-32600', NULL),
  ('10000000-0000-4000-8000-000000000008', 'submitted', 'claude_socket_bytes_written:7', 'q-3'),
  ('10000000-0000-4000-8000-000000000009', 'submitted', 'codex_cli_queued:q-4', 'q-4');
INSERT INTO acks (message_id, peer) SELECT id, recipient FROM messages WHERE seq BETWEEN 6 AND 8 OR seq IN (2, 4);

-- prints: removed||q-1
.parameter set :id "'10000000-0000-4000-8000-000000000001'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|pull_only|
.parameter set :id "'10000000-0000-4000-8000-000000000002'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|no_confirmed_queue_receipt|
.parameter set :id "'10000000-0000-4000-8000-000000000003'"
.read sql/queries/cleanup_get.sql

-- prints: pending||
.parameter set :id "'10000000-0000-4000-8000-000000000004'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|pull_only|
.parameter set :id "'10000000-0000-4000-8000-000000000005'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|no_confirmed_queue_receipt|
.parameter set :id "'10000000-0000-4000-8000-000000000006'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|no_confirmed_queue_receipt|
.parameter set :id "'10000000-0000-4000-8000-000000000007'"
.read sql/queries/cleanup_get.sql

-- prints: unsupported|client_has_no_notification_removal|q-3
.parameter set :id "'10000000-0000-4000-8000-000000000008'"
.read sql/queries/cleanup_get.sql

-- prints: skipped|message_not_acknowledged_by_recipient|q-4
.parameter set :id "'10000000-0000-4000-8000-000000000009'"
.read sql/queries/cleanup_get.sql

-- What a wait returned is recorded the first time.
-- refuses: invalid_time
INSERT INTO wait_returns (message_id, at) VALUES ('10000000-0000-4000-8000-000000000005', 9e999);

INSERT INTO wait_returns (message_id, at) VALUES ('10000000-0000-4000-8000-000000000005', 1002.5);

-- changes nothing
INSERT INTO wait_returns (message_id) VALUES ('10000000-0000-4000-8000-000000000005');
INSERT INTO wait_returns (message_id, at) VALUES ('10000000-0000-4000-8000-000000000005', 1);

-- refuses: record_is_permanent
UPDATE wait_returns SET at = 0;
DELETE FROM wait_returns;

-- prints: 1002.5
SELECT wait_returned_at FROM message_v WHERE id = '10000000-0000-4000-8000-000000000005';
