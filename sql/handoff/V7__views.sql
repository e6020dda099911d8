-- The views of Handoff v1: what people and programs read. None shows a digest, a hash, a proof or a body.

CREATE VIEW handoff_waits_v AS
-- Every wait for a handoff, one row each. NULL where there is nothing.
SELECT
  w.handoff AS correlation_id, -- the handoff
  w.number, -- 1 is the first one, whose deadline decides what is late
  w.operation AS operation_id, -- the wait's own id
  w.goal AS wait_for, -- acknowledged or delivered
  CASE
    WHEN q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied') THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS status, -- pending, satisfied, timed_out_unknown, stopped, unsupported, failed
  iif(q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied'), 'history_unavailable', e.reason)
    AS reason, -- why, where it is stopped, unsupported or failed
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS deadline_at_utc_ms, -- until when; shown only, the clock below decides
  w.boot AS deadline_boot, -- the boot whose clock decides
  w.deadline_ns -- the deadline on that clock; then and later is expired
FROM handoff_waits AS w
JOIN handoffs AS h ON h.id = w.handoff
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_v AS
-- Every handoff with what is proven of it, one row each. NULL where there is nothing. A view has no clock: whether a
-- pending acknowledgment or wait is over by now, the columns authority_… and wait_… tell the one who knows the time.
SELECT
  h.id AS correlation_id, -- its id, and that of its message
  h.epoch AS ledger_epoch, -- the history that it belongs to
  h.sender, -- the peer who hands over
  h.recipient, -- the peer who is to get it
  h.harness, -- the recipient's program: claude or codex
  h.host, -- the SSH destination; NULL: this machine
  h.generation AS target_generation, -- the one process it is for; NULL where the client has no such thing
  CASE
    WHEN q.epoch IS NOT NULL THEN 'quarantined'
    WHEN t.handoff IS NOT NULL THEN 'tombstone'
    WHEN o.handoff IS NOT NULL THEN 'terminal'
    WHEN a.handoff IS NOT NULL THEN 'attempted'
    ELSE 'prepared'
  END AS phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN e.status = 'timed_out_unknown' AND coalesce(o.submission, 'unknown') <> 'refused' THEN 'timed_out_unknown'
    WHEN o.handoff IS NULL AND a.handoff IS NULL THEN 'validated'
    ELSE coalesce(o.submission, 'unknown')
  END AS state, -- validated, refused, submitted, unknown, timed_out_unknown, acknowledged
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    ELSE coalesce(o.submission, iif(a.handoff IS NULL, 'not_attempted', 'unknown'))
  END AS submission, -- not_attempted, refused, submitted, unknown
  o.reason, -- why it was refused, or is unknown
  iif(coalesce(a.observe, o.observe, 0), 'unsupported', 'not_requested') AS observation, -- no route supplies it
  CASE
    WHEN q.epoch IS NULL AND t.handoff IS NULL AND k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN NOT coalesce(a.ack_requested, o.ack_requested, 0) THEN 'not_requested'
    WHEN q.epoch IS NULL AND t.handoff IS NULL AND c.handoff IS NOT NULL
      AND coalesce(o.submission, 'submitted') = 'submitted' THEN 'pending'
    ELSE 'unsupported'
  END AS ack, -- not_requested, unsupported, pending, acknowledged
  iif(q.epoch IS NULL AND t.handoff IS NULL, k.assurance, NULL) AS ack_assurance, -- see handoff_ack_due_v
  iif(q.epoch IS NULL AND t.handoff IS NULL, CAST(round(k.at * 1000) AS INTEGER), NULL)
    AS ack_received_at_utc_ms, -- when it was accepted
  iif(q.epoch IS NULL AND t.handoff IS NULL, k.late, NULL) AS is_ack_late, -- at or past the deadline of the first wait
  iif(t.handoff IS NULL, coalesce(w.goal, 'none'), 'none') AS wait_for, -- the latest wait, like all wait_…
  CASE
    WHEN w.handoff IS NULL OR t.handoff IS NOT NULL THEN 'not_requested'
    WHEN q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied') THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS wait, -- not_requested, and those of handoff_waits_v
  iif(t.handoff IS NULL, w.operation, NULL) AS wait_operation_id, -- see handoff_waits_v
  iif(t.handoff IS NULL, CAST(round(w.deadline_at * 1000) AS INTEGER), NULL)
    AS wait_deadline_at_utc_ms, -- see handoff_waits_v
  CASE
    WHEN t.handoff IS NOT NULL THEN NULL
    WHEN w.handoff IS NOT NULL AND q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied')
      THEN 'history_unavailable'
    ELSE e.reason
  END AS wait_reason, -- see handoff_waits_v
  w.boot AS wait_boot, -- the boot of wait_deadline_ns
  w.deadline_ns AS wait_deadline_ns, -- see handoff_waits_v
  h.boot AS authority_boot, -- the boot within which a receipt can be accepted
  h.at_ns + 86400000000000 AS authority_expires_ns, -- and until when
  iif(q.epoch IS NULL AND t.handoff IS NULL, o.native, NULL) AS native_json, -- what the client answered
  h.at AS prepared_at, -- when it was prepared, in Unix seconds
  a.at AS attempted_at, -- when the fence was committed
  o.at AS finished_at -- when the outcome was recorded
FROM handoffs AS h
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_capabilities AS c ON c.handoff = h.id
LEFT JOIN handoff_acks AS k ON k.handoff = h.id
LEFT JOIN handoff_waits AS w
  ON w.handoff = h.id AND w.number = (SELECT max(l.number) FROM handoff_waits AS l WHERE l.handoff = h.id)
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number;
