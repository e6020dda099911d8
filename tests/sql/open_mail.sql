-- The derived table open_mail: it follows the facts, and nobody can make it say anything else. script.rs explains the
-- notation; it also compares the table with the facts at the end of every file.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'Open.'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'Acknowledged, so still open.'),
  ('10000000-0000-4000-8000-000000000003', 'a', 'b', 'Answered.');
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000002', 'b');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000003', 'b', 'a', 'The answer.');

-- prints: a|4
-- prints: b|1
-- prints: b|2
SELECT recipient, seq FROM open_mail ORDER BY recipient, seq;

-- refuses: record_is_permanent
INSERT INTO open_mail (recipient, seq) VALUES ('b', 3);
INSERT INTO open_mail (recipient, seq) VALUES ('b', 99);
INSERT INTO open_mail (recipient, seq) VALUES ('c', 1);
INSERT INTO open_mail (recipient, seq) VALUES (NULL, 1);
INSERT INTO open_mail (recipient, seq) VALUES ('b', NULL);
INSERT INTO open_mail (recipient, seq) VALUES (x'62', 1);
INSERT INTO open_mail (recipient, seq) VALUES ('b', 1), ('b', 3);
INSERT INTO open_mail (recipient, seq) SELECT recipient, seq FROM messages WHERE true;
UPDATE open_mail SET seq = seq + 1;
UPDATE open_mail SET recipient = 'c';
UPDATE open_mail SET seq = seq;
DELETE FROM open_mail;
DELETE FROM open_mail WHERE seq = 1;
DELETE FROM open_mail WHERE recipient = 'b' AND seq = 2;

-- changes nothing
INSERT INTO open_mail (recipient, seq) VALUES ('b', 1);
INSERT INTO open_mail (recipient, seq) SELECT recipient, seq FROM open_by_facts_v WHERE true;
DELETE FROM open_mail WHERE seq = 3;

-- The clause of the outer statement reaches into triggers; the table follows all the same.
REPLACE INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000004', 'a');
INSERT OR IGNORE INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'An answer.');
INSERT OR REPLACE INTO messages (sender, recipient, in_reply_to, body)
VALUES ('b', 'a', '10000000-0000-4000-8000-000000000002', 'An answer.');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'c', 'Open.') ON CONFLICT DO NOTHING;
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'c', 'Open.')
ON CONFLICT (id) DO UPDATE SET body = excluded.body;

-- prints: a|5
-- prints: a|6
-- prints: c|7
-- prints: c|8
SELECT recipient, seq FROM open_mail ORDER BY recipient, seq;

-- A statement that is refused in its last row leaves the table as it was.
-- refuses: unknown_message
INSERT INTO acks (message_id, peer)
VALUES ('10000000-0000-4000-8000-000000000005', 'a'), ('10000000-0000-4000-8000-00000000000f', 'a');

BEGIN;
INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000005', 'a');
INSERT INTO messages (sender, recipient, body) VALUES ('c', 'b', 'Undone.');
ROLLBACK;

-- prints: a|5
-- prints: a|6
-- prints: c|7
-- prints: c|8
SELECT recipient, seq FROM open_mail ORDER BY recipient, seq;
