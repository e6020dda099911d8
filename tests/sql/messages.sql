-- The rules of requests. script.rs explains the notation.

-- Sender, recipient and body make a complete request.
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'Which test is missing?');

-- prints: 1|1|text|a|b||Which test is missing?|1
SELECT seq, id GLOB '????????-????-4???-[89ab]???-????????????', typeof(id), sender, recipient, in_reply_to, body,
  abs(created_at - unixepoch()) < 600 FROM messages;

-- An id is a UUID in its stored spelling.
-- refuses: invalid_uuid
INSERT INTO messages (id, sender, recipient, body) VALUES (NULL, 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES (1, 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('x', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-00000000000', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-0000000000011', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('1000000000004000800000000000000a', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-00000000000A', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-00000000000g', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('1000000-00000-4000-8000-00000000000a', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('-------------------------------0000a', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-00000000000*', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000' || char(0), 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000a' || char(0), 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body)
VALUES (char(0) || '0000000-0000-4000-8000-00000000000a', 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-0000000000' || char(1633), 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body)
VALUES (CAST('10000000-0000-4000-8000-00000000000a' AS BLOB), 'a', 'b', 'x');
INSERT INTO messages (id, sender, recipient, body) VALUES (randomblob(16), 'a', 'b', 'x');

-- A body has 1 to 32,000 bytes, of which one is not blank.
-- refuses: message_must_be_1_to_32000_bytes
INSERT INTO messages DEFAULT VALUES;
INSERT INTO messages (sender, recipient) VALUES ('a', 'b');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', NULL);
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', '');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', x'');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', printf('%.32001c', 'x'));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', replace(printf('%.16000c', 'x'), 'x', 'é') || 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', replace(printf('%.8001c', 'x'), 'x', '🔍'));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'x' || char(0) || printf('%.32000c', 'x'));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', zeroblob(32001));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', zeroblob(1000000));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', printf('%.32000c', ' '));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(9));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(10));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(11));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(12));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(13));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(32));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(133));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(160));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(5760));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(173));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(847));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(6158));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8203, 8207, 10, 8288, 8292, 65279));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(917505, 921599));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8192));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8193));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8194));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8195));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8196));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8197));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8198));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8199));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8200));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8201));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8202));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8232));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8233));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8239));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(8287));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(12288));
INSERT INTO messages (sender, recipient, body)
VALUES ('a', 'b', char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
  8201, 8202, 8232, 8233, 8239, 8287, 12288));

-- Bytes are no text, even where they could be read as one.
-- refuses: message_is_not_utf8
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', x'41');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', x'ff');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', x'00');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', zeroblob(32000));

-- refuses: message_contains_nul
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(0));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'a' || char(0) || 'b');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'ab' || char(0));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', ' ' || char(0) || ' ');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', printf('%.31999c', 'x') || char(0));

-- Both must be registered, under exactly these names.
-- refuses: unknown_peer
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'nobody', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('nobody', 'b', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('nobody', 'nobody', 'x');
INSERT INTO messages (sender, recipient, body) VALUES (NULL, 'b', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', NULL, 'x');
INSERT INTO messages (sender, recipient, body) VALUES (NULL, NULL, 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', '', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'B', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b ', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b' || char(0), 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', x'62', 'x');
INSERT INTO messages (sender, recipient, body) VALUES (x'61', 'b', 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 1, 'x');
INSERT INTO messages (body) VALUES ('x');

-- refuses: sender_and_recipient_must_differ
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'a', 'x');

-- An explicit seq exceeds all earlier ones and stays below 2^52.
-- refuses: invalid_seq
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 1);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 0);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', -1);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', -2);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', '-1');
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', -1.0);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', -9223372036854775808);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 4503599627370496);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 9007199254740991);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 9007199254740992);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 9007199254740993);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 9223372036854775807);
INSERT INTO messages (sender, recipient, body, rowid) VALUES ('a', 'b', 'x', 1);
INSERT INTO messages (sender, recipient, body, _rowid_) VALUES ('a', 'b', 'x', -1);
INSERT INTO messages (sender, recipient, body, oid) VALUES ('a', 'b', 'x', 9223372036854775807);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 10), ('a', 'b', 'y', 10);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 10), ('a', 'b', 'y', 9);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', NULL), ('a', 'b', 'y', 2);

-- What is no integer at all never reaches the rules.
-- fails: datatype mismatch
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 'ten');
INSERT OR IGNORE INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 1.5);
REPLACE INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', x'0a');
REPLACE INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 9e999);

-- An explicit time is a finite number.
-- refuses: invalid_time
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', NULL);
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', 9e999);
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', -9e999);
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', 9e999 - 9e999);
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', '9e999');
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', '');
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', 'now');
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', '2026-01-01 00:00:00');
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', x'31');

-- Nothing of a statement stays when one of its rows is refused.
-- refuses: unknown_peer
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'good'), ('b', 'c', 'good'), ('a', 'nobody', 'bad');

-- refuses: sender_and_recipient_must_differ
INSERT INTO messages (sender, recipient, body) SELECT 'a', name, 'to all' FROM peers WHERE name <= 'b';

-- What is allowed: the largest bodies, text around U+0000's neighbours, numbers, times and seqs up to their ends.
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', printf('%.32000c', 'x'));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', replace(printf('%.16000c', 'x'), 'x', 'é'));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', printf('%.31999c', ' ') || 'x');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(13, 10) || 'é' || char(13, 10, 160));
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', char(1)), ('a', 'b', 0), ('a', 'b', 1.5);
INSERT INTO messages (sender, recipient, body) SELECT 'a', name, 'to all others' FROM peers WHERE name > 'a';
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', -1), ('a', 'b', 'y', '1e3');
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', 1.7976931348623157e308);
INSERT INTO messages (sender, recipient, body, created_at) VALUES ('a', 'b', 'x', -9223372036854775808);
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', '100'), ('a', 'b', 'y', NULL);

-- prints: 0d0ac3a90d0ac2a0
SELECT lower(hex(body)) FROM messages WHERE body GLOB '*é' || char(13) || '*' AND length(body) < 100;

-- prints: 101|text|1
SELECT max(seq), group_concat(DISTINCT typeof(body)), min(created_at < 9e999) FROM messages;

-- An identical retry changes nothing, whatever seq and time it names; a different one is refused.
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'once');

-- changes nothing
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'once');
INSERT INTO messages (id, sender, recipient, body, seq, created_at)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'once', 1, NULL);
INSERT INTO messages SELECT * FROM messages WHERE true;

-- prints nothing
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'once')
RETURNING id;

-- refuses: message_id_conflict
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'twice');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'once ');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'Once');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'c', 'once');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'c', 'b', 'once');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'once');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'new'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'other');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'twice')
ON CONFLICT (id) DO UPDATE SET body = excluded.body;
INSERT INTO messages (id, sender, recipient, body, seq)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'twice', 1)
ON CONFLICT (seq) DO UPDATE SET body = excluded.body ON CONFLICT (id) DO NOTHING;

-- refuses: message_is_immutable
UPDATE messages SET body = 'changed';
UPDATE messages SET body = body;
UPDATE messages SET body = NULL WHERE seq = 1;
UPDATE messages SET id = '10000000-0000-4000-8000-000000000001' WHERE seq = 1;
UPDATE messages SET seq = seq + 1000;
UPDATE messages SET seq = 1 WHERE seq = 2;
UPDATE messages SET rowid = 1 WHERE rowid = 2;
UPDATE messages SET sender = 'c' WHERE seq = 1;
UPDATE messages SET recipient = 'nobody' WHERE seq = 1;
UPDATE messages SET in_reply_to = id WHERE seq = 1;
UPDATE messages SET created_at = 0 WHERE seq = 1;

-- changes nothing
UPDATE messages SET body = 'changed' WHERE false;

-- refuses: record_is_permanent
DELETE FROM messages;
DELETE FROM messages WHERE seq = 1;
DELETE FROM messages WHERE id = '10000000-0000-4000-8000-000000000001';

-- fails: cannot modify message_v because it is a view
INSERT INTO message_v (sender, recipient, body) VALUES ('a', 'b', 'x');

-- A refused statement leaves its transaction as it was.
BEGIN IMMEDIATE;
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'b', 'first');

-- refuses: unknown_peer
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'c', 'good'), ('a', 'nobody', 'bad');

-- refuses: message_id_conflict
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'b', 'other');

SAVEPOINT inner_one;
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000004', 'a', 'b', 'gone');
ROLLBACK TO inner_one;
COMMIT;

-- prints: first
SELECT body FROM messages
WHERE id IN ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000004');

-- The last seq that can be named does not end the mailbox.
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'high', 4503599627370495);
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'higher');

-- refuses: invalid_seq
INSERT INTO messages (sender, recipient, body, seq) VALUES ('a', 'b', 'x', 4503599627370495);

-- prints: 4503599627370496
SELECT max(seq) FROM messages;

-- From 2^53 on a reader of JSON could take two for one.
UPDATE sqlite_sequence SET seq = 9007199254740990 WHERE name = 'messages';
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'highest');

-- refuses: invalid_seq
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'x');
