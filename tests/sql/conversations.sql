-- The rules of kinds and of conversations, and the table thread_mail that is derived from them. script.rs explains the
-- notation; it also compares the table with the facts at the end of every file.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'A question.'),
  ('10000000-0000-4000-8000-000000000002', 'a', 'c', 'Another conversation.');

-- refuses: invalid_kind
INSERT INTO messages (kind, sender, recipient, body) VALUES ('', 'a', 'b', 'x');
INSERT INTO messages (kind, sender, recipient, body) VALUES ('Note', 'a', 'b', 'x');
INSERT INTO messages (kind, sender, recipient, body) VALUES ('note ', 'a', 'b', 'x');
INSERT INTO messages (kind, sender, recipient, body) VALUES ('note' || char(0), 'a', 'b', 'x');
INSERT INTO messages (kind, sender, recipient, body) VALUES (x'6e6f7465', 'a', 'b', 'x');
INSERT INTO messages (kind, sender, recipient, body) VALUES (1, 'a', 'b', 'x');
INSERT INTO messages (kind, in_reply_to, sender, recipient, body)
VALUES ('reply', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'x');

-- An answer names its request, and nothing else does.
-- refuses: kind_contradicts_in_reply_to
INSERT INTO messages (kind, sender, recipient, body) VALUES ('answer', 'a', 'b', 'x');
INSERT INTO messages (kind, in_reply_to, sender, recipient, body)
VALUES ('request', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'x');
INSERT INTO messages (kind, in_reply_to, sender, recipient, body)
VALUES ('note', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'x');

-- refuses: unknown_message
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-00000000000f', 'a', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000', 'a', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES (1, 'a', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body)
VALUES (CAST('10000000-0000-4000-8000-000000000001' AS BLOB), 'a', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001' || char(0), 'a', 'b', 'x');
INSERT INTO messages (about, kind, sender, recipient, body) VALUES ('', 'note', 'a', 'b', 'x');

-- No message is about itself, nor about one that is not there yet.
-- refuses: unknown_message
INSERT INTO messages (id, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000f', '10000000-0000-4000-8000-00000000000f', 'a', 'b', 'Itself.');
INSERT INTO messages (id, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-00000000000e', '10000000-0000-4000-8000-00000000000f', 'a', 'b', 'The next.'),
  ('10000000-0000-4000-8000-00000000000f', '10000000-0000-4000-8000-00000000000e', 'a', 'b', 'The last.');

-- Both sides of a conversation may go on with it, to each other alone.
-- refuses: about_address_mismatch
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'c', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'c', 'a', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'c', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'a', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'b', 'b', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'b', 'x');
INSERT INTO messages (about, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000001', 'a', NULL, 'x');
INSERT INTO messages (about, kind, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'note', 'a', x'62', 'x');

-- refuses: answer_belongs_to_its_request
INSERT INTO messages (about, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'x');
INSERT INTO messages (about, in_reply_to, kind, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'answer', 'b', 'a', 'x');

-- Progress, the answer, a follow-up about the answer, a remark about that, and the answer to the follow-up.
INSERT INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'note', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Half done.');
INSERT INTO messages (id, kind, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'answer', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Done.');
INSERT INTO messages (id, kind, about, sender, recipient, body)
VALUES (
  '10000000-0000-4000-8000-000000000005', 'request', '10000000-0000-4000-8000-000000000004', 'a', 'b', 'And this?');
INSERT INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'note', '10000000-0000-4000-8000-000000000005', 'a', 'b', 'No hurry.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000005', 'b', 'a', 'Done as well.');

-- prints: 1|request|10000000-0000-4000-8000-000000000001
-- prints: 2|request|10000000-0000-4000-8000-000000000002
-- prints: 3|note|10000000-0000-4000-8000-000000000001
-- prints: 4|answer|10000000-0000-4000-8000-000000000001
-- prints: 5|request|10000000-0000-4000-8000-000000000001
-- prints: 6|note|10000000-0000-4000-8000-000000000001
-- prints: 7|answer|10000000-0000-4000-8000-000000000001
SELECT seq, kind, root_id FROM thread_v ORDER BY seq;

-- What an INSERT left out is no other message than what was said.
-- changes nothing
INSERT INTO messages (id, kind, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'request', 'a', 'b', 'A question.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Done.');
INSERT INTO messages (id, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000004', 'a', 'b', 'And this?');
INSERT INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'note', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Half done.');

-- refuses: message_id_conflict
INSERT INTO messages (id, kind, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'note', 'a', 'b', 'A question.');
INSERT INTO messages (id, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000001', 'a', 'b', 'And this?');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', 'a', 'b', 'And this?');
INSERT INTO messages (id, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000001', 'b', 'a', 'Half done.');

-- A note is not answered, and nobody waits for an answer to it.
-- refuses: reply_requires_a_request
INSERT INTO messages (in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'b', 'x');

-- refuses: wait_requires_own_request
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'b', 1000);

-- A note is open until it is acknowledged, a request until it is answered.
-- prints: a|3|note
-- prints: a|4|answer
-- prints: a|7|answer
-- prints: b|6|note
-- prints: c|2|request
SELECT recipient, seq, kind FROM inbox_v ORDER BY recipient, seq;

INSERT INTO acks (message_id, peer)
VALUES ('10000000-0000-4000-8000-000000000003', 'a'), ('10000000-0000-4000-8000-000000000006', 'b'),
  ('10000000-0000-4000-8000-000000000002', 'c');

-- prints: a|4|answer
-- prints: a|7|answer
-- prints: c|2|request
SELECT recipient, seq, kind FROM inbox_v ORDER BY recipient, seq;

-- prints: a|show
-- prints: b|show
SELECT peer, action FROM recovery_v WHERE message_id = '10000000-0000-4000-8000-000000000003' ORDER BY peer;

-- Nobody makes the table say anything but what follows from the messages.
-- refuses: record_is_permanent
INSERT INTO thread_mail (seq, root) VALUES (1, 1);
INSERT INTO thread_mail (seq, root) VALUES (2, 1);
INSERT INTO thread_mail (seq, root) VALUES (3, 2);
INSERT INTO thread_mail (seq, root) VALUES (6, 5);
INSERT INTO thread_mail (seq, root) VALUES (99, 1);
INSERT INTO thread_mail (seq, root) VALUES (3, NULL);
INSERT INTO thread_mail (seq, root) VALUES (NULL, 1);
INSERT INTO thread_mail (root) VALUES (1);
UPDATE thread_mail SET root = 2;
UPDATE thread_mail SET root = root;
UPDATE thread_mail SET seq = 2 WHERE seq = 3;
DELETE FROM thread_mail;
DELETE FROM thread_mail WHERE seq = 3;

-- changes nothing
INSERT INTO thread_mail (seq, root) VALUES (3, 1);
INSERT INTO thread_mail (seq, root) SELECT seq, root FROM root_by_facts_v WHERE true;

-- refuses: message_is_immutable
UPDATE messages SET about = NULL;
UPDATE messages SET kind = 'note' WHERE seq = 1;

-- The clause of the outer statement reaches into triggers; the table follows all the same.
INSERT OR REPLACE INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000008', 'note', '10000000-0000-4000-8000-000000000007', 'a', 'b', 'Thanks.');
INSERT OR IGNORE INTO messages (id, kind, about, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000009', 'note', '10000000-0000-4000-8000-000000000008', 'b', 'a', 'Welcome.');

-- prints: 8|1
-- prints: 9|1
SELECT seq, root FROM thread_mail WHERE seq > 7 ORDER BY seq;

-- A peer that is retired is sent no note, as it is sent no request.
INSERT INTO peer_retirements (peer, action) VALUES ('c', 'retired');

-- refuses: peer_retired
INSERT INTO messages (kind, sender, recipient, body) VALUES ('note', 'a', 'c', 'x');
INSERT INTO messages (kind, about, sender, recipient, body)
VALUES ('note', '10000000-0000-4000-8000-000000000002', 'c', 'a', 'x');
