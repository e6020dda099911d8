-- The rules of waits for a handoff. script.rs explains the notation.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'claude', '30000000-0000-4000-8000-000000000001', '/'),
  ('y', 'codex', '30000000-0000-4000-8000-000000000002', '/'),
  ('z', 'opencode', 'ses_1', '/');
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(1, 12) WHERE true;
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', NULL, NULL, printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(31, 31) WHERE true;
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

-- refuses: handoff_id_unknown
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000099', 1, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'satisfied', NULL, printf('%064d', 1), 4000);

-- refuses: wait_timeout_must_be_between_1_and_60
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 0, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 61, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 1.5, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 'x', printf('%064d', 1), 4000);

-- refuses: wait_status_illegal
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 2, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 0, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'consumed', 10, printf('%064d', 1), 4000);

-- refuses: handoff_clock_unavailable
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 10, printf('%064d', 1), NULL);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 10, printf('%064d', 1), -1);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 10, 'boot', 4000);

-- refuses: invalid_uuid
INSERT INTO handoff_waits (handoff, number, operation, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'x', 'acknowledged', 10, printf('%064d', 1), 4000);

-- refuses: handoff_not_attempted
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000012', 1, 'acknowledged', 10, printf('%064d', 1), 4000);

INSERT INTO handoff_waits (handoff, number, operation, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, '50000000-0000-4000-8000-000000000001', 'acknowledged', 10,
  printf('%064d', 1), 0);

-- refuses: wait_status_illegal
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_waits (handoff, number, operation, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 2, '50000000-0000-4000-8000-000000000001', 'acknowledged', 10,
  printf('%064d', 1), 0);

-- refuses: record_is_permanent
UPDATE handoff_waits SET seconds = 60;
DELETE FROM handoff_waits;

-- prints: pending||5000000000
SELECT status, reason, deadline_ns FROM handoff_waits_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- How a pending wait can't end: satisfied without an acknowledgment, timed out before its deadline or by another
-- clock, stopped or failed without their reason, unsupported after it was supported.
-- refuses: wait_status_illegal
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'satisfied', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 4999999999);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', NULL, printf('%064d', 2), 5000000000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', 'evidence_failed', printf('%064d', 1),
  5000000000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'stopped', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'failed', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'failed', 'pending', printf('%064d', 1), 0);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'failed', 'stopped_by_operator', printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'failed', 'insufficient_budget', printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'unsupported', 'evidence_unsupported', printf('%064d', 1), 0);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'pending', NULL, printf('%064d', 1), 0);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, NULL, NULL, printf('%064d', 1), 4000);

-- refuses: handoff_clock_unavailable
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', NULL, printf('%064d', 1), NULL);

INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 5000000000);

-- An ended wait never changes.
-- refuses: wait_terminal
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 5000000000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'satisfied', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'stopped', 'stopped_by_operator', printf('%064d', 1), 9000000000);
UPDATE handoff_wait_ends SET status = 'satisfied';

-- refuses: record_is_permanent
DELETE FROM handoff_wait_ends;

-- prints: timed_out_unknown|submitted|timed_out_unknown
SELECT state, submission, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- What a wait is from its start: too short, for what no route observes, by another clock, after the authority.
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 2, 'acknowledged', 5, printf('%064d', 1), 6000000000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 3, 'delivered', 10, printf('%064d', 1), 6000000000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 4, 'acknowledged', 10, printf('%064d', 2), 6000000000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 5, 'acknowledged', 10, printf('%064d', 1), 86400000001000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 6, 'delivered', 1, printf('%064d', 1), 6000000000);

-- prints: 1|timed_out_unknown|
-- prints: 2|failed|insufficient_budget
-- prints: 3|unsupported|evidence_unsupported
-- prints: 4|failed|history_unavailable
-- prints: 5|unsupported|evidence_unsupported
-- prints: 6|failed|insufficient_budget
SELECT number, status, reason
FROM handoff_waits_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001' ORDER BY number;

-- An acknowledgment satisfies a new wait at once, whatever its assurance, and also a short one.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 0, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'operator_confirmed', printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 1, 'acknowledged', 6, printf('%064d', 1), 5000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 2, 'acknowledged', 1, printf('%064d', 2), 5000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 3, 'delivered', 60, printf('%064d', 1), 5000);

-- prints: 1|satisfied|
-- prints: 2|satisfied|
-- prints: 3|unsupported|evidence_unsupported
SELECT number, status, reason
FROM handoff_waits_v WHERE correlation_id = '10000000-0000-4000-8000-000000000002' ORDER BY number;

-- Without authority there is nothing to wait for: Codex, and what was not asked for.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000031', 'a', 'y', NULL, NULL, printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'y', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000031', 1, 'acknowledged', 10, printf('%064d', 1), 2000);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 0, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 1, 'acknowledged', 10, printf('%064d', 1), 2000);

-- prints: unsupported|evidence_unsupported
-- prints: unsupported|evidence_unsupported
SELECT status, reason FROM handoff_waits_v
WHERE correlation_id IN ('10000000-0000-4000-8000-000000000031', '10000000-0000-4000-8000-000000000003');

-- The wait of a send that was refused before its attempt says why.
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, reason, boot, at_ns)
SELECT '10000000-0000-4000-8000-' || printf('%012d', 4 + key), 'refused', 0, 1, 0, value, printf('%064d', 1), 3000
FROM json_each('["insufficient_budget", "deadline_before_effect", "evidence_unsupported", "stopped_by_operator",
  "target_generation_unavailable"]');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 1, 'acknowledged', 5, printf('%064d', 1), 3000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000005', 1, 'acknowledged', 10, printf('%064d', 1), 3000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 1, 'delivered', 10, printf('%064d', 1), 3000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 1, 'acknowledged', 10, printf('%064d', 1), 3000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 1, 'acknowledged', 10, printf('%064d', 1), 3000);

-- prints: failed|insufficient_budget
-- prints: failed|deadline_before_effect
-- prints: unsupported|evidence_unsupported
-- prints: stopped|stopped_by_operator
-- prints: failed|evidence_failed
SELECT status, reason FROM handoff_waits_v
WHERE correlation_id BETWEEN '10000000-0000-4000-8000-000000000004' AND '10000000-0000-4000-8000-000000000008'
  ORDER BY correlation_id;

-- An attempt that did not end in a submission ends its waits; interrupted, they are stopped.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000009', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000009', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000009', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 1, 'acknowledged', 10, printf('%064d', 1), 2000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 'refused', 1, NULL, 'stale_target', printf('%064d', 1), 3000);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000010', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000010', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000010', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000010', 1, 'acknowledged', 10, printf('%064d', 1), 2000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000010', 'unknown', 1, NULL, 'stopped_by_operator', printf('%064d', 1), 3000);

-- prints: refused|failed|evidence_failed
-- prints: unknown|stopped|stopped_by_operator
SELECT state, wait, wait_reason FROM handoff_v
WHERE correlation_id BETWEEN '10000000-0000-4000-8000-000000000009' AND '10000000-0000-4000-8000-000000000010'
  ORDER BY correlation_id;

-- 64 waits.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000011', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000011', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000011', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 64)
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
SELECT '10000000-0000-4000-8000-000000000011', n, 'acknowledged', 5, printf('%064d', 1), 4000 FROM n;

-- refuses: handoff_wait_capacity
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 65, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 1, 'acknowledged', 10, printf('%064d', 1), 4000);

-- The native facts stay as they are.
-- prints: submitted|64
SELECT submission, (SELECT count(*) FROM handoff_waits WHERE handoff = correlation_id) FROM handoff_v
WHERE correlation_id = '10000000-0000-4000-8000-000000000011';
