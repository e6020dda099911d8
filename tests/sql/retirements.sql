-- The rules of retiring and restoring a peer. script.rs explains the notation.

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'Before the retirement.'),
  ('10000000-0000-4000-8000-000000000002', 'b', 'a', 'Also before.');

-- refuses: unknown_peer
INSERT INTO peer_retirements (peer, action) VALUES ('nobody', 'retired');
INSERT INTO peer_retirements (peer, action) VALUES (NULL, 'retired');
INSERT INTO peer_retirements (peer, action) VALUES ('', 'retired');
INSERT INTO peer_retirements (peer, action) VALUES ('A', 'retired');
INSERT INTO peer_retirements (peer, action) VALUES ('b ', 'retired');
INSERT INTO peer_retirements (peer, action) VALUES ('b' || char(0), 'retired');
INSERT INTO peer_retirements (peer, action) VALUES (x'62', 'retired');
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'retired'), ('nobody', 'retired');

-- Who takes part need not be restored.
-- changes nothing
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'restored');

-- An OR IGNORE skips what keys and CHECKs refuse; then nothing is recorded.
-- changes nothing
INSERT OR IGNORE INTO peer_retirements (peer, action) VALUES ('b', NULL);

-- refuses: invalid_value
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'gone');
INSERT INTO peer_retirements (peer, action) VALUES ('b', '');
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'Retired');
INSERT INTO peer_retirements (peer, action) VALUES ('b', x'72657469726564');

-- fails: NOT NULL constraint failed: peer_retirements.action
INSERT INTO peer_retirements (peer, action) VALUES ('b', NULL);

-- refuses: invalid_time
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', NULL);
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', 'now');
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', 9e999);
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', -9e999);
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', 9e999 - 9e999);
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', x'31');

-- refuses: invalid_seq
INSERT INTO peer_retirements (peer, action, seq) VALUES ('b', 'retired', 0);
INSERT INTO peer_retirements (peer, action, seq) VALUES ('b', 'retired', -1);
INSERT INTO peer_retirements (peer, action, seq) VALUES ('b', 'retired', -9223372036854775808);
INSERT INTO peer_retirements (peer, action, seq) VALUES ('b', 'retired', 9007199254740992);
INSERT INTO peer_retirements (peer, action, seq) VALUES ('b', 'retired', 9223372036854775807);

INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', 1000.5);

-- prints: b|1000.5
SELECT name, retired_at FROM peer_v WHERE retired_at IS NOT NULL;

-- changes nothing
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'retired');
INSERT INTO peer_retirements (peer, action, at) VALUES ('b', 'retired', 2000);

-- refuses: invalid_seq
INSERT INTO peer_retirements (peer, action, seq) VALUES ('c', 'retired', 1);
INSERT INTO peer_retirements (peer, action, rowid) VALUES ('c', 'retired', 1);
INSERT INTO peer_retirements (peer, action, _rowid_) VALUES ('c', 'retired', -7);

-- No new request from or to a retired peer.
-- refuses: peer_retired
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'To a retired one.');
INSERT INTO messages (sender, recipient, body) VALUES ('b', 'a', 'From a retired one.');
INSERT INTO messages (sender, recipient, body) VALUES ('a', 'c', 'Good.'), ('c', 'b', 'To a retired one.');

-- Its retries, answers and acknowledgments go on, and it gets answers.
-- changes nothing
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'b', 'Before the retirement.');

INSERT INTO acks (message_id, peer) VALUES ('10000000-0000-4000-8000-000000000001', 'b');
INSERT INTO messages (sender, recipient, in_reply_to, body)
VALUES ('b', 'a', '10000000-0000-4000-8000-000000000001', 'An answer of a retired one.');
INSERT INTO messages (sender, recipient, in_reply_to, body)
VALUES ('a', 'b', '10000000-0000-4000-8000-000000000002', 'An answer to a retired one.');

INSERT INTO peer_retirements (peer, action) VALUES ('b', 'restored');

-- prints nothing
SELECT name FROM peer_v WHERE retired_at IS NOT NULL;

INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'To a restored one.');
INSERT INTO peer_retirements (peer, action) VALUES ('b', 'retired'), ('b', 'restored'), ('b', 'retired');

-- prints: retired
-- prints: restored
-- prints: retired
-- prints: restored
-- prints: retired
SELECT action FROM peer_retirements ORDER BY seq;

-- refuses: record_is_permanent
UPDATE peer_retirements SET at = 0;
UPDATE peer_retirements SET action = 'restored';
UPDATE peer_retirements SET peer = 'c';
UPDATE peer_retirements SET seq = seq + 100;
UPDATE peer_retirements SET rowid = 5 WHERE rowid = 1;
DELETE FROM peer_retirements;
DELETE FROM peer_retirements WHERE peer = 'b' AND action = 'retired';
