-- The rules of preparing a handoff, and of the ledger's histories. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql

-- refuses: handoff_history_unavailable
INSERT INTO new_handoffs (id) VALUES (1);
INSERT INTO handoff_quarantines (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoff_quarantines (epoch) VALUES (NULL);
INSERT INTO handoff_quarantines DEFAULT VALUES;

-- refuses: invalid_uuid
INSERT INTO handoff_epochs (epoch) VALUES (NULL);
INSERT INTO handoff_epochs (epoch) VALUES (1);
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-1000-8000-000000000001');
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-00000000000A');

-- refuses: invalid_time
INSERT INTO handoff_epochs (epoch, at) VALUES ('20000000-0000-4000-8000-000000000001', 9e999);

INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');

-- refuses: handoff_already_initialized
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoff_epochs DEFAULT VALUES;

-- refuses: record_is_permanent
UPDATE handoff_epochs SET at = 0;
UPDATE handoff_epochs SET epoch = '20000000-0000-4000-8000-000000000002';
DELETE FROM handoff_epochs;

-- refuses: invalid_correlation_id
INSERT INTO new_handoffs (id) VALUES (NULL);
INSERT INTO new_handoffs (id) VALUES ('10000000-0000-1000-8000-000000000001');
INSERT INTO new_handoffs (id) VALUES ('10000000-0000-4000-8000-00000000000A');
INSERT INTO new_handoffs (id) VALUES ('10000000-0000-4000-8000-000000000001' || char(0));

-- What can never be sent is not prepared: nothing, too many characters, too many bytes, too large with its frame.
-- refuses: handoff_message_must_be_1_to_1000000_characters
INSERT INTO new_handoffs (chars, bytes) VALUES (0, 0);
INSERT INTO new_handoffs (chars, bytes) VALUES (1000001, 1000001);
INSERT INTO new_handoffs (chars, bytes) VALUES (1000000, 4000001);
INSERT INTO new_handoffs (bytes) VALUES (4);
INSERT INTO new_handoffs (chars) VALUES (NULL);
INSERT INTO new_handoffs (bytes) VALUES ('x');

-- refuses: handoff_frame_too_large
INSERT INTO new_handoffs (framed_chars, framed_bytes) VALUES (1000001, 1000001);
INSERT INTO new_handoffs (framed_chars) VALUES (NULL);
INSERT INTO new_handoffs (framed_chars) VALUES (0);
INSERT INTO new_handoffs (recipient, harness, target, generation, framed_chars, framed_bytes)
VALUES ('y', 'codex', 2, NULL, 32769, 32769);
INSERT INTO new_handoffs (recipient, harness, target, host, generation, framed_chars, framed_bytes)
VALUES ('y', 'codex', 2, 'h', NULL, 32000, 32769);
INSERT INTO new_handoffs (host, chars, bytes, framed_chars, framed_bytes) VALUES ('h', 90001, 90001, 90400, 90400);

-- refuses: unknown_peer
INSERT INTO new_handoffs (sender) VALUES ('nobody');
INSERT INTO new_handoffs (recipient) VALUES ('nobody');
INSERT INTO new_handoffs (recipient) VALUES (NULL);

-- refuses: sender_and_recipient_must_differ
INSERT INTO new_handoffs (sender) VALUES ('x');

-- A pull peer, an unsupported client, another session or program than the peer's, and what would be an option to ssh.
-- refuses: handoff_route_unsupported
INSERT INTO new_handoffs (recipient, harness, target) VALUES ('b', 'test', NULL);
INSERT INTO new_handoffs (recipient, harness, target) VALUES ('z', 'opencode', 'ses_1');
INSERT INTO new_handoffs (target) VALUES (9);
INSERT INTO new_handoffs (harness, generation) VALUES ('codex', NULL);
INSERT INTO new_handoffs (host) VALUES ('-oProxyCommand=x');
INSERT INTO new_handoffs (host) VALUES ('h;x');
INSERT INTO new_handoffs (host) VALUES ('h x');
INSERT INTO new_handoffs (host) VALUES ('');
INSERT INTO new_handoffs (host) VALUES ('h' || char(0));
INSERT INTO new_handoffs (host) VALUES ('hé');
INSERT INTO new_handoffs (host) VALUES (char(92));

-- refuses: unsupported_target_generation
INSERT INTO new_handoffs (recipient, harness, target) VALUES ('y', 'codex', 2);

-- refuses: target_generation_unavailable
INSERT INTO new_handoffs (generation) VALUES (NULL);

-- refuses: invalid_target_generation
INSERT INTO new_handoffs (generation) VALUES ('');
INSERT INTO new_handoffs (generation) VALUES (printf('%0257d', 1));
INSERT INTO new_handoffs (generation) VALUES ('a' || char(0));
INSERT INTO new_handoffs (generation) VALUES ('a' || char(10));
INSERT INTO new_handoffs (generation) VALUES ('a' || char(127));
INSERT INTO new_handoffs (generation) VALUES ('a' || char(133));
INSERT INTO new_handoffs (generation) VALUES (x'61');

-- refuses: native_context_capacity
INSERT INTO new_handoffs (context) VALUES (json_object('a', printf('%04089d', 1)));

-- refuses: invalid_handoff
INSERT INTO new_handoffs (context) VALUES ('[]');
INSERT INTO new_handoffs (context) VALUES ('{');
INSERT INTO new_handoffs (context) VALUES (x'7b7d');
INSERT INTO new_handoffs (digest) VALUES (NULL);
INSERT INTO new_handoffs (digest) VALUES (printf('%063d', 7));
INSERT INTO new_handoffs (digest) VALUES (upper(printf('%063d', 7) || 'a'));
INSERT INTO new_handoffs (digest) VALUES (printf('%063d', 7) || char(0));
INSERT INTO new_handoffs (home) VALUES ('relative');
INSERT INTO new_handoffs (home) VALUES (x'2f');
INSERT INTO new_handoffs (home) VALUES ('/' || char(0));
INSERT INTO new_handoffs (home) VALUES (printf('/%04096d', 1));

-- refuses: handoff_clock_unavailable
INSERT INTO new_handoffs (boot) VALUES (NULL);
INSERT INTO new_handoffs (boot) VALUES ('1');
INSERT INTO new_handoffs (at_ns) VALUES (NULL);
INSERT INTO new_handoffs (at_ns) VALUES (-1);
INSERT INTO new_handoffs (at_ns) VALUES ('x');
INSERT INTO new_handoffs (at_ns) VALUES (9223372036854775807);
INSERT INTO new_handoffs (at_ns) VALUES (1.5);

-- refuses: invalid_time
INSERT INTO new_handoffs (at) VALUES (NULL);
INSERT INTO new_handoffs (at) VALUES (9e999);

INSERT INTO peer_retirements (peer, action) VALUES ('x', 'retired');

-- refuses: peer_retired
INSERT INTO new_handoffs (id) VALUES (1);

INSERT INTO peer_retirements (peer, action) VALUES ('x', 'restored');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000099', 'a', 'b', 'An ordinary message.');

INSERT INTO new_handoffs (id) VALUES (1);
INSERT INTO new_handoffs (id, recipient, harness, target, home, context, generation, framed_chars, framed_bytes)
VALUES (
  2, 'y', 'codex', 2, printf('/%04095d', 1), json_object('a', printf('%04088d', 1)), NULL, 32768, 32768
);
INSERT INTO new_handoffs (id, recipient, harness, target, host, generation, chars, bytes, framed_chars, framed_bytes)
VALUES (3, 'y', 'codex', 2, 'me@[::1%eth0]:22', NULL, 1000, 1000, 30000, 32768);
INSERT INTO new_handoffs (id, host, generation, chars, bytes, framed_chars, framed_bytes)
VALUES (4, 'h', NULL, 90000, 360000, 1000000, 4000000);
INSERT INTO new_handoffs (id, chars, bytes) VALUES (5, 1000000, 4000000);

-- An id is issued once, and never that of a message.
-- refuses: handoff_id_reused
INSERT INTO new_handoffs (id) VALUES (1);
INSERT INTO new_handoffs (id) VALUES (99);

-- prints: validated|not_attempted|prepared|not_requested|not_requested|none|not_requested
SELECT state, submission, phase, ack, observation, wait_for, wait FROM seen WHERE n = 1;

-- Preparing saves no message and tells nobody.
-- prints: 0|0|0
SELECT (SELECT count(*) FROM messages WHERE recipient = 'x'), (SELECT count(*) FROM inbox_v WHERE recipient = 'x'),
  (SELECT count(*) FROM notice_claims);

-- refuses: handoff_binding_conflict
UPDATE handoffs SET digest = printf('%064d', 8);
UPDATE handoffs SET generation = 'gen-2' WHERE id = '10000000-0000-4000-8000-000000000001';
UPDATE handoffs SET id = '10000000-0000-4000-8000-000000000006' WHERE id = '10000000-0000-4000-8000-000000000001';
UPDATE handoffs SET at_ns = at_ns;

-- refuses: handoff_fence_retained
DELETE FROM handoffs;
DELETE FROM handoffs WHERE id = '10000000-0000-4000-8000-000000000001';

-- 32 MiB hold 1,023 handoffs with their details.
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(101, 1118);

-- prints: 1023
SELECT count(*) FROM handoffs;

-- refuses: handoff_ledger_capacity
INSERT INTO new_handoffs (id) VALUES (6);

-- After 30 days of one boot only the fence is left, and there is room again.
-- refuses: handoff_phase_illegal
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), 2592000000000999);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 2), 2592000000001000);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 2592000000001000);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), NULL);

-- refuses: handoff_id_unknown
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', printf('%064d', 1), 2592000000001000);

INSERT INTO handoff_tombstones (handoff, boot, at_ns)
SELECT id, printf('%064d', 1), 2592000000001000 FROM handoffs WHERE id < '10000000-0000-4000-8000-000000000002';

-- changes nothing
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), 2592000000001000);

-- refuses: handoff_fence_retained
DELETE FROM handoff_tombstones;

-- refuses: record_is_permanent
UPDATE handoff_tombstones SET at = 0;

INSERT INTO new_handoffs (id, at_ns) VALUES (6, 2000);

-- The others are old enough by then.
-- refuses: handoff_phase_illegal
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', printf('%064d', 1), 2592000000001999);

-- refuses: handoff_ledger_capacity
INSERT INTO new_handoffs (id) VALUES (7);

-- prints: unknown|unknown|tombstone
SELECT state, submission, phase FROM seen WHERE n = 1;

-- Expired, a handoff still can't be sent, refused or waited for.
-- refuses: handoff_history_unavailable
INSERT INTO new_attempts (handoff) VALUES (1);
INSERT INTO new_waits (seconds, at_ns) VALUES (30, 3000);
INSERT INTO new_outcomes (submission, fenced, ack_requested, observe) VALUES ('refused', 0, 0, 0);
