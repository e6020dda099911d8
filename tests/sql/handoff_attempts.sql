-- The rules of the one attempt: the fence, its authority, its outcome. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, 12);
INSERT INTO new_handoffs (id, recipient, harness, target, generation)
SELECT value, 'y', 'codex', 2, NULL FROM generate_series(21, 22);

-- A fence needs a prepared handoff that is still what was prepared.
-- refuses: handoff_id_unknown
INSERT INTO new_attempts (handoff) VALUES (99);
INSERT INTO handoff_attempts DEFAULT VALUES;

-- refuses: handoff_binding_conflict
INSERT INTO new_attempts (generation) VALUES ('gen-2');
INSERT INTO new_attempts (generation) VALUES (NULL);
INSERT INTO new_attempts (recipient) VALUES ('y');
INSERT INTO new_attempts (host) VALUES ('h');
INSERT INTO new_attempts (digest) VALUES (8);
INSERT INTO new_attempts (sender) VALUES ('b');

-- refuses: handoff_native_context_changed
INSERT INTO new_attempts (context) VALUES ('{}');

-- refuses: invalid_handoff
INSERT INTO new_attempts (ack_requested) VALUES (NULL);
INSERT INTO new_attempts (ack_requested) VALUES (2);

-- refuses: handoff_clock_unavailable
INSERT INTO new_attempts (at_ns) VALUES (NULL);
INSERT INTO new_attempts (at_ns) VALUES (999);
INSERT INTO new_attempts (at_ns) VALUES (-1);
INSERT INTO new_attempts (boot) VALUES (NULL);

-- Nothing of an attempt can be there before its fence: no authority, no message, no outcome, no receipt, no wait.
-- refuses: receipt_authority_unavailable
INSERT INTO new_capabilities (handoff) VALUES (1);
INSERT INTO new_receipts (at_ns) VALUES (3000);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- refuses: handoff_phase_illegal
INSERT INTO new_outcomes (handoff) VALUES (1);
INSERT INTO new_outcomes (submission) VALUES ('refused');
INSERT INTO new_outcomes (submission) VALUES ('unknown');

-- refuses: handoff_not_attempted
INSERT INTO new_waits (seconds, at_ns) VALUES (30, 3000);

-- refuses: receipt_submission_unconfirmed
INSERT INTO new_receipts (assurance, at_ns) VALUES ('operator_confirmed', 3000);

INSERT INTO new_attempts (handoff) VALUES (1);

-- The attempt is spent: for every later one, and under every clause.
-- refuses: handoff_already_attempted
INSERT INTO new_attempts (handoff) VALUES (1);
INSERT INTO new_attempts (at_ns) VALUES (5000);
INSERT INTO new_attempts (generation) VALUES ('gen-2');
INSERT INTO new_outcomes (submission, fenced, ack_requested, observe, reason)
VALUES ('refused', 0, 0, 0, 'insufficient_budget');

-- refuses: record_is_permanent
UPDATE handoff_attempts SET at_ns = 0;
UPDATE handoff_attempts SET handoff = '10000000-0000-4000-8000-000000000002';

-- refuses: handoff_fence_retained
DELETE FROM handoff_attempts;

-- prints: attempted|unknown|unknown
SELECT phase, submission, state FROM seen WHERE n = 1;

-- A token: once, after the fence and before the message, and only where it was asked for.
-- refuses: receipt_authority_unavailable
INSERT INTO new_capabilities (hash) VALUES ('x');
INSERT INTO new_capabilities (hash) VALUES (NULL);
INSERT INTO new_capabilities (handoff) VALUES (2);
INSERT INTO new_capabilities (handoff) VALUES (99);

INSERT INTO new_capabilities (handoff) VALUES (1);

-- refuses: receipt_authority_unavailable
INSERT INTO new_capabilities (handoff) VALUES (1);
INSERT INTO new_capabilities (hash) VALUES (8);

-- refuses: record_is_permanent
UPDATE handoff_capabilities SET hash = printf('%064d', 8);
DELETE FROM handoff_capabilities;

INSERT INTO new_attempts (handoff, ack_requested) VALUES (2, 0);
INSERT INTO new_sends (handoff, hash, submission) VALUES (3, NULL, NULL);
INSERT INTO new_attempts (handoff, at_ns) VALUES (4, 86400000001000);
INSERT INTO new_attempts (handoff, boot) VALUES (5, 2);
INSERT INTO new_attempts (handoff, recipient, generation) VALUES (21, 'y', NULL);

-- refuses: receipt_authority_unavailable
INSERT INTO new_capabilities (handoff) VALUES (2);
INSERT INTO new_capabilities (handoff) VALUES (3);
INSERT INTO new_capabilities (handoff) VALUES (21);

-- refuses: receipt_authority_expired
INSERT INTO new_capabilities (handoff) VALUES (4);
INSERT INTO new_capabilities (handoff) VALUES (5);

-- The outcome: once, by the one who made the attempt; submitted only with the answer and after the message.
-- refuses: handoff_phase_illegal
INSERT INTO new_outcomes (handoff) VALUES (1);

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- refuses: invalid_native_profile
INSERT INTO new_outcomes (native) VALUES (NULL);
INSERT INTO new_outcomes (native) VALUES ('[]');
INSERT INTO new_outcomes (native) VALUES ('x');

-- refuses: native_snapshot_capacity
INSERT INTO new_outcomes (native) VALUES (json_object('a', printf('%08185d', 1)));

-- refuses: invalid_handoff
INSERT INTO new_outcomes (submission, reason) VALUES ('unknown', 'Not a code.');
INSERT INTO new_outcomes (submission, reason) VALUES ('unknown', x'61');
INSERT INTO new_outcomes (submission, reason) VALUES ('unknown', printf('%0129d', 1));
INSERT INTO new_outcomes (submission, reason) VALUES ('unknown', 'a' || char(0));
INSERT INTO new_outcomes (ack_requested, observe) VALUES (1, 1);
INSERT INTO new_outcomes (recipient_status) VALUES ('asleep');
INSERT INTO new_outcomes (submission, queue_id) VALUES ('unknown', 'q-1');

-- refuses: handoff_clock_unavailable
INSERT INTO new_outcomes (at_ns) VALUES (1999);
INSERT INTO new_outcomes (boot) VALUES (2);
INSERT INTO new_outcomes (at_ns) VALUES (NULL);

-- refuses: handoff_phase_illegal
INSERT INTO new_outcomes (submission) VALUES ('not_submitted');
INSERT INTO new_outcomes (submission, native) VALUES (NULL, '{}');

INSERT INTO new_outcomes (native) VALUES ('{"queued":true}');

-- refuses: handoff_phase_illegal
INSERT INTO new_outcomes (native) VALUES ('{"queued":true}');
INSERT INTO new_outcomes (submission) VALUES ('unknown');
INSERT INTO new_outcomes (submission, at_ns) VALUES ('refused', 4000);

-- refuses: record_is_permanent
UPDATE handoff_outcomes SET submission = 'refused';

-- refuses: handoff_fence_retained
DELETE FROM handoff_outcomes;

-- prints: terminal|submitted|submitted|pending|{"queued":true}
SELECT phase, submission, state, ack, native_json FROM seen WHERE n = 1;

-- A refusal before the attempt spends the handoff too, and says what had been asked for.
-- refuses: handoff_phase_illegal
INSERT INTO new_outcomes (handoff, fenced, ack_requested, observe) VALUES (6, 0, 1, 0);
INSERT INTO new_outcomes (handoff, submission, fenced, ack_requested, observe) VALUES (6, 'unknown', 0, 1, 0);
INSERT INTO new_outcomes (handoff, submission, fenced, ack_requested, observe) VALUES (6, 'refused', 2, 1, 0);

-- refuses: invalid_handoff
INSERT INTO new_outcomes (handoff, submission, fenced) VALUES (6, 'refused', 0);
INSERT INTO new_outcomes (handoff, submission, fenced, ack_requested, observe) VALUES (6, 'refused', 0, 2, 0);
INSERT INTO new_outcomes (handoff, submission, fenced, ack_requested, observe) VALUES (6, 'refused', 0, 0, 2);

INSERT INTO new_outcomes (handoff, submission, fenced, ack_requested, observe, reason)
VALUES (6, 'refused', 0, 1, 1, 'insufficient_budget');

-- refuses: handoff_already_attempted
INSERT INTO new_attempts (handoff) VALUES (6);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Hello');

-- prints: terminal|refused|refused|unsupported|unsupported|insufficient_budget
SELECT phase, submission, state, ack, observation, reason FROM seen WHERE n = 6;

-- refuses: handoff_id_unknown
INSERT INTO new_outcomes (handoff, submission) VALUES (99, 'refused');

-- After a refusal no token is accepted. Where the outcome is unknown, it is kept, but is no acknowledgment.
INSERT INTO new_sends (handoff, submission, reason) VALUES (7, 'refused', 'stale_target');
INSERT INTO new_sends (handoff, submission) VALUES (8, 'unknown');

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (handoff) VALUES (7);

INSERT INTO new_receipts (handoff, at) VALUES (8, 1000.5);

-- prints: refused|unsupported|
-- prints: unknown|unsupported|1000.5
SELECT state, ack, ack_arrived_at FROM seen WHERE n IN (7, 8) ORDER BY n;

-- Everything in one moment, with the largest answer.
INSERT INTO new_attempts (handoff, at_ns) VALUES (10, 1000);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000010', 'a', 'x', 'Hello');
INSERT INTO new_outcomes (handoff, native, at_ns) VALUES (10, json_object('a', printf('%08184d', 1)), 1000);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (10, 'operator_confirmed', 1000);

-- prints: acknowledged|8192
SELECT state, length(native_json) FROM seen WHERE n = 10;

-- The message is the one that was prepared.
INSERT INTO new_attempts (handoff) VALUES (9);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000009', 'a', 'y', 'Hello');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000009', 'b', 'x', 'Hello');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000009', 'a', 'x', 'Hallo!');
INSERT INTO messages (id, sender, recipient, body) VALUES ('10000000-0000-4000-8000-000000000009', 'a', 'x', 'Hällo');

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000098', 'x', 'a', 'A question.');

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, in_reply_to, body)
VALUES ('10000000-0000-4000-8000-000000000009', 'a', 'x', '10000000-0000-4000-8000-000000000098', 'Hello');
