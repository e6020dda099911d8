-- The public views: what people and programs read. None shows a digest, a hash, a proof or a body.

CREATE VIEW handoff_waits_v AS
-- Every wait for a handoff, one row each. NULL where there is nothing.
SELECT
  w.handoff AS correlation_id, -- the handoff
  w.number, -- 1, 2, …; the deadline of the first one that could begin decides what is late
  w.operation AS operation_id, -- the wait's own id
  w.goal AS wait_for, -- acknowledged or delivered
  -- A quarantine ends what is pending, and takes back what was satisfied.
  CASE
    WHEN q.epoch IS NOT NULL AND coalesce(e.status, 'satisfied') = 'satisfied' THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS status, -- pending, satisfied, timed_out_unknown, stopped, unsupported, failed
  iif(q.epoch IS NOT NULL AND coalesce(e.status, 'satisfied') = 'satisfied', 'history_unavailable', e.reason)
    AS reason, -- why, where it is stopped, unsupported or failed
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS deadline_at_utc_ms, -- until when; shown only, the clock below decides
  w.boot AS deadline_boot, -- the boot whose clock decides
  w.deadline_ns -- the deadline on that clock; at and after it the wait is over
FROM handoff_waits AS w
JOIN handoffs AS h ON h.id = w.handoff
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_v AS
-- Every handoff with what is proven of it, one row each. NULL where there is nothing. A view has no clock:
-- compare the columns authority_… and wait_… with the present time to see whether something pending is over by now.
SELECT
  h.id AS correlation_id, -- its id, and that of its message
  h.epoch AS ledger_epoch, -- the history that it belongs to
  h.sender, -- the peer who hands over
  h.recipient, -- the peer who is to get it
  h.harness, -- the recipient's client
  h.host, -- the SSH destination; NULL: this machine
  h.generation AS target_generation, -- the one process it is for; NULL where the client has no such thing
  p.phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN p.phase IN ('attempted', 'terminal') AND p.submission <> 'refused' AND e.status = 'timed_out_unknown'
      THEN 'timed_out_unknown'
    WHEN p.submission = 'not_attempted' THEN 'validated'
    ELSE p.submission
  END AS state, -- validated, refused, submitted, unknown, timed_out_unknown, acknowledged
  p.submission, -- not_attempted, refused, submitted, unknown
  p.reason, -- why it was refused, or is unknown
  iif(p.observe, 'unsupported', 'not_requested') AS observation, -- no route supplies it
  CASE
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN NOT p.ack_requested THEN 'not_requested'
    ELSE iif(p.can_be_acked, 'pending', 'unsupported')
  END AS ack, -- not_requested, unsupported, pending, acknowledged
  k.assurance AS ack_assurance, -- token_possession or operator_confirmed
  CAST(round(k.at * 1000) AS INTEGER) AS ack_received_at_utc_ms, -- when it was accepted
  k.late AS is_ack_late, -- at or past the deadline of the first wait
  r.at AS ack_arrived_at, -- when a token was presented that is no acknowledgment: proves that it arrived
  coalesce(w.goal, 'none') AS wait_for, -- the latest wait, like all wait_…
  CASE
    WHEN w.handoff IS NULL THEN 'not_requested'
    WHEN p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied' THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS wait, -- not_requested, and those of handoff_waits_v
  w.operation AS wait_operation_id, -- as in handoff_waits_v, like all that follows with wait_…
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS wait_deadline_at_utc_ms, -- until when; shown only
  iif(w.handoff IS NOT NULL AND p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied',
    'history_unavailable', e.reason) AS wait_reason, -- why, where it is stopped, unsupported or failed
  w.boot AS wait_boot, -- the boot whose clock decides
  w.deadline_ns AS wait_deadline_ns, -- the deadline on that clock
  h.boot AS authority_boot, -- the boot within which a receipt can be accepted
  h.authority_expires_ns, -- and until when; NULL: never
  iif(p.phase = 'terminal', p.native, NULL) AS native_json, -- what the client answered
  h.at AS prepared_at, -- when it was prepared, in Unix seconds
  p.attempted_at, -- when the fence was committed
  p.finished_at -- when the outcome was recorded
FROM handoffs AS h
JOIN handoff_phase_v AS p ON p.handoff = h.id
-- A quarantine and a tombstone end what was acknowledged, a tombstone also what was waited for.
LEFT JOIN handoff_acks AS k ON k.handoff = h.id AND p.phase = 'terminal'
LEFT JOIN handoff_receipts AS r
  ON r.handoff = h.id AND r.assurance = 'token_possession' AND k.handoff IS NULL
    AND p.phase IN ('attempted', 'terminal')
LEFT JOIN handoff_waits AS w
  ON w.handoff = h.id AND NOT p.is_expired
    AND w.number = (SELECT max(l.number) FROM handoff_waits AS l WHERE l.handoff = h.id)
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number;
