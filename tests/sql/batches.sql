-- The rules of requests to several recipients. script.rs explains the notation. htalk alone writes batches; what
-- another program tries must not change what was sent together.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000009', '/');

-- refuses: invalid_uuid
INSERT INTO batches (id, sender, size, has_notices) VALUES ('b', 'a', 2, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES (NULL, 'a', 2, 1);
INSERT INTO batches (id, sender, size, has_notices)
VALUES (CAST('30000000-0000-4000-8000-000000000001' AS BLOB), 'a', 2, 1);
INSERT INTO batches (id, sender, size, has_notices)
VALUES ('30000000-0000-4000-8000-000000000001' || char(0), 'a', 2, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-00000000000A', 'a', 2, 1);

-- refuses: unknown_peer
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'nobody', 2, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', NULL, 2, 1);

-- refuses: invalid_value
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 0, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 1.5, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 'two', 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', NULL, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 2, 2);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 2, NULL);

-- refuses: unknown_batch
INSERT INTO messages (batch, sender, recipient, body) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 'b', 'x');
INSERT INTO messages (batch, sender, recipient, body) VALUES ('', 'a', 'b', 'x');
INSERT INTO messages (batch, sender, recipient, body) VALUES (1, 'a', 'b', 'x');

INSERT INTO batches (id, sender, size, has_notices)
VALUES ('30000000-0000-4000-8000-000000000001', 'a', 2, 1), ('30000000-0000-4000-8000-000000000002', 'a', 2, 0),
  ('30000000-0000-4000-8000-000000000003', 'a', 1, 1);
INSERT INTO messages (id, batch, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001', 'a', 'b', 'To both.');

-- A batch has one sender and one text, and a recipient once.
-- refuses: batch_conflict
INSERT INTO messages (batch, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', 'a', 'b', 'Another text.');
INSERT INTO messages (batch, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', 'c', 'x', 'To both.');
INSERT INTO messages (batch, about, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 'b', 'To both.');
INSERT INTO messages (batch, kind, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', 'note', 'a', 'b', 'To both.');

-- refuses: invalid_value
INSERT INTO messages (batch, kind, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000002', 'note', 'a', 'b', 'x');
INSERT INTO messages (batch, in_reply_to, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'x');

INSERT INTO messages (id, batch, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000001', 'a', 'x', 'To both.');

-- A batch that has all its recipients takes no other.
-- refuses: batch_conflict
INSERT INTO messages (batch, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', 'a', 'c', 'To both.');
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 3, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'b', 2, 1);

-- changes nothing
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 2, 1);
INSERT INTO batches (id, sender, size, has_notices) VALUES ('30000000-0000-4000-8000-000000000001', 'a', 2, 0);
INSERT INTO messages (batch, sender, recipient, body)
VALUES ('30000000-0000-4000-8000-000000000001', 'a', 'b', 'To both.');
INSERT INTO messages (id, batch, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001', 'a', 'b', 'To both.');

-- The id alone is not the same message without its batch.
-- refuses: message_id_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'To both.');

-- refuses: record_is_permanent
UPDATE batches SET size = 3;
UPDATE batches SET id = id;
DELETE FROM batches;

INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'The answer of one.');

-- prints: 30000000-0000-4000-8000-000000000001|10000000-0000-4000-8000-000000000001|b|\
-- prints: 10000000-0000-4000-8000-000000000003
-- prints: 30000000-0000-4000-8000-000000000001|10000000-0000-4000-8000-000000000002|x|
SELECT * FROM batch_v ORDER BY message_id;

-- What an interrupted send did not come to is recorded without a claim; nothing else is.
INSERT INTO messages (id, batch, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', '30000000-0000-4000-8000-000000000002', 'a', 'x', 'Without notice.'),
  ('10000000-0000-4000-8000-000000000005', NULL, 'a', 'x', 'Alone.'),
  ('10000000-0000-4000-8000-000000000006', '30000000-0000-4000-8000-000000000003', 'a', 'x', 'With notice.');

-- refuses: unknown_message
INSERT INTO notice_outcomes (message_id, submission, detail)
VALUES ('10000000-0000-4000-8000-000000000004', 'not_submitted', 'interrupted_before_notification');
INSERT INTO notice_outcomes (message_id, submission, detail)
VALUES ('10000000-0000-4000-8000-000000000005', 'not_submitted', 'interrupted_before_notification');
INSERT INTO notice_outcomes (message_id, submission, detail)
VALUES ('10000000-0000-4000-8000-000000000002', 'submitted', 'interrupted_before_notification');
INSERT INTO notice_outcomes (message_id, submission, detail)
VALUES ('10000000-0000-4000-8000-000000000002', 'not_submitted', 'recipient_unavailable');
INSERT INTO notice_outcomes (message_id, submission) VALUES ('10000000-0000-4000-8000-000000000002', 'not_submitted');

INSERT INTO notice_outcomes (message_id, submission, detail, at)
VALUES ('10000000-0000-4000-8000-000000000006', 'not_submitted', 'interrupted_before_notification', 1000.5);

-- prints: not_submitted||1000.5|interrupted_before_notification
SELECT submission, notification_started_at, notification_finished_at, notification_detail FROM message_v
WHERE id = '10000000-0000-4000-8000-000000000006';

-- changes nothing
INSERT INTO notice_claims (message_id) VALUES ('10000000-0000-4000-8000-000000000006');

-- One token may wait for all requests of a batch, but for one peer.
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 4e9),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'a', 1000),
  ('20000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'a', 3e9);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000007', 'b', 'x', 'Of another peer.');

-- refuses: record_is_permanent
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000007', 'b', 1000);

-- Who waits for whom now: a lease that has expired does not count.
-- prints: 10000000-0000-4000-8000-000000000001|a|b|4000000000.0
SELECT * FROM waiting_v;
