-- The rules of waits for a handoff. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, 12);
INSERT INTO new_handoffs (id, recipient, harness, target, generation)
SELECT value, 'y', 'codex', 2, NULL FROM generate_series(31, 31);
INSERT INTO new_handoffs (id, sender) VALUES (41, 'b');
INSERT INTO new_sends (handoff) VALUES (1);

-- refuses: handoff_id_unknown
INSERT INTO new_waits (handoff) VALUES (99);
INSERT INTO new_waits (peer) VALUES ('x');
INSERT INTO new_waits (peer) VALUES ('b');
INSERT INTO new_waits (peer) VALUES (NULL);
INSERT INTO new_wait_ends (status) VALUES ('satisfied');

-- refuses: wait_timeout_must_be_between_1_and_60
INSERT INTO new_waits (seconds) VALUES (0);
INSERT INTO new_waits (seconds) VALUES (61);
INSERT INTO new_waits (seconds) VALUES (NULL);
INSERT INTO new_waits (seconds) VALUES (1.5);
INSERT INTO new_waits (seconds) VALUES ('x');

-- refuses: wait_status_illegal
INSERT INTO new_waits (number) VALUES (2);
INSERT INTO new_waits (number) VALUES (0);
INSERT INTO new_waits (number) VALUES (NULL);
INSERT INTO new_waits (goal) VALUES ('consumed');

-- refuses: handoff_clock_unavailable
INSERT INTO new_waits (at_ns) VALUES (NULL);
INSERT INTO new_waits (at_ns) VALUES (-1);
INSERT INTO new_waits (boot) VALUES ('boot');

-- refuses: invalid_uuid
INSERT INTO new_waits (operation) VALUES ('x');

-- refuses: handoff_not_attempted
INSERT INTO new_waits (handoff) VALUES (12);

INSERT INTO new_waits (operation, at_ns) VALUES (1, 0);

-- refuses: handoff_id_unknown
INSERT INTO new_wait_ends (number, status, at_ns) VALUES (2, 'timed_out_unknown', 5000000000);

-- refuses: wait_status_illegal
INSERT INTO new_waits (at_ns) VALUES (0);
INSERT INTO new_waits (number, operation, at_ns) VALUES (2, 1, 0);

-- refuses: record_is_permanent
UPDATE handoff_waits SET seconds = 60;
DELETE FROM handoff_waits;

-- prints: pending||5000000000
SELECT status, reason, deadline_ns FROM seen_waits WHERE n = 1;

-- How a pending wait can't end: satisfied without an acknowledgment, timed out before its deadline or by another
-- clock, stopped or failed without their reason, unsupported after it was supported.
-- refuses: wait_status_illegal
INSERT INTO new_wait_ends (status) VALUES ('satisfied');
INSERT INTO new_wait_ends (status, at_ns) VALUES ('timed_out_unknown', 4999999999);
INSERT INTO new_wait_ends (status, boot, at_ns) VALUES ('timed_out_unknown', 2, 5000000000);
INSERT INTO new_wait_ends (status, reason, at_ns) VALUES ('timed_out_unknown', 'evidence_failed', 5000000000);
INSERT INTO new_wait_ends (status) VALUES ('stopped');
INSERT INTO new_wait_ends (status) VALUES ('failed');
INSERT INTO new_wait_ends (status, reason, at_ns) VALUES ('failed', 'pending', 0);
INSERT INTO new_wait_ends (status, reason) VALUES ('failed', 'stopped_by_operator');
INSERT INTO new_wait_ends (status, reason) VALUES ('failed', 'insufficient_budget');
INSERT INTO new_wait_ends (status, reason, at_ns) VALUES ('unsupported', 'evidence_unsupported', 0);
INSERT INTO new_wait_ends (status, at_ns) VALUES ('pending', 0);
INSERT INTO new_wait_ends (handoff) VALUES (1);

-- refuses: handoff_clock_unavailable
INSERT INTO new_wait_ends (status, at_ns) VALUES ('timed_out_unknown', NULL);

INSERT INTO new_wait_ends (status, at_ns) VALUES ('timed_out_unknown', 5000000000);

-- An ended wait never changes.
-- refuses: wait_terminal
INSERT INTO new_wait_ends (status, at_ns) VALUES ('timed_out_unknown', 5000000000);
INSERT INTO new_wait_ends (status) VALUES ('satisfied');
INSERT INTO new_wait_ends (status, reason, at_ns) VALUES ('stopped', 'stopped_by_operator', 9000000000);
UPDATE handoff_wait_ends SET status = 'satisfied';

-- refuses: record_is_permanent
DELETE FROM handoff_wait_ends;

-- prints: timed_out_unknown|submitted|timed_out_unknown
SELECT state, submission, wait FROM seen WHERE n = 1;

-- Waits that end at once: too short, for a delivery, in another boot, after the time of the token.
INSERT INTO new_waits (number, seconds, at_ns) VALUES (2, 5, 6000000000);
INSERT INTO new_waits (number, goal, at_ns) VALUES (3, 'delivered', 6000000000);
INSERT INTO new_waits (number, boot, at_ns) VALUES (4, 2, 6000000000);
INSERT INTO new_waits (number, at_ns) VALUES (5, 86400000001000);
INSERT INTO new_waits (number, goal, seconds, at_ns) VALUES (6, 'delivered', 1, 6000000000);

-- prints: 1|timed_out_unknown|
-- prints: 2|failed|insufficient_budget
-- prints: 3|unsupported|evidence_unsupported
-- prints: 4|failed|history_unavailable
-- prints: 5|unsupported|evidence_unsupported
-- prints: 6|failed|insufficient_budget
SELECT number, status, reason FROM seen_waits WHERE n = 1 ORDER BY number;

-- An acknowledgment satisfies a new wait at once, whatever its assurance, and also a short one.
INSERT INTO new_sends (handoff, ack_requested, hash) VALUES (2, 0, NULL);
INSERT INTO new_receipts (handoff, assurance) VALUES (2, 'operator_confirmed');
INSERT INTO new_waits (handoff, seconds, at_ns) VALUES (2, 6, 5000);
INSERT INTO new_waits (handoff, number, seconds, boot, at_ns) VALUES (2, 2, 1, 2, 5000);
INSERT INTO new_waits (handoff, number, goal, seconds, at_ns) VALUES (2, 3, 'delivered', 60, 5000);

-- prints: 1|satisfied|
-- prints: 2|satisfied|
-- prints: 3|unsupported|evidence_unsupported
SELECT number, status, reason FROM seen_waits WHERE n = 2 ORDER BY number;

-- Without a token there is nothing to wait for: Codex, and where none was asked for.
INSERT INTO new_sends (handoff, recipient, generation, hash, wait_seconds, wait_at_ns, submission)
VALUES (31, 'y', NULL, NULL, 10, 2000, NULL);
INSERT INTO new_sends (handoff, ack_requested, hash, wait_seconds, wait_at_ns, submission)
VALUES (3, 0, NULL, 10, 2000, NULL);

-- prints: unsupported|evidence_unsupported
-- prints: unsupported|evidence_unsupported
SELECT status, reason FROM seen_waits WHERE n IN (31, 3);

-- The wait of a send that was refused before its attempt says why.
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, reason, boot, at_ns)
SELECT '10000000-0000-4000-8000-' || printf('%012d', 4 + key), 'refused', 0, 1, 0, value, printf('%064d', 1), 3000
FROM json_each('["insufficient_budget", "deadline_before_effect", "evidence_unsupported", "stopped_by_operator",
  "target_generation_unavailable"]');
INSERT INTO new_waits (handoff, seconds, at_ns) VALUES (4, 5, 3000);
INSERT INTO new_waits (handoff, at_ns) VALUES (5, 3000);
INSERT INTO new_waits (handoff, goal, at_ns) VALUES (6, 'delivered', 3000);
INSERT INTO new_waits (handoff, at_ns) VALUES (7, 3000);
INSERT INTO new_waits (handoff, at_ns) VALUES (8, 3000);

-- prints: failed|insufficient_budget
-- prints: failed|deadline_before_effect
-- prints: unsupported|evidence_unsupported
-- prints: stopped|stopped_by_operator
-- prints: failed|evidence_failed
SELECT status, reason FROM seen_waits WHERE n BETWEEN 4 AND 8 ORDER BY n;

-- An attempt without a submission ends its waits; where it was interrupted, they are stopped.
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns, submission, reason)
VALUES (9, 10, 2000, 'refused', 'stale_target');
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns, submission, reason)
VALUES (10, 10, 2000, 'unknown', 'stopped_by_operator');

-- prints: refused|failed|evidence_failed
-- prints: unknown|stopped|stopped_by_operator
SELECT state, wait, wait_reason FROM seen WHERE n BETWEEN 9 AND 10 ORDER BY n;

-- A wait that has ended already stays as it is.
INSERT INTO new_sends (handoff, wait_seconds, submission) VALUES (12, 10, NULL);
INSERT INTO new_wait_ends (handoff, status, reason) VALUES (12, 'stopped', 'stopped_by_operator');
INSERT INTO new_outcomes (handoff, submission) VALUES (12, 'unknown');

-- prints: unknown|stopped|stopped_by_operator
SELECT state, wait, wait_reason FROM seen WHERE n = 12;

-- 64 waits.
INSERT INTO new_sends (handoff) VALUES (11);
WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 64)
INSERT INTO handoff_waits (handoff, number, peer, goal, seconds, boot, at_ns)
SELECT '10000000-0000-4000-8000-000000000011', n, 'a', 'acknowledged', 5, printf('%064d', 1), 4000 FROM n;

-- refuses: handoff_wait_capacity
INSERT INTO new_waits (handoff, number) VALUES (11, 65);
INSERT INTO new_waits (handoff) VALUES (11);

-- They change nothing of the handoff.
-- prints: submitted|64
SELECT submission, (SELECT count(*) FROM handoff_waits WHERE handoff = correlation_id) FROM seen WHERE n = 11;
