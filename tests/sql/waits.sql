-- The rules of the registrations of waits. script.rs explains the notation. A registration is a lease and no fact: it
-- can be taken back, but nobody registers for what is not theirs, and what one says never changes.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'A question.'),
  ('10000000-0000-4000-8000-000000000002', 'c', 'b', 'Of another peer.');
INSERT INTO messages (id, in_reply_to, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000002', 'b', 'c', 'An answer.');

-- refuses: unknown_request
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-00000000000f', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until) VALUES ('20000000-0000-4000-8000-000000000001', NULL, 'a', 1000);

-- refuses: wait_requires_own_request
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'b', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'c', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', NULL, 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'b', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'c', 1000);

-- refuses: invalid_time
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', NULL);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 9e999);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 'soon');

-- The token names a file beside the mailbox, so it is a UUID and nothing else.
-- refuses: invalid_uuid
INSERT INTO waits (token, message_id, peer, until)
VALUES ('/../../elsewhere', '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('-0000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-00000000000A', '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-00000000000' || char(0), '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES (CAST('20000000-0000-4000-8000-000000000001' AS BLOB), '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001' || char(0), '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('2000000-00000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 1000);
INSERT INTO waits (token, message_id, peer, until)
VALUES (NULL, '10000000-0000-4000-8000-000000000001', 'a', 1000);

INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 1000);

-- refuses: record_is_permanent
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'a', 2000);
INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'c', 2000);
UPDATE waits SET until = 2000;
UPDATE waits SET peer = 'b';
UPDATE waits SET token = '20000000-0000-4000-8000-000000000002';
UPDATE waits SET message_id = '10000000-0000-4000-8000-000000000002';

INSERT INTO waits (token, message_id, peer, until)
VALUES ('20000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'a', 1000);
DELETE FROM waits WHERE token = '20000000-0000-4000-8000-000000000001';

-- prints: 20000000-0000-4000-8000-000000000002
SELECT token FROM waits ORDER BY token;
