-- A quarantine ends everything by one statement. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, 9);

-- Prepared, attempted, submitted and pending, acknowledged and satisfied, timed out, refused, stopped.
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns, submission) VALUES (2, 30, 1500, NULL);
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns) VALUES (3, 30, 1500);
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns) VALUES (4, 30, 1500);
INSERT INTO new_receipts (handoff) VALUES (4);
INSERT INTO new_sends (handoff, wait_seconds) VALUES (5, 10);
INSERT INTO new_wait_ends (handoff, status, at_ns) VALUES (5, 'timed_out_unknown', 6000000000);
INSERT INTO new_sends (handoff, submission, reason) VALUES (6, 'refused', 'stale_target');
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns) VALUES (7, 30, 1500);
INSERT INTO new_wait_ends (handoff, status, reason) VALUES (7, 'stopped', 'stopped_by_operator');

-- prints: 1|validated|not_attempted|not_requested|not_requested|
-- prints: 2|unknown|unknown|pending|pending|
-- prints: 3|submitted|submitted|pending|pending|
-- prints: 4|acknowledged|submitted|acknowledged|satisfied|
-- prints: 5|timed_out_unknown|submitted|pending|timed_out_unknown|
-- prints: 6|refused|refused|unsupported|not_requested|
-- prints: 7|submitted|submitted|pending|stopped|stopped_by_operator
SELECT n, state, submission, ack, wait, wait_reason FROM seen
WHERE n < 8 ORDER BY n;

-- In doubt, with a token that arrived.
INSERT INTO new_sends (handoff, submission) VALUES (8, 'unknown');
INSERT INTO new_receipts (handoff, at) VALUES (8, 1000.5);

-- prints: unknown|1000.5
SELECT state, ack_arrived_at FROM seen WHERE n = 8;

INSERT INTO handoff_quarantines (epoch) VALUES ((SELECT epoch FROM handoff_epoch_v));

-- prints: unknown||quarantined
SELECT state, ack_arrived_at, phase FROM seen WHERE n = 8;

-- prints: 1|unknown|unknown|not_requested|not_requested||||quarantined
-- prints: 2|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 3|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 4|unknown|unknown|unsupported|failed|history_unavailable|||quarantined
-- prints: 5|unknown|unknown|unsupported|timed_out_unknown||||quarantined
-- prints: 6|unknown|unknown|unsupported|not_requested||||quarantined
-- prints: 7|unknown|unknown|unsupported|stopped|stopped_by_operator|||quarantined
SELECT n, state, submission, ack, wait, wait_reason, ack_assurance,
  native_json, phase FROM seen
WHERE n < 8 ORDER BY n;

-- prints: 2|failed|history_unavailable
-- prints: 3|failed|history_unavailable
-- prints: 4|failed|history_unavailable
-- prints: 5|timed_out_unknown|
-- prints: 7|stopped|stopped_by_operator
SELECT n, status, reason FROM seen_waits ORDER BY n;

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
INSERT INTO new_attempts (handoff) VALUES (1);
INSERT INTO new_outcomes (handoff, at_ns) VALUES (2, 4000);
INSERT INTO new_outcomes (handoff, submission, at_ns) VALUES (3, 'unknown', 4000);
INSERT INTO new_waits (handoff, number) VALUES (3, 2);
INSERT INTO new_waits (handoff, number) VALUES (4, 2);
INSERT INTO new_wait_ends (handoff, status, at_ns) VALUES (3, 'timed_out_unknown', 90000000000);
INSERT INTO new_wait_ends (handoff, status, reason) VALUES (2, 'stopped', 'stopped_by_operator');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(10, 10);

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (handoff) VALUES (2);
INSERT INTO new_receipts (handoff) VALUES (3);
INSERT INTO new_receipts (handoff, at_ns) VALUES (4, 5000);
INSERT INTO new_receipts (handoff, assurance) VALUES (3, 'operator_confirmed');
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (4, 'operator_confirmed', 5000);
INSERT INTO new_capabilities (handoff) VALUES (2);

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
INSERT INTO new_attempts (handoff) VALUES (1);
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(10, 10);

-- refuses: handoff_id_reused
INSERT INTO new_handoffs (id, epoch) SELECT value, 2 FROM generate_series(1, 1);

INSERT INTO new_handoffs (id, epoch) SELECT value, 2 FROM generate_series(10, 10);

-- prints: validated|20000000-0000-4000-8000-000000000002
SELECT state, ledger_epoch FROM seen WHERE n = 10;
