-- The rules of receipts and of the one acknowledgment. script.rs explains the notation.

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
FROM generate_series(1, 20) WHERE true;
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', NULL, NULL, printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(31, 31) WHERE true;

-- Codex has no generation, so nothing can be acknowledged.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000031', 'a', 'y', NULL, NULL, printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000031', 'a', 'y', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000031', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000031', 'operator_confirmed', printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000031', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);

-- prints: submitted|unsupported
SELECT state, ack FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000031';

-- Presented and submitted: acknowledged, and without a wait never late.
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

-- refuses: invalid_receipt
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'token_possession', printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'guess', printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'token_possession', 'x', printf('%064d', 9), printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, proof, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'operator_confirmed', printf('%064d', 9), printf('%064d', 1), 4000);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 8), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000099', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  NULL, printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES (NULL, 'operator_confirmed', printf('%064d', 1), 4000);

-- refuses: handoff_clock_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 1999
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), NULL
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), -1
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), NULL, 4000
);

-- The authority lives 24 hours from the intent, within its boot.
-- refuses: receipt_authority_expired
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 86400000001000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 2), 4000
);

INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 86400000000999
);

-- prints: acknowledged|acknowledged|token_possession|0
SELECT state, ack, ack_assurance, is_ack_late FROM handoff_v
WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- The same one again, also when its time is over; never another one, never another token.
-- changes nothing
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 86400000005000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 2), 1
);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'operator_confirmed', printf('%064d', 1), 4000);

-- prints nothing
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
)
RETURNING handoff;

-- refuses: receipt_conflict
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000002',
  printf('%064d', 9), printf('%064d', 1), 4000
);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 8), printf('%064d', 1), 4000
);

-- refuses: record_is_permanent
UPDATE handoff_receipts SET at_ns = 0;
DELETE FROM handoff_receipts;
UPDATE handoff_acks SET late = 1;
DELETE FROM handoff_acks;

-- refuses: receipt_conflict
INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'operator_confirmed', 0, printf('%064d', 1), 4000, 1);

-- An early receipt waits for the submission; its acceptance is then, not before.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000002', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000002', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 1, 'acknowledged', 10, printf('%064d', 1), 1500);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 2500
);

-- changes nothing
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 2600
);

-- refuses: receipt_conflict
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'token_possession', '40000000-0000-4000-8000-000000000002',
  printf('%064d', 9), printf('%064d', 1), 2600
);

-- refuses: receipt_submission_unconfirmed
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'operator_confirmed', printf('%064d', 1), 2600);

-- refuses: receipt_order_unprovable
INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000002', 'token_possession', 0, printf('%064d', 1), 2500, 1);

-- prints: unknown|pending|pending
SELECT state, ack, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000002';

INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'submitted', 1, '{}', NULL, printf('%064d', 1), 4000000000);

-- prints: acknowledged|token_possession|0|satisfied|4000000000
SELECT v.state, v.ack_assurance, v.is_ack_late, v.wait, a.at_ns FROM handoff_v AS v
JOIN handoff_acks AS a ON a.handoff = v.correlation_id
WHERE v.correlation_id = '10000000-0000-4000-8000-000000000002';

-- The same, but the submission is known only when the first wait is over (5 s are kept for cleaning up).
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000003', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 2500
);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 'submitted', 1, '{}', NULL, printf('%064d', 1), 5000000000);

-- prints: acknowledged|1|timed_out_unknown|
SELECT state, is_ack_late, wait, wait_reason
FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000003';

-- The same, but the outcome is unknown: the early receipt never becomes an acknowledgment.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000004', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000004', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 1, 'acknowledged', 10, printf('%064d', 1), 1500);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 2500
);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 'unknown', 1, NULL, NULL, printf('%064d', 1), 3000);

-- prints: unknown|unsupported|failed|evidence_failed
SELECT state, ack, wait, wait_reason FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000004';

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);

-- refuses: receipt_submission_unconfirmed
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 'operator_confirmed', printf('%064d', 1), 4000);

-- At the deadline is late; the wait stays timed out, and a later one is satisfied.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000005', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000005', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000005', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000005', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000005', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000005', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 5000000000
);

-- prints: acknowledged|1|timed_out_unknown
SELECT state, is_ack_late, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000005';

INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000005', 2, 'acknowledged', 10, printf('%064d', 1), 6000000000);

-- prints: acknowledged|1|satisfied
SELECT state, is_ack_late, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000005';

-- prints: 1|timed_out_unknown
-- prints: 2|satisfied
SELECT number, status
FROM handoff_waits_v WHERE correlation_id = '10000000-0000-4000-8000-000000000005' ORDER BY number;

-- One nanosecond before it is not.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000006', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000006', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000006', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4999999999
);

-- prints: acknowledged|0|satisfied
SELECT state, is_ack_late, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000006';

-- Late is measured against the first wait, also when a later one is satisfied in time.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000007', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000007', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000007', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 5000000000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 2, 'acknowledged', 30, printf('%064d', 1), 6000000000);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000007', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 7000000000
);

-- prints: acknowledged|1|satisfied
SELECT state, is_ack_late, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000007';

-- No wait, a statement of the sender: not late.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000008', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000008', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 'operator_confirmed', printf('%064d', 2), 4000);

-- prints: acknowledged|operator_confirmed|0
SELECT state, ack_assurance, is_ack_late FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000008';

-- changes nothing
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 'operator_confirmed', printf('%064d', 1), 5000);

-- A first wait that comes afterwards doesn't make it late.
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 1, 'acknowledged', 6, printf('%064d', 1), 9000000000);

-- prints: acknowledged|0|satisfied
SELECT state, is_ack_late, wait FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000008';

-- A statement while the first wait is pending, stopped, failed or unsupported proves no order.
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
VALUES ('10000000-0000-4000-8000-000000000009', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
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
VALUES ('10000000-0000-4000-8000-000000000010', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000010', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000010', 1, 'stopped', 'stopped_by_operator', printf('%064d', 1), 4000);
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
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 1, 'acknowledged', 5, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000012', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000012', 'a', 'x', 'Hello');
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000012', 1, 'acknowledged', 10, printf('%064d', 1), 0);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000012', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

-- prints: pending|stopped|failed|unsupported
SELECT group_concat(wait, '|') FROM (SELECT wait FROM handoff_v
WHERE correlation_id BETWEEN '10000000-0000-4000-8000-000000000009' AND '10000000-0000-4000-8000-000000000012'
  ORDER BY correlation_id);

-- refuses: receipt_order_unprovable
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 'operator_confirmed', printf('%064d', 1), 9000000000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000010', 'operator_confirmed', printf('%064d', 1), 9000000000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000011', 'operator_confirmed', printf('%064d', 1), 9000000000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000012', 'operator_confirmed', printf('%064d', 1), 9000000000);

-- Timed out, it can be made: and is late. A pending later wait learns it.
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 5000000000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 2, 'acknowledged', 10, printf('%064d', 1), 8000000000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000009', 'operator_confirmed', printf('%064d', 1), 9000000000);

-- prints: acknowledged|operator_confirmed|1|satisfied
SELECT state, ack_assurance, is_ack_late, wait FROM handoff_v
WHERE correlation_id = '10000000-0000-4000-8000-000000000009';

-- A token after the statement: the acknowledgment that is there stays.
-- refuses: receipt_conflict
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000009', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 10000000000
);

-- A first wait of another boot has another clock.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000013', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000013', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000013', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000013', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000013', 1, 'acknowledged', 10, printf('%064d', 2), 0);

-- refuses: receipt_order_unprovable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000013', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);

-- prints: failed|history_unavailable
SELECT wait, wait_reason FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000013';
