-- A quarantine ends everything by one statement. script.rs explains the notation.

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
FROM generate_series(1, 9) WHERE true;

-- Prepared, attempted, submitted and pending, acknowledged and satisfied, timed out, refused, stopped.
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
VALUES ('10000000-0000-4000-8000-000000000002', 1, 'acknowledged', 30, printf('%064d', 1), 1500);
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
VALUES ('10000000-0000-4000-8000-000000000003', 1, 'acknowledged', 30, printf('%064d', 1), 1500);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
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
VALUES ('10000000-0000-4000-8000-000000000004', 1, 'acknowledged', 30, printf('%064d', 1), 1500);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
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
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000005', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 6000000000);
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
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'refused', 1, NULL, 'stale_target', printf('%064d', 1), 3000);
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
VALUES ('10000000-0000-4000-8000-000000000007', 1, 'acknowledged', 30, printf('%064d', 1), 1500);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 1, 'stopped', 'stopped_by_operator', printf('%064d', 1), 4000);

-- prints: 1|validated|not_attempted|not_requested|not_requested|
-- prints: 2|unknown|unknown|pending|pending|
-- prints: 3|submitted|submitted|pending|pending|
-- prints: 4|acknowledged|submitted|acknowledged|satisfied|
-- prints: 5|timed_out_unknown|submitted|pending|timed_out_unknown|
-- prints: 6|refused|refused|unsupported|not_requested|
-- prints: 7|submitted|submitted|pending|stopped|stopped_by_operator
SELECT CAST(substr(correlation_id, 25) AS INTEGER) AS n, state, submission, ack, wait, wait_reason FROM handoff_v
WHERE n < 8 ORDER BY n;

INSERT INTO handoff_quarantines (epoch) VALUES ((SELECT epoch FROM handoff_epoch_v));

-- prints: 1|unknown|unknown|not_requested|not_requested||||quarantined
-- prints: 2|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 3|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 4|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 5|unknown|unknown|unsupported|timed_out_unknown||||quarantined
-- prints: 6|unknown|unknown|unsupported|not_requested||||quarantined
-- prints: 7|unknown|unknown|unsupported|stopped|stopped_by_operator|||quarantined
SELECT CAST(substr(correlation_id, 25) AS INTEGER) AS n, state, submission, ack, wait, wait_reason, ack_assurance,
  native_json, phase FROM handoff_v
WHERE n < 8 ORDER BY n;

-- prints: 2|failed|history_unavailable
-- prints: 3|failed|history_unavailable
-- prints: 4|failed|history_unavailable
-- prints: 5|timed_out_unknown|
-- prints: 7|stopped|stopped_by_operator
SELECT CAST(substr(correlation_id, 25) AS INTEGER) AS n, status, reason FROM handoff_waits_v ORDER BY n;

-- The same declaration again changes nothing, and there is no way back.
-- changes nothing
INSERT INTO handoff_quarantines (epoch) VALUES ('20000000-0000-4000-8000-000000000001');

-- refuses: handoff_history_unavailable
INSERT INTO handoff_quarantines (epoch) VALUES ((SELECT epoch FROM handoff_epoch_v));
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');

-- refuses: handoff_fence_retained
DELETE FROM handoff_quarantines;

-- refuses: record_is_permanent
UPDATE handoff_quarantines SET epoch = '20000000-0000-4000-8000-000000000002';

-- Nothing of that history moves any more.
-- refuses: handoff_history_unavailable
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 'submitted', 1, '{}', NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 'unknown', 1, NULL, NULL, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 2, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 2, 'acknowledged', 10, printf('%064d', 1), 4000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 1, 'timed_out_unknown', NULL, printf('%064d', 1), 90000000000);
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000002', 1, 'stopped', 'stopped_by_operator', printf('%064d', 1), 4000);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(10, 10) WHERE true;

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 5000
);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000003', 'operator_confirmed', printf('%064d', 1), 4000);
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000004', 'operator_confirmed', printf('%064d', 1), 5000);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000002', printf('%064d', 9));

-- refuses: handoff_phase_illegal
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), 2592000000001000);

-- What the recipient got before stays in its inbox; what was never known to be submitted stays out of it.
-- prints: 10000000-0000-4000-8000-000000000003
-- prints: 10000000-0000-4000-8000-000000000004
-- prints: 10000000-0000-4000-8000-000000000005
-- prints: 10000000-0000-4000-8000-000000000007
SELECT id FROM inbox_v WHERE recipient = 'x' ORDER BY id;

-- A new history can begin, and has nothing to do with the old one.
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000002');

-- refuses: handoff_history_unavailable
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(10, 10) WHERE true;

-- refuses: handoff_id_reused
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000002', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(1, 1) WHERE true;

INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000002', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(10, 10) WHERE true;

-- prints: validated|20000000-0000-4000-8000-000000000002
SELECT state, ledger_epoch FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000010';
