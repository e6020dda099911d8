-- The rules of the one attempt: the fence, its authority, its outcome. script.rs explains the notation.

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
FROM generate_series(21, 22) WHERE true;

-- A fence needs a prepared handoff that is still what was prepared.
-- refuses: handoff_id_unknown
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000099', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts DEFAULT VALUES;

-- refuses: handoff_binding_conflict
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-2', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, NULL, printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'y', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', 'h', 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 8), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'b', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: handoff_native_context_changed
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, context, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, '{}', 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: invalid_handoff
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), NULL, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 2, 0,
  printf('%064d', 1), 2000
);

-- refuses: handoff_clock_unavailable
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), NULL
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 999
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), -1
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  NULL, 2000
);

-- Nothing of an attempt can be there before its fence: no authority, no message, no outcome, no receipt, no wait.
-- refuses: receipt_authority_unavailable
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 9));
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 3000
);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- refuses: handoff_phase_illegal
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'refused', 1, NULL, NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'unknown', 1, NULL, NULL, printf('%064d', 1), 3000);

-- refuses: handoff_not_attempted
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 30, printf('%064d', 1), 3000);

-- refuses: receipt_submission_unconfirmed
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'operator_confirmed', printf('%064d', 1), 3000);

INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- The attempt is spent: for every later one, and under every clause.
-- refuses: handoff_already_attempted
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 5000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-2', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'refused', 0, 0, 0, 'insufficient_budget', printf('%064d', 1), 3000);

-- refuses: record_is_permanent
UPDATE handoff_attempts SET at_ns = 0;
UPDATE handoff_attempts SET handoff = '10000000-0000-4000-8000-000000000002';

-- refuses: handoff_fence_retained
DELETE FROM handoff_attempts;

-- prints: attempted|unknown|unknown
SELECT phase, submission, state FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- Authority: once, between the fence and its message, and only where it was asked for.
-- refuses: receipt_authority_unavailable
INSERT INTO handoff_capabilities (handoff, hash) VALUES ('10000000-0000-4000-8000-000000000001', 'x');
INSERT INTO handoff_capabilities (handoff, hash) VALUES ('10000000-0000-4000-8000-000000000001', NULL);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000002', printf('%064d', 9));
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000099', printf('%064d', 9));

INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 9));

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 9));
INSERT INTO handoff_capabilities (handoff, hash) VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 8));

-- refuses: record_is_permanent
UPDATE handoff_capabilities SET hash = printf('%064d', 8);
DELETE FROM handoff_capabilities;

INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000002', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 0, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000003', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000003', 'a', 'x', 'Hello');
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000004', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 86400000001000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000005', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 2), 2000
);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000021', 'a', 'y', NULL, NULL, printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000002', printf('%064d', 9));
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000003', printf('%064d', 9));
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000021', printf('%064d', 9));

-- refuses: receipt_authority_expired
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000004', printf('%064d', 9));
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000005', printf('%064d', 9));

-- The outcome: once, by the one who made the attempt; submitted only with the answer and behind the message.
-- refuses: handoff_phase_illegal
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 1), 3000);

INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Hello');

-- refuses: invalid_native_profile
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, NULL, NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '[]', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, 'x', NULL, printf('%064d', 1), 3000);

-- refuses: native_snapshot_capacity
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, json_object('a', printf('%08190d', 1)), NULL,
  printf('%064d', 1), 3000);

-- refuses: invalid_handoff
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'unknown', 1, NULL, 'Not a code.', printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, native, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, 1, 1, '{}', printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, recipient_status, native, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, 'asleep', '{}', printf('%064d', 1), 3000);

-- refuses: handoff_clock_unavailable
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 1), 1999);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 2), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{}', NULL, printf('%064d', 1), NULL);

-- refuses: handoff_phase_illegal
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted', 1, NULL, NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 1, '{}', printf('%064d', 1), 3000);

INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{"queued":true}', NULL, printf('%064d', 1), 3000);

-- refuses: handoff_phase_illegal
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'submitted', 1, '{"queued":true}', NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'unknown', 1, NULL, NULL, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'refused', 1, NULL, NULL, printf('%064d', 1), 4000);

-- refuses: record_is_permanent
UPDATE handoff_outcomes SET submission = 'refused';

-- refuses: handoff_fence_retained
DELETE FROM handoff_outcomes;

-- prints: terminal|submitted|submitted|pending|{"queued":true}
SELECT phase, submission, state, ack, native_json
FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- A refusal before the attempt spends it too, and says what had been asked for.
-- refuses: handoff_phase_illegal
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, native, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'submitted', 0, 1, 0, '{}', printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'unknown', 0, 1, 0, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'refused', 2, 1, 0, printf('%064d', 1), 3000);

-- refuses: invalid_handoff
INSERT INTO handoff_outcomes (handoff, submission, fenced, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'refused', 0, printf('%064d', 1), 3000);

INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', 'refused', 0, 1, 1, 'insufficient_budget', printf('%064d', 1), 3000);

-- refuses: handoff_already_attempted
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000006', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

-- refuses: handoff_binding_conflict
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000006', 'a', 'x', 'Hello');

-- prints: terminal|refused|refused|unsupported|unsupported|insufficient_budget
SELECT phase, submission, state, ack, observation, reason FROM handoff_v
WHERE correlation_id = '10000000-0000-4000-8000-000000000006';

-- refuses: handoff_id_unknown
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000099', 'refused', 1, NULL, NULL, printf('%064d', 1), 3000);

-- Refused and unknown end the authority.
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
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000007', 'refused', 1, NULL, 'stale_target', printf('%064d', 1), 3000);
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000008', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_capabilities (handoff, hash)
VALUES ('10000000-0000-4000-8000-000000000008', printf('%064d', 9));
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000008', 'a', 'x', 'Hello');
INSERT INTO handoff_outcomes (handoff, submission, fenced, native, reason, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000008', 'unknown', 1, NULL, NULL, printf('%064d', 1), 3000);

-- refuses: receipt_authority_unavailable
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000007', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000008', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
);

-- prints: refused|unsupported
-- prints: unknown|unsupported
SELECT state, ack FROM handoff_v
WHERE correlation_id IN ('10000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000008')
  ORDER BY correlation_id;

-- The message is the one that was prepared.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000009', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);

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
