-- The rules of answers. script.rs explains the notation.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'A question.'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'b', 'Another question.'),
  ('10000000-0000-4000-8000-000000000003', 'c', 'b', 'A question of another peer.');

-- refuses: unknown_request
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000f', 'b', 'a', 'To nothing.');
INSERT INTO messages (in_reply_to, sender, recipient, body) VALUES ('', 'b', 'a', 'To nothing.');
INSERT INTO messages (in_reply_to, sender, recipient, body) VALUES (1, 'b', 'a', 'To a seq.');
INSERT INTO messages (in_reply_to, sender, recipient, body) VALUES ('10000000', 'b', 'a', 'To a prefix.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES (upper('1000000a-0000-4000-8000-000000000001'), 'b', 'a', 'In capitals.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES (CAST('10000000-0000-4000-8000-000000000001' AS BLOB), 'b', 'a', 'To bytes.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001' || char(0), 'b', 'a', 'With U+0000.');
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000f', '10000000-0000-4000-8000-00000000000f', 'b', 'a', 'To itself.');

-- Only the one who was asked answers, and only to the one who asked.
-- refuses: reply_address_mismatch
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'From the asker.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'c', 'a', 'From a third.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'c', 'To a third.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'b', 'To oneself.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'nobody', 'To nobody.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'a', 'From nobody.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', NULL, 'To nobody.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', x'62', 'a', 'From bytes.');
INSERT INTO messages (in_reply_to, body) VALUES ('10000000-0000-4000-8000-000000000001', 'Without addresses.');

-- An answer's body and id follow the rules of every message, after its addresses.
-- refuses: message_must_be_1_to_32000_bytes
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', char(8195));
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', printf('%.32001c', 'x'));
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', NULL);

-- refuses: message_contains_nul
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'x' || char(0));

-- refuses: message_is_not_utf8
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', x'78');

-- refuses: invalid_uuid
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'b', 'a', 'An answer.');

-- refuses: invalid_time
INSERT INTO messages (in_reply_to, sender, recipient, body, created_at)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'An answer.', 'later');

-- refuses: invalid_seq
INSERT INTO messages (in_reply_to, sender, recipient, body, seq)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'An answer.', 3);

-- An id that is taken is no new answer.
-- refuses: message_id_conflict
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'An answer.');
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'b', 'a', 'An answer.');

-- Two answers in one statement are one too many.
-- refuses: reply_conflict_existing_answer_preserved
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'One.'),
  ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'Another.');

INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', 'b', 'a', 'The answer.');

-- The same answer again changes nothing, with its own id, without an id, or with another.
-- changes nothing
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', 'b', 'a', 'The answer.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'The answer.');
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000005', 'b', 'a', 'The answer.');

-- refuses: reply_conflict_existing_answer_preserved
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'Another answer.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'The answer. ');
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', 'b', 'a', 'Another answer.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'a', 'Another answer.')
ON CONFLICT (in_reply_to) WHERE in_reply_to IS NOT NULL DO UPDATE SET body = excluded.body;
INSERT INTO messages (in_reply_to, sender, recipient, body)
SELECT id, recipient, sender, 'To all requests.' FROM messages WHERE in_reply_to IS NULL;

-- The id of the answer belongs to no other message.
-- refuses: message_id_conflict
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000004', 'b', 'a', 'The answer.');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'b', 'a', 'The answer.');

-- An answer can't be answered.
-- refuses: reply_requires_a_request
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'a', 'b', 'Thanks.');
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'c', 'c', 'Thanks.');

-- Addresses are judged before the conflict: a third learns nothing of the answer.
-- refuses: reply_address_mismatch
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'c', 'a', 'The answer.');

-- refuses: message_is_immutable
UPDATE messages SET body = 'Changed.' WHERE in_reply_to IS NOT NULL;
UPDATE messages SET in_reply_to = NULL WHERE in_reply_to IS NOT NULL;
UPDATE messages SET in_reply_to = '10000000-0000-4000-8000-000000000002' WHERE in_reply_to IS NOT NULL;

-- refuses: record_is_permanent
DELETE FROM messages WHERE in_reply_to IS NOT NULL;

-- A request and its answer can be saved in one statement and in one transaction.
BEGIN;
INSERT INTO messages (in_reply_to, id, sender, recipient, body)
VALUES (NULL, '10000000-0000-4000-8000-000000000006', 'a', 'b', 'A question.'),
  ('10000000-0000-4000-8000-000000000006', '10000000-0000-4000-8000-000000000007', 'b', 'a', 'Its answer.');
COMMIT;

-- An answer by an old-fashioned REPLACE is an answer all the same.
REPLACE INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'b', 'c', 'An answer.');

-- prints: A question.|The answer.
-- prints: Another question.|
-- prints: A question of another peer.|An answer.
-- prints: A question.|Its answer.
SELECT request_body, answer_body FROM conversation_v ORDER BY seq;
