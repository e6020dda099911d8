-- The rules of acknowledgments. script.rs explains the notation.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'A question.'),
  ('10000000-0000-4000-8000-000000000002', 'c', 'b', 'Another question.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'The answer.');

-- refuses: unknown_message
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-00000000000f', 'b');
INSERT INTO acks (message_id, peer) VALUES (NULL, 'b');
INSERT INTO acks (message_id, peer) VALUES ('', 'b');
INSERT INTO acks (message_id, peer) VALUES (1, 'b');
INSERT INTO acks (message_id, peer) VALUES ('10000000', 'b');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001' || char(0), 'b');
INSERT INTO acks (message_id, peer) VALUES (CAST('10000000-0000-4000-8000-000000000001' AS BLOB), 'b');
INSERT INTO acks DEFAULT VALUES;

-- refuses: only_recipient_can_ack
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'a');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'c');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'nobody');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', NULL);
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'B');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'b' || char(0));
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', x'62');
INSERT INTO acks (message_id) VALUES ('10000000-0000-4000-8000-000000000001');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000003', 'b');

-- refuses: invalid_time
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', NULL);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 9e999);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', -9e999);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 9e999 - 9e999);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'now');
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', x'31');

-- Nothing of a statement stays when one of its rows is refused.
-- refuses: only_recipient_can_ack
INSERT INTO acks (message_id, peer)
VALUES ('10000000-0000-4000-8000-000000000001', 'b'), ('10000000-0000-4000-8000-000000000003', 'b');
INSERT INTO acks (message_id, peer) SELECT id, 'b' FROM messages WHERE true;

INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 1000.5);

-- Repeating keeps the first time.
-- changes nothing
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'b');
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 2000);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 1)
ON CONFLICT (message_id) DO UPDATE SET at = excluded.at;
INSERT INTO acks SELECT * FROM acks WHERE true;

-- A third is refused even where the acknowledgment is there.
-- refuses: only_recipient_can_ack
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'a');

-- refuses: record_is_permanent
UPDATE acks SET at = 0;
UPDATE acks SET at = at;
UPDATE acks SET peer = 'a';
UPDATE acks SET message_id = '10000000-0000-4000-8000-000000000002';
DELETE FROM acks;
DELETE FROM acks WHERE peer = 'b';

-- changes nothing
DELETE FROM acks WHERE peer = 'a';

-- fails: table acks has no column named rowid
INSERT INTO acks (rowid, message_id, peer) VALUES (1, '10000000-0000-4000-8000-000000000002', 'b');

-- An acknowledged question is still open; an acknowledged answer is not.
-- prints: 10000000-0000-4000-8000-000000000002|b|
-- prints: 10000000-0000-4000-8000-000000000003|a|
SELECT id, recipient, ack_at FROM inbox_v ORDER BY seq;

INSERT INTO acks (message_id, peer) SELECT id, recipient FROM messages WHERE true;

-- prints: 10000000-0000-4000-8000-000000000002|b|1
SELECT id, recipient, abs(ack_at - unixepoch()) < 600 FROM inbox_v ORDER BY seq;

-- prints: 1000.5
SELECT min(at) FROM acks;
