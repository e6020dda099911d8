-- The rules of receipts and of the one acknowledgment. script.rs explains the notation.

.read tests/sql/fixtures/handoffs.sql
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO new_handoffs (id) SELECT value FROM generate_series(1, 21);
INSERT INTO new_handoffs (id, recipient, harness, target, generation)
SELECT value, 'y', 'codex', 2, NULL FROM generate_series(31, 31);

-- Codex has no generation, so nothing can be acknowledged.
INSERT INTO new_sends (handoff, recipient, generation, hash) VALUES (31, 'y', NULL, NULL);

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (handoff, assurance) VALUES (31, 'operator_confirmed');
INSERT INTO new_receipts (handoff) VALUES (31);

-- prints: submitted|unsupported
SELECT state, ack FROM seen WHERE n = 31;

-- Presented and submitted: acknowledged, and without a wait never late.
INSERT INTO new_sends (handoff) VALUES (1);

-- refuses: invalid_receipt
INSERT INTO new_receipts (receipt_id, proof) VALUES (NULL, NULL);
INSERT INTO new_receipts (assurance, receipt_id, proof) VALUES (NULL, NULL, NULL);
INSERT INTO new_receipts (assurance, receipt_id, proof) VALUES ('guess', NULL, NULL);
INSERT INTO new_receipts (receipt_id) VALUES ('x');
INSERT INTO new_receipts (assurance, proof) VALUES ('operator_confirmed', 9);

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (proof) VALUES (8);
INSERT INTO new_receipts (handoff) VALUES (99);
INSERT INTO new_receipts (proof) VALUES (NULL);
INSERT INTO new_receipts (handoff, assurance) VALUES (NULL, 'operator_confirmed');

-- refuses: handoff_clock_unavailable
INSERT INTO new_receipts (at_ns) VALUES (1999);
INSERT INTO new_receipts (at_ns) VALUES (NULL);
INSERT INTO new_receipts (at_ns) VALUES (-1);
INSERT INTO new_receipts (boot) VALUES (NULL);

-- A token counts for 24 hours from the preparation, within its boot.
-- refuses: receipt_authority_expired
INSERT INTO new_receipts (at_ns) VALUES (86400000001000);
INSERT INTO new_receipts (boot) VALUES (2);

INSERT INTO new_receipts (at_ns) VALUES (86400000000999);

-- prints: acknowledged|acknowledged|token_possession|0
SELECT state, ack, ack_assurance, is_ack_late FROM seen WHERE n = 1;

-- The same receipt again, also when its time is over; but no other receipt and no other token.
-- changes nothing
INSERT INTO new_receipts (handoff) VALUES (1);
INSERT INTO new_receipts (at_ns) VALUES (86400000005000);
INSERT INTO new_receipts (boot, at_ns) VALUES (2, 1);
INSERT INTO new_receipts (assurance) VALUES ('operator_confirmed');

-- prints nothing
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'token_possession', '40000000-0000-4000-8000-000000000001',
  printf('%064d', 9), printf('%064d', 1), 4000
)
RETURNING handoff;

-- refuses: receipt_conflict
INSERT INTO new_receipts (receipt_id) VALUES (2);

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (proof) VALUES (8);

-- refuses: record_is_permanent
UPDATE handoff_receipts SET at_ns = 0;
DELETE FROM handoff_receipts;
UPDATE handoff_acks SET late = 1;
DELETE FROM handoff_acks;

-- refuses: receipt_conflict
INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000001', 'operator_confirmed', 0, printf('%064d', 1), 4000, 1);

-- An early receipt waits for the submission, and is accepted at that time.
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns, submission) VALUES (2, 10, 1500, NULL);
INSERT INTO new_receipts (handoff, at_ns) VALUES (2, 2500);

-- changes nothing
INSERT INTO new_receipts (handoff, at_ns) VALUES (2, 2600);

-- refuses: receipt_conflict
INSERT INTO new_receipts (handoff, receipt_id, at_ns) VALUES (2, 2, 2600);

-- refuses: receipt_submission_unconfirmed
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (2, 'operator_confirmed', 2600);

-- refuses: receipt_order_unprovable
INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000002', 'token_possession', 0, printf('%064d', 1), 2500, 1);

-- prints: unknown|pending|pending
SELECT state, ack, wait FROM seen WHERE n = 2;

INSERT INTO new_outcomes (handoff, at_ns, at) VALUES (2, 4000000000, 2000.5);

-- prints: acknowledged|token_possession|0|2000500|satisfied|4000000000
SELECT v.state, v.ack_assurance, v.is_ack_late, v.ack_received_at_utc_ms, v.wait, a.at_ns FROM seen AS v
JOIN handoff_acks AS a ON a.handoff = v.correlation_id
WHERE v.n = 2;

-- The same, but the submission is known only when the first wait is over (5 s are kept for cleaning up).
INSERT INTO new_sends (handoff, wait_seconds, submission) VALUES (3, 10, NULL);
INSERT INTO new_receipts (handoff, at_ns) VALUES (3, 2000);
INSERT INTO new_outcomes (handoff, at_ns) VALUES (3, 5000000000);

-- prints: acknowledged|1|timed_out_unknown|
SELECT state, is_ack_late, wait, wait_reason FROM seen WHERE n = 3;

-- The same, but the token's time is over by then.
INSERT INTO new_sends (handoff, submission) VALUES (21, NULL);
INSERT INTO new_receipts (handoff, at_ns) VALUES (21, 86400000000999);
INSERT INTO new_outcomes (handoff, at_ns) VALUES (21, 86400000001000);

-- prints: submitted|
SELECT state, ack_assurance FROM seen WHERE n = 21;

-- The same, but the outcome is unknown: the early receipt never becomes an acknowledgment, and proves that it arrived.
INSERT INTO new_sends (handoff, wait_seconds, wait_at_ns, submission) VALUES (4, 10, 1500, NULL);
INSERT INTO new_receipts (handoff, at_ns, at) VALUES (4, 2500, 1000.5);

-- prints: unknown|pending|1000.5|pending|
SELECT state, ack, ack_arrived_at, wait, wait_reason FROM seen WHERE n = 4;

INSERT INTO new_outcomes (handoff, submission) VALUES (4, 'unknown');

-- prints: unknown|unsupported|1000.5|failed|evidence_failed
SELECT state, ack, ack_arrived_at, wait, wait_reason FROM seen WHERE n = 4;

-- changes nothing
INSERT INTO new_receipts (handoff) VALUES (4);

-- refuses: receipt_conflict
INSERT INTO new_receipts (handoff, receipt_id) VALUES (4, 2);

-- refuses: receipt_submission_unconfirmed
INSERT INTO new_receipts (handoff, assurance) VALUES (4, 'operator_confirmed');

-- refuses: receipt_order_unprovable
INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
VALUES ('10000000-0000-4000-8000-000000000004', 'token_possession', 0, printf('%064d', 1), 2500, 1000.5);

-- So is a token that is presented later, within its time. No wait is satisfied by it.
INSERT INTO new_sends (handoff, submission) VALUES (20, 'unknown');

-- refuses: receipt_authority_unavailable
INSERT INTO new_receipts (handoff, proof) VALUES (20, 8);

-- refuses: receipt_authority_expired
INSERT INTO new_receipts (handoff, at_ns) VALUES (20, 86400000001000);
INSERT INTO new_receipts (handoff, boot) VALUES (20, 2);

INSERT INTO new_receipts (handoff, at) VALUES (20, 1000.5);
INSERT INTO new_waits (handoff) VALUES (20);

-- prints: unknown|unknown|unsupported|||1000.5|unsupported|evidence_unsupported
SELECT state, submission, ack, ack_assurance, is_ack_late, ack_arrived_at, wait, wait_reason FROM seen WHERE n = 20;

-- Of what is acknowledged it is not shown.
-- prints: acknowledged|
SELECT state, ack_arrived_at FROM seen WHERE n = 3;

-- At the deadline is late; the wait stays timed out, and a later one is satisfied.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (5, 10);

INSERT INTO new_receipts (handoff, at_ns) VALUES (5, 5000000000);

-- prints: acknowledged|1|timed_out_unknown
SELECT state, is_ack_late, wait FROM seen WHERE n = 5;

INSERT INTO new_waits (handoff, number, at_ns) VALUES (5, 2, 6000000000);

-- prints: acknowledged|1|satisfied
SELECT state, is_ack_late, wait FROM seen WHERE n = 5;

-- prints: 1|timed_out_unknown
-- prints: 2|satisfied
SELECT number, status FROM seen_waits WHERE n = 5 ORDER BY number;

-- One nanosecond before it is not.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (6, 10);
INSERT INTO new_receipts (handoff, at_ns) VALUES (6, 4999999999);

-- prints: acknowledged|0|satisfied
SELECT state, is_ack_late, wait FROM seen WHERE n = 6;

-- Late is measured against the first wait, also when a later one is satisfied in time.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (7, 10);
INSERT INTO new_wait_ends (handoff, status, at_ns) VALUES (7, 'timed_out_unknown', 5000000000);
INSERT INTO new_waits (handoff, number, seconds, at_ns) VALUES (7, 2, 30, 6000000000);
INSERT INTO new_receipts (handoff, at_ns) VALUES (7, 7000000000);

-- prints: acknowledged|1|satisfied
SELECT state, is_ack_late, wait FROM seen WHERE n = 7;

-- No wait, a statement of the sender: not late.
INSERT INTO new_sends (handoff, hash) VALUES (8, NULL);
INSERT INTO new_receipts (handoff, assurance, boot) VALUES (8, 'operator_confirmed', 2);

-- prints: acknowledged|operator_confirmed|0
SELECT state, ack_assurance, is_ack_late FROM seen WHERE n = 8;

-- changes nothing
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (8, 'operator_confirmed', 5000);

-- A first wait that comes afterwards doesn't make it late.
INSERT INTO new_waits (handoff, seconds, at_ns) VALUES (8, 6, 9000000000);

-- prints: acknowledged|0|satisfied
SELECT state, is_ack_late, wait FROM seen WHERE n = 8;

-- A statement while the first wait is pending proves no order.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (9, 10);

-- refuses: receipt_order_unprovable
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (9, 'operator_confirmed', 4999999999);

-- After the time-out it is accepted, and late. It satisfies a later wait that is pending.
INSERT INTO new_wait_ends (handoff, status, at_ns) VALUES (9, 'timed_out_unknown', 5000000000);
INSERT INTO new_waits (handoff, number, at_ns) VALUES (9, 2, 8000000000);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (9, 'operator_confirmed', 9000000000);

-- prints: acknowledged|operator_confirmed|1|satisfied
SELECT state, ack_assurance, is_ack_late, wait FROM seen WHERE n = 9;

-- A token after the statement: the acknowledgment that is there stays.
-- refuses: receipt_conflict
INSERT INTO new_receipts (handoff, at_ns) VALUES (9, 10000000000);

-- After a first wait that was stopped a statement is accepted. The deadline counts all the same.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (10, 10);
INSERT INTO new_wait_ends (handoff, status, reason) VALUES (10, 'stopped', 'stopped_by_operator');
INSERT INTO new_receipts (handoff, assurance, at_ns, at) VALUES (10, 'operator_confirmed', 4999999999, 3000.5);
INSERT INTO new_sends (handoff, wait_seconds) VALUES (14, 10);
INSERT INTO new_wait_ends (handoff, status, reason) VALUES (14, 'stopped', 'stopped_by_operator');
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (14, 'operator_confirmed', 5000000000);

-- prints: acknowledged|0|3000500|stopped
-- prints: acknowledged|1|1000000000000|stopped
SELECT state, is_ack_late, ack_received_at_utc_ms, wait FROM seen WHERE n IN (10, 14) ORDER BY n;

-- From the deadline on a statement is accepted, whether or not the end is recorded; and so it is in another boot.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (15, 10);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (15, 'operator_confirmed', 5000000000);
INSERT INTO new_sends (handoff, wait_seconds) VALUES (16, 10);
INSERT INTO new_receipts (handoff, assurance, boot, at_ns) VALUES (16, 'operator_confirmed', 2, 1);

-- prints: acknowledged|1|timed_out_unknown|
-- prints: acknowledged|1|failed|history_unavailable
SELECT state, is_ack_late, wait, wait_reason FROM seen WHERE n IN (15, 16) ORDER BY n;

-- A wait that could not begin is no first wait: too short, unsupported, of another boot.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (11, 5);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (11, 'operator_confirmed', 9000000000);
INSERT INTO new_sends (handoff, hash, wait_seconds) VALUES (12, NULL, 10);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (12, 'operator_confirmed', 9000000000);
INSERT INTO new_sends (handoff) VALUES (13);
INSERT INTO new_waits (handoff, boot, at_ns) VALUES (13, 2, 0);
INSERT INTO new_receipts (handoff, at_ns) VALUES (13, 9000000000);
INSERT INTO new_sends (handoff, wait_seconds) VALUES (17, 5);
INSERT INTO new_receipts (handoff, at_ns) VALUES (17, 9000000000);

-- prints: acknowledged|operator_confirmed|0|failed|insufficient_budget
-- prints: acknowledged|operator_confirmed|0|unsupported|evidence_unsupported
-- prints: acknowledged|token_possession|0|failed|history_unavailable
-- prints: acknowledged|token_possession|0|failed|insufficient_budget
SELECT state, ack_assurance, is_ack_late, wait, wait_reason FROM seen WHERE n IN (11, 12, 13, 17) ORDER BY n;

-- Then the next wait is the first one.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (18, 5);
INSERT INTO new_waits (handoff, number, at_ns) VALUES (18, 2, 1000000000);

-- refuses: receipt_order_unprovable
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (18, 'operator_confirmed', 5999999999);

INSERT INTO new_receipts (handoff, at_ns) VALUES (18, 6000000000);

-- prints: acknowledged|token_possession|1|timed_out_unknown
SELECT state, ack_assurance, is_ack_late, wait FROM seen WHERE n = 18;

-- A later wait that is pending stops no statement.
INSERT INTO new_sends (handoff, wait_seconds) VALUES (19, 10);
INSERT INTO new_wait_ends (handoff, status, at_ns) VALUES (19, 'timed_out_unknown', 5000000000);
INSERT INTO new_waits (handoff, number, seconds, at_ns) VALUES (19, 2, 60, 6000000000);
INSERT INTO new_receipts (handoff, assurance, at_ns) VALUES (19, 'operator_confirmed', 7000000000);

-- prints: acknowledged|1|satisfied
SELECT state, is_ack_late, wait FROM seen WHERE n = 19;
