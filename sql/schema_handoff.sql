-- What the ledger of handoffs (sql/handoff) adds to a mailbox, and what it replaces. Generated like schema.sql by
-- HTALK_UPDATE=1 cargo test --release; don't edit it.

CREATE TABLE handoff_acks (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  assurance TEXT NOT NULL,
  late INTEGER NOT NULL,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE handoff_attempts (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  host TEXT,
  home TEXT,
  context TEXT,
  generation TEXT,
  digest TEXT NOT NULL,
  ack_requested INTEGER NOT NULL CONSTRAINT invalid_handoff CHECK (ack_requested IN (0, 1)),
  observe INTEGER NOT NULL CONSTRAINT invalid_handoff CHECK (observe IN (0, 1)),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_capabilities (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoff_attempts (handoff),
  hash TEXT NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_epochs (
  epoch TEXT NOT NULL PRIMARY KEY DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_outcomes (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  submission TEXT NOT NULL CONSTRAINT handoff_phase_illegal CHECK (submission IN ('refused', 'submitted', 'unknown')),
  fenced INTEGER NOT NULL,
  ack_requested INTEGER,
  observe INTEGER,
  reason TEXT,
  native TEXT,
  detail TEXT,
  recipient_status TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  CONSTRAINT handoff_phase_illegal CHECK (fenced = 1 OR (fenced = 0 AND submission = 'refused')),
  CONSTRAINT invalid_handoff CHECK ((fenced = 0) = (ack_requested IS NOT NULL AND observe IS NOT NULL))
) WITHOUT ROWID;

CREATE TABLE handoff_quarantines (
  epoch TEXT NOT NULL PRIMARY KEY REFERENCES handoff_epochs (epoch),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_receipts (
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  assurance TEXT NOT NULL CONSTRAINT invalid_receipt CHECK (assurance IN ('token_possession', 'operator_confirmed')),
  receipt_id TEXT,
  proof TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, assurance),
  CONSTRAINT invalid_receipt
    CHECK ((assurance = 'token_possession') = (receipt_id IS NOT NULL AND proof IS NOT NULL))
) WITHOUT ROWID;

CREATE TABLE handoff_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

CREATE TABLE handoff_tombstones (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_wait_ends (
  handoff TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CONSTRAINT wait_status_illegal
    CHECK (status IN ('satisfied', 'timed_out_unknown', 'stopped', 'unsupported', 'failed')),
  reason TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, number),
  FOREIGN KEY (handoff, number) REFERENCES handoff_waits (handoff, number)
) WITHOUT ROWID;

CREATE TABLE handoff_waits (
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  number INTEGER NOT NULL CONSTRAINT handoff_wait_capacity CHECK (number BETWEEN 1 AND 64),
  operation TEXT NOT NULL UNIQUE DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  goal TEXT NOT NULL CONSTRAINT wait_status_illegal CHECK (goal IN ('acknowledged', 'delivered')),
  seconds INTEGER NOT NULL CONSTRAINT wait_timeout_must_be_between_1_and_60 CHECK (seconds BETWEEN 1 AND 60),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  deadline_ns INTEGER NOT NULL AS (at_ns + max(seconds - 5, 0) * 1000000000),
  deadline_at REAL NOT NULL AS (at + max(seconds - 5, 0)),
  PRIMARY KEY (handoff, number)
) WITHOUT ROWID;

CREATE TABLE handoffs (
  id TEXT NOT NULL PRIMARY KEY DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  epoch TEXT NOT NULL REFERENCES handoff_epochs (epoch),
  sender TEXT NOT NULL REFERENCES peers (name),
  recipient TEXT NOT NULL REFERENCES peers (name),
  harness TEXT NOT NULL CONSTRAINT handoff_route_unsupported CHECK (harness IN ('claude', 'codex')),
  host TEXT,
  target TEXT NOT NULL,
  home TEXT,
  context TEXT,
  generation TEXT,
  digest TEXT NOT NULL,
  chars INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  framed_chars INTEGER NOT NULL,
  framed_bytes INTEGER NOT NULL,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  CONSTRAINT handoff_message_must_be_1_to_1000000_characters
    CHECK (chars BETWEEN 1 AND 1000000 AND bytes BETWEEN chars AND 4000000),
  CONSTRAINT unsupported_target_generation CHECK (harness <> 'codex' OR generation IS NULL)
) WITHOUT ROWID;

CREATE INDEX handoffs_epoch ON handoffs (epoch, boot, at_ns);

CREATE INDEX handoffs_sender ON handoffs (sender, at);

DROP VIEW body_limit_v;
CREATE VIEW body_limit_v (
-- Private, a hook of the mailbox. The messages that have a limit of their own: a handoff may be as large as prepared.
  id, -- which message
  bytes -- how large its body may be
) AS
SELECT id, max(bytes, 32000) FROM handoffs;

CREATE VIEW handoff_ack_due_v AS
-- Private. What is an acknowledgment by the facts and not written down as one yet.
SELECT
  r.handoff, -- of which handoff
  r.assurance, -- token_possession or operator_confirmed
  CASE
    WHEN w.handoff IS NULL THEN 0
    WHEN r.assurance = 'operator_confirmed' THEN 1
    ELSE max(r.at_ns, o.at_ns) >= w.deadline_ns
  END AS late, -- 1: the deadline of the first wait had passed
  r.boot, -- the clock of at_ns
  iif(r.assurance = 'token_possession', max(r.at_ns, o.at_ns), r.at_ns) AS at_ns, -- when it was accepted
  iif(r.assurance = 'token_possession' AND o.at_ns > r.at_ns, o.at, r.at) AS at -- the same to be shown
FROM handoff_receipts AS r
JOIN handoffs AS h ON h.id = r.handoff
JOIN handoff_outcomes AS o ON o.handoff = r.handoff AND o.submission = 'submitted'
LEFT JOIN handoff_waits AS w ON w.handoff = r.handoff AND w.number = 1
LEFT JOIN handoff_wait_ends AS e ON e.handoff = r.handoff AND e.number = 1
WHERE NOT EXISTS (SELECT 1 FROM handoff_acks AS a WHERE a.handoff = r.handoff)
  AND NOT EXISTS (SELECT 1 FROM handoff_tombstones AS t WHERE t.handoff = r.handoff)
  AND NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = h.epoch)
  AND CASE r.assurance
    -- A statement made now says nothing about when the recipient read; an order that is settled already lets it in.
    WHEN 'operator_confirmed' THEN w.handoff IS NULL OR e.status IS 'timed_out_unknown'
    ELSE o.boot = r.boot AND (w.handoff IS NULL OR w.boot = r.boot) AND max(r.at_ns, o.at_ns) < h.at_ns + 86400000000000
  END;

CREATE VIEW handoff_epoch_v AS
-- Private. The active history, if there is one.
SELECT
  handoff_epochs.epoch -- its id
FROM handoff_epochs
WHERE NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = handoff_epochs.epoch);

CREATE VIEW handoff_phase_v AS
-- Private. Where each handoff stands by the facts.
SELECT
  h.id AS handoff, -- which one
  CASE
    WHEN q.epoch IS NOT NULL THEN 'quarantined'
    WHEN t.handoff IS NOT NULL THEN 'tombstone'
    WHEN o.handoff IS NOT NULL THEN 'terminal'
    WHEN a.handoff IS NOT NULL THEN 'attempted'
    ELSE 'prepared'
  END AS phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    ELSE coalesce(o.submission, iif(a.handoff IS NULL, 'not_attempted', 'unknown'))
  END AS submission, -- not_attempted, refused, submitted, unknown
  t.handoff IS NOT NULL AS is_expired, -- whether its details have ended
  coalesce(a.ack_requested, o.ack_requested, 0) AS ack_requested, -- whether an acknowledgment was asked for
  coalesce(a.observe, o.observe, 0) AS observe, -- whether its delivery was to be observed
  o.reason, -- why it was refused, or is unknown
  o.native, -- what the client answered
  a.at AS attempted_at, -- when the fence was committed
  o.at AS finished_at -- when the outcome was recorded
FROM handoffs AS h
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
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
    WHEN c.handoff IS NOT NULL AND (p.phase = 'attempted' OR p.submission = 'submitted') THEN 'pending'
    ELSE 'unsupported'
  END AS ack, -- not_requested, unsupported, pending, acknowledged
  k.assurance AS ack_assurance, -- see handoff_ack_due_v
  CAST(round(k.at * 1000) AS INTEGER) AS ack_received_at_utc_ms, -- when it was accepted
  k.late AS is_ack_late, -- at or past the deadline of the first wait
  coalesce(w.goal, 'none') AS wait_for, -- the latest wait, like all wait_…
  CASE
    WHEN w.handoff IS NULL THEN 'not_requested'
    WHEN p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied' THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS wait, -- not_requested, and those of handoff_waits_v
  w.operation AS wait_operation_id, -- see handoff_waits_v
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS wait_deadline_at_utc_ms, -- see handoff_waits_v
  iif(w.handoff IS NOT NULL AND p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied',
    'history_unavailable', e.reason) AS wait_reason, -- see handoff_waits_v
  w.boot AS wait_boot, -- the boot of wait_deadline_ns
  w.deadline_ns AS wait_deadline_ns, -- see handoff_waits_v
  h.boot AS authority_boot, -- the boot within which a receipt can be accepted
  h.at_ns + 86400000000000 AS authority_expires_ns, -- and until when
  iif(p.phase = 'terminal', p.native, NULL) AS native_json, -- what the client answered
  h.at AS prepared_at, -- when it was prepared, in Unix seconds
  p.attempted_at, -- when the fence was committed
  p.finished_at -- when the outcome was recorded
FROM handoffs AS h
JOIN handoff_phase_v AS p ON p.handoff = h.id
LEFT JOIN handoff_capabilities AS c ON c.handoff = h.id
-- A quarantine and a tombstone end what was acknowledged, a tombstone also what was waited for.
LEFT JOIN handoff_acks AS k ON k.handoff = h.id AND p.phase = 'terminal'
LEFT JOIN handoff_waits AS w
  ON w.handoff = h.id AND NOT p.is_expired
    AND w.number = (SELECT max(l.number) FROM handoff_waits AS l WHERE l.handoff = h.id)
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number;

CREATE VIEW handoff_wait_start_v AS
-- Private. What a wait is from its start, by the facts: pending, or ended before it began.
SELECT
  w.handoff, -- the wait
  w.number, -- the wait
  w.boot, -- its clock
  w.at_ns, -- when it began
  w.deadline_ns, -- until when it waits
  CASE
    WHEN w.goal = 'acknowledged' AND k.handoff IS NOT NULL THEN 'satisfied'
    WHEN w.seconds <= 5 THEN 'insufficient_budget'
    -- A send that was refused before its attempt says why; that is what became of its wait.
    WHEN o.fenced = 0 AND o.reason IN ('deadline_before_effect', 'stopped_by_operator', 'insufficient_budget',
      'evidence_failed', 'evidence_unsupported', 'invalid_handoff') THEN o.reason
    WHEN o.fenced = 0 THEN 'evidence_failed'
    -- No route observes an injection.
    WHEN w.goal = 'delivered' OR c.handoff IS NULL THEN 'evidence_unsupported'
    WHEN o.submission <> 'submitted' THEN 'evidence_unsupported'
    WHEN w.boot <> h.boot THEN 'history_unavailable'
    WHEN w.at_ns >= h.at_ns + 86400000000000 THEN 'evidence_unsupported'
    ELSE 'pending'
  END AS start -- pending, satisfied, or the reason why it is neither
FROM handoff_waits AS w
JOIN handoffs AS h ON h.id = w.handoff
LEFT JOIN handoff_outcomes AS o ON o.handoff = w.handoff
LEFT JOIN handoff_capabilities AS c ON c.handoff = w.handoff
LEFT JOIN handoff_acks AS k ON k.handoff = w.handoff;

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

DROP VIEW open_by_facts_v;
CREATE VIEW open_by_facts_v AS
-- Private. The open messages by the facts alone: questions without an answer, and answers without an acknowledgment.
SELECT
  m.recipient, -- whose mail it is
  m.seq -- which message
FROM messages AS m
WHERE CASE
  WHEN m.in_reply_to IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  WHEN EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id) THEN 0
  -- A handoff: only what was submitted on this machine.
  ELSE NOT EXISTS (
    SELECT 1 FROM handoffs AS h LEFT JOIN notice_outcomes AS o ON o.message_id = h.id
    WHERE h.id = m.id AND (h.host IS NOT NULL OR o.submission IS NOT 'submitted'))
END;

CREATE TRIGGER handoff_acks_delete_rules BEFORE DELETE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_insert_done AFTER INSERT ON handoff_acks BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT
    w.handoff,
    w.number,
    CASE
      WHEN w.boot <> NEW.boot THEN 'failed'
      WHEN NEW.at_ns >= w.deadline_ns THEN 'timed_out_unknown'
      ELSE 'satisfied'
    END,
    iif(w.boot <> NEW.boot, 'history_unavailable', NULL),
    NEW.boot,
    NEW.at_ns,
    NEW.at
  FROM handoff_waits AS w
  WHERE w.handoff = NEW.handoff
    AND NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number);
END;

CREATE TRIGGER handoff_acks_insert_rules BEFORE INSERT ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'receipt_conflict') FROM handoff_acks WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  WHERE NOT EXISTS (
    SELECT 1 FROM handoff_ack_due_v
    WHERE handoff = NEW.handoff
      AND (assurance, late, boot, at_ns, at) IS (NEW.assurance, NEW.late, NEW.boot, NEW.at_ns, NEW.at));
END;

CREATE TRIGGER handoff_acks_update_rules BEFORE UPDATE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_attempts_delete_rules BEFORE DELETE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_attempts_insert_rules BEFORE INSERT ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT CASE
    WHEN phase IN ('tombstone', 'quarantined') THEN RAISE(ABORT, 'handoff_history_unavailable')
    WHEN phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
  END
  FROM handoff_phase_v WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'handoff_binding_conflict') FROM handoffs
  WHERE id = NEW.handoff
    AND (sender, recipient, host, home, generation, digest)
      IS NOT (NEW.sender, NEW.recipient, NEW.host, NEW.home, NEW.generation, NEW.digest);
  SELECT RAISE(ABORT, 'handoff_native_context_changed') FROM handoffs
  WHERE id = NEW.handoff AND context IS NOT NEW.context;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff AND boot = NEW.boot AND at_ns > NEW.at_ns);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_attempts_update_rules BEFORE UPDATE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_delete_rules BEFORE DELETE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_insert_rules BEFORE INSERT ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'receipt_authority_unavailable')
  WHERE NOT EXISTS (
      SELECT 1
      FROM handoffs AS h
      JOIN handoff_phase_v AS p ON p.handoff = h.id AND p.phase = 'attempted'
      JOIN handoff_attempts AS a ON a.handoff = h.id AND a.ack_requested
      WHERE h.id = NEW.handoff AND h.harness = 'claude' AND h.host IS NULL AND h.generation IS NOT NULL)
    OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)
    OR EXISTS (SELECT 1 FROM handoff_capabilities WHERE handoff = NEW.handoff)
    OR typeof(NEW.hash) <> 'text' OR length(CAST(NEW.hash AS BLOB)) <> 64 OR length(NEW.hash) <> 64
    OR NEW.hash GLOB '*[^0-9a-f]*';
  SELECT RAISE(ABORT, 'receipt_authority_expired')
  FROM handoffs AS h JOIN handoff_attempts AS a ON a.handoff = h.id
  WHERE h.id = NEW.handoff AND (a.boot <> h.boot OR a.at_ns >= h.at_ns + 86400000000000);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_capabilities_update_rules BEFORE UPDATE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_delete_rules BEFORE DELETE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_insert_rules BEFORE INSERT ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'handoff_already_initialized') WHERE EXISTS (SELECT 1 FROM handoff_epoch_v);
  -- One that was quarantined never comes back.
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_epochs WHERE epoch = NEW.epoch;
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.epoch) <> 'text' OR length(CAST(NEW.epoch AS BLOB)) <> 36
    OR NEW.epoch NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.epoch, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.epoch, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_epochs_update_rules BEFORE UPDATE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_delete_rules BEFORE DELETE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_outcomes_insert_done AFTER INSERT ON handoff_outcomes BEGIN
  INSERT INTO notice_outcomes (message_id, submission, at, detail, recipient_status)
  SELECT
    m.id,
    CASE NEW.submission
      WHEN 'submitted' THEN 'submitted'
      WHEN 'refused' THEN 'not_submitted'
      ELSE 'submission_unknown'
    END,
    NEW.at,
    coalesce(NEW.detail, NEW.reason),
    NEW.recipient_status
  FROM messages AS m
  WHERE m.id = NEW.handoff;
  INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
  SELECT handoff, assurance, late, boot, at_ns, at FROM handoff_ack_due_v WHERE handoff = NEW.handoff;
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT
    w.handoff,
    w.number,
    iif(NEW.reason IS 'stopped_by_operator', 'stopped', 'failed'),
    iif(NEW.reason IS 'stopped_by_operator', 'stopped_by_operator', 'evidence_failed'),
    NEW.boot,
    NEW.at_ns,
    NEW.at
  FROM handoff_waits AS w
  WHERE w.handoff = NEW.handoff AND NEW.submission <> 'submitted'
    AND NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number);
END;

CREATE TRIGGER handoff_outcomes_insert_rules BEFORE INSERT ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT CASE
    WHEN phase IN ('tombstone', 'quarantined') THEN RAISE(ABORT, 'handoff_history_unavailable')
    -- A sender that refuses before its own attempt must not speak for the attempt of another one.
    WHEN NEW.fenced IS NOT 1 AND phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
    WHEN NOT (
      (NEW.fenced IS 0 AND phase = 'prepared' AND NEW.submission IS 'refused')
      OR (NEW.fenced IS 1 AND phase = 'attempted' AND (
        NEW.submission IN ('refused', 'unknown')
        OR (NEW.submission IS 'submitted' AND EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)))) IS 1)
      THEN RAISE(ABORT, 'handoff_phase_illegal')
  END
  FROM handoff_phase_v WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'native_snapshot_capacity') WHERE length(CAST(NEW.native AS BLOB)) > 8192;
  SELECT RAISE(ABORT, 'invalid_native_profile')
  WHERE CASE
    WHEN NEW.native IS NULL THEN NEW.submission = 'submitted'
    ELSE typeof(NEW.native) <> 'text' OR NEW.native NOT GLOB '{*}'
  END;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE CASE NEW.fenced
      WHEN 0 THEN (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1
      ELSE coalesce(NEW.ack_requested, NEW.observe) IS NOT NULL
    END
    OR (NEW.reason IS NOT NULL AND (
      typeof(NEW.reason) <> 'text' OR length(CAST(NEW.reason AS BLOB)) NOT BETWEEN 1 AND 128
      OR length(CAST(NEW.reason AS BLOB)) <> length(NEW.reason) OR NEW.reason GLOB '*[^a-z0-9_]*'))
    OR NEW.recipient_status NOT IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown');
  -- The one who made the attempt records its outcome, within the same boot.
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND (boot <> NEW.boot OR at_ns > NEW.at_ns));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_outcomes_update_rules BEFORE UPDATE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_delete_rules BEFORE DELETE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_quarantines_insert_rules BEFORE INSERT ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_history_unavailable')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch);
  SELECT RAISE(IGNORE) FROM handoff_quarantines WHERE epoch = NEW.epoch;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_quarantines_update_rules BEFORE UPDATE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_delete_rules BEFORE DELETE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_insert_done AFTER INSERT ON handoff_receipts BEGIN
  INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
  SELECT handoff, assurance, late, boot, at_ns, at FROM handoff_ack_due_v
  WHERE handoff = NEW.handoff AND assurance = NEW.assurance;
END;

CREATE TRIGGER handoff_receipts_insert_rules BEFORE INSERT ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'invalid_receipt')
  WHERE NEW.assurance IS NULL OR NEW.assurance NOT IN ('token_possession', 'operator_confirmed')
    OR (NEW.assurance = 'operator_confirmed' AND coalesce(NEW.receipt_id, NEW.proof) IS NOT NULL)
    OR (NEW.assurance = 'token_possession' AND (
      typeof(NEW.receipt_id) <> 'text' OR length(CAST(NEW.receipt_id AS BLOB)) <> 36
      OR NEW.receipt_id NOT GLOB '????????-????-4???-[89ab]???-????????????'
      OR replace(NEW.receipt_id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.receipt_id, '-', '')) <> 32));
  -- An unknown or foreign handoff is not told apart from a wrong token.
  SELECT RAISE(ABORT, 'receipt_authority_unavailable')
  WHERE NOT EXISTS (
      SELECT 1 FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
      WHERE h.id = NEW.handoff AND h.generation IS NOT NULL AND p.phase IN ('prepared', 'attempted', 'terminal'))
    OR (NEW.assurance = 'token_possession' AND NOT EXISTS (
      SELECT 1 FROM handoff_capabilities AS c JOIN handoff_phase_v AS p ON p.handoff = c.handoff
      WHERE c.handoff = NEW.handoff AND c.hash = NEW.proof AND (p.phase = 'attempted' OR p.submission = 'submitted')));
  -- The same token and receipt again, also after its end; or a statement about what is acknowledged already.
  SELECT RAISE(IGNORE)
  WHERE EXISTS (
      SELECT 1 FROM handoff_receipts
      WHERE handoff = NEW.handoff AND assurance = NEW.assurance AND receipt_id IS NEW.receipt_id)
    OR (NEW.assurance = 'operator_confirmed' AND EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff));
  SELECT RAISE(ABORT, 'receipt_conflict')
  WHERE EXISTS (SELECT 1 FROM handoff_receipts WHERE handoff = NEW.handoff AND assurance = NEW.assurance)
    OR EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff);
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND boot = NEW.boot AND at_ns > NEW.at_ns);
  SELECT RAISE(ABORT, 'receipt_authority_expired') FROM handoffs
  WHERE id = NEW.handoff AND NEW.assurance = 'token_possession'
    AND (boot <> NEW.boot OR NEW.at_ns >= at_ns + 86400000000000);
  SELECT RAISE(ABORT, 'receipt_submission_unconfirmed') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND submission <> 'submitted'
    AND (NEW.assurance = 'operator_confirmed' OR phase <> 'attempted');
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  FROM handoff_waits AS w LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
  WHERE w.handoff = NEW.handoff AND w.number = 1
    AND iif(NEW.assurance = 'operator_confirmed', e.status IS NOT 'timed_out_unknown', w.boot <> NEW.boot);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_receipts_update_rules BEFORE UPDATE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_tombstones_delete_rules BEFORE DELETE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_tombstones_insert_rules BEFORE INSERT ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT RAISE(IGNORE) FROM handoff_tombstones WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'handoff_phase_illegal')
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff AND (
    p.phase = 'quarantined' OR h.boot IS NOT NEW.boot OR typeof(NEW.at_ns) <> 'integer'
    OR NEW.at_ns < h.at_ns + 2592000000000000);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_tombstones_update_rules BEFORE UPDATE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_wait_ends_delete_rules BEFORE DELETE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_wait_ends_insert_rules BEFORE INSERT ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_waits WHERE handoff = NEW.handoff AND number = NEW.number);
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoffs AS h
  WHERE h.id = NEW.handoff AND (EXISTS (SELECT 1 FROM handoff_tombstones WHERE handoff = h.id)
    OR EXISTS (SELECT 1 FROM handoff_quarantines WHERE epoch = h.epoch));
  SELECT RAISE(ABORT, 'wait_terminal') FROM handoff_wait_ends WHERE handoff = NEW.handoff AND number = NEW.number;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  FROM handoff_wait_start_v AS s
  WHERE s.handoff = NEW.handoff AND s.number = NEW.number AND (
    (s.start = coalesce(NEW.reason, 'satisfied') AND NEW.reason IS NOT 'pending' AND (
      -- As it is from its start,
      (NEW.boot, NEW.at_ns, NEW.status) IS (s.boot, s.at_ns, CASE
        WHEN NEW.reason IS NULL THEN 'satisfied'
        WHEN NEW.reason = 'stopped_by_operator' THEN 'stopped'
        WHEN NEW.reason = 'evidence_unsupported' THEN 'unsupported'
        ELSE 'failed'
      END)
      -- or satisfied in time,
      OR (NEW.status = 'satisfied' AND NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns < s.deadline_ns)))
    -- or as it came to be.
    OR CASE NEW.status
      WHEN 'timed_out_unknown' THEN NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns >= s.deadline_ns
      WHEN 'stopped' THEN NEW.reason IS 'stopped_by_operator'
      WHEN 'failed'
        THEN NEW.reason IN ('evidence_failed', 'history_unavailable', 'deadline_before_effect', 'invalid_handoff')
    END) IS NOT 1;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_wait_ends_update_rules BEFORE UPDATE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'wait_terminal');
END;

CREATE TRIGGER handoff_waits_delete_rules BEFORE DELETE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_waits_insert_done AFTER INSERT ON handoff_waits BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT
    handoff,
    number,
    CASE start
      WHEN 'satisfied' THEN 'satisfied'
      WHEN 'stopped_by_operator' THEN 'stopped'
      WHEN 'evidence_unsupported' THEN 'unsupported'
      ELSE 'failed'
    END,
    nullif(start, 'satisfied'),
    NEW.boot,
    NEW.at_ns,
    NEW.at
  FROM handoff_wait_start_v
  WHERE handoff = NEW.handoff AND number = NEW.number AND start <> 'pending';
END;

CREATE TRIGGER handoff_waits_insert_rules BEFORE INSERT ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT CASE
    WHEN phase IN ('tombstone', 'quarantined') THEN RAISE(ABORT, 'handoff_history_unavailable')
    -- It would be the first wait, whose deadline decides what is late.
    WHEN phase = 'prepared' THEN RAISE(ABORT, 'handoff_not_attempted')
  END
  FROM handoff_phase_v WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'wait_timeout_must_be_between_1_and_60')
  WHERE typeof(NEW.seconds) <> 'integer' OR NEW.seconds NOT BETWEEN 1 AND 60;
  SELECT RAISE(ABORT, 'handoff_wait_capacity')
  WHERE (SELECT max(number) FROM handoff_waits WHERE handoff = NEW.handoff) >= 64;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  WHERE NEW.goal IS NULL OR NEW.goal NOT IN ('acknowledged', 'delivered')
    OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM handoff_waits WHERE handoff = NEW.handoff)
    OR EXISTS (SELECT 1 FROM handoff_waits WHERE operation = NEW.operation);
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.operation) <> 'text' OR length(CAST(NEW.operation AS BLOB)) <> 36
    OR NEW.operation NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.operation, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.operation, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_waits_update_rules BEFORE UPDATE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoffs_delete_rules BEFORE DELETE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoffs_insert_rules BEFORE INSERT ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_history_unavailable')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_epoch_v WHERE epoch = NEW.epoch);
  SELECT RAISE(ABORT, 'invalid_correlation_id')
  WHERE typeof(NEW.id) <> 'text' OR length(CAST(NEW.id AS BLOB)) <> 36
    OR NEW.id NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.id, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'handoff_message_must_be_1_to_1000000_characters')
  WHERE typeof(NEW.chars) <> 'integer' OR typeof(NEW.bytes) <> 'integer'
    OR NEW.chars NOT BETWEEN 1 AND 1000000 OR NEW.bytes NOT BETWEEN NEW.chars AND 4000000;
  SELECT RAISE(ABORT, 'unknown_peer')
  WHERE NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
    OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient);
  SELECT RAISE(ABORT, 'sender_and_recipient_must_differ') WHERE NEW.sender = NEW.recipient;
  SELECT RAISE(ABORT, 'handoff_route_unsupported')
  WHERE NOT EXISTS (
      SELECT 1 FROM peers
      WHERE name = NEW.recipient AND delivery = 'native' AND harness IN ('claude', 'codex')
        AND (harness, session_id) IS (NEW.harness, NEW.target))
    OR (NEW.host IS NOT NULL AND (
      typeof(NEW.host) <> 'text' OR length(CAST(NEW.host AS BLOB)) NOT BETWEEN 1 AND 255
      OR length(CAST(NEW.host AS BLOB)) <> length(NEW.host)
      OR NEW.host GLOB '*[^][A-Za-z0-9_.@:%-]*' OR NEW.host GLOB '-*'));
  SELECT RAISE(ABORT, 'handoff_frame_too_large')
  WHERE typeof(NEW.framed_chars) <> 'integer' OR typeof(NEW.framed_bytes) <> 'integer'
    OR NEW.framed_chars NOT BETWEEN 1 AND 1000000 OR NEW.framed_bytes NOT BETWEEN NEW.framed_chars AND 4000000
    OR (NEW.harness = 'codex' AND NEW.framed_bytes > 32768)
    OR (NEW.host IS NOT NULL AND NEW.chars > 90000);
  SELECT RAISE(ABORT, 'unsupported_target_generation') WHERE NEW.harness = 'codex' AND NEW.generation IS NOT NULL;
  SELECT RAISE(ABORT, 'target_generation_unavailable')
  WHERE NEW.harness = 'claude' AND NEW.host IS NULL AND NEW.generation IS NULL;
  SELECT RAISE(ABORT, 'invalid_target_generation')
  WHERE NEW.generation IS NOT NULL AND (
    typeof(NEW.generation) <> 'text' OR length(CAST(NEW.generation AS BLOB)) NOT BETWEEN 1 AND 256
    OR instr(CAST(NEW.generation AS BLOB), x'00')
    OR NEW.generation GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*');
  SELECT RAISE(ABORT, 'native_context_capacity') WHERE length(CAST(NEW.context AS BLOB)) > 4096;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE typeof(NEW.digest) <> 'text' OR length(CAST(NEW.digest AS BLOB)) <> 64 OR length(NEW.digest) <> 64
    OR NEW.digest GLOB '*[^0-9a-f]*'
    OR (NEW.context IS NOT NULL AND (typeof(NEW.context) <> 'text' OR NEW.context NOT GLOB '{*}'))
    OR (NEW.home IS NOT NULL AND (
      typeof(NEW.home) <> 'text' OR NEW.home NOT GLOB '/*' OR length(CAST(NEW.home AS BLOB)) > 4096
      OR instr(CAST(NEW.home AS BLOB), x'00')));
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
  SELECT RAISE(ABORT, 'handoff_id_reused')
  WHERE EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'peer_retired') FROM peer_v
  WHERE name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL;
  -- 32 MiB: 1,024 bytes for the ledger, 32,768 for each handoff with details, 1,024 for each without. That holds 1,023
  -- with details, so the dear look at the tombstones is left out below.
  SELECT RAISE(ABORT, 'handoff_ledger_capacity')
  WHERE (SELECT count(*) FROM handoffs WHERE epoch = NEW.epoch) >= 1023
    AND (
      SELECT count(*) >= 10000
        OR 1024 + (count(*) - count(t.handoff) + 1) * 32768 + count(t.handoff) * 1024 > 33554432
      FROM handoffs AS h LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
      WHERE h.epoch = NEW.epoch);
END;

CREATE TRIGGER handoffs_update_rules BEFORE UPDATE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict');
END;

CREATE TRIGGER messages_insert_handoff AFTER INSERT ON messages
WHEN NEW.seq > 0 AND EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict')
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.id AND (
    p.phase <> 'attempted' OR (h.sender, h.recipient) IS NOT (NEW.sender, NEW.recipient) OR NEW.in_reply_to IS NOT NULL
    OR h.chars <> length(NEW.body) OR h.bytes <> length(CAST(NEW.body AS BLOB)));
  INSERT INTO notice_claims (message_id) VALUES (NEW.id);
END;

CREATE TRIGGER notice_outcomes_insert_handoff AFTER INSERT ON notice_outcomes
WHEN EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.message_id) BEGIN
  SELECT RAISE(ABORT, 'handoff_phase_illegal')
  WHERE NEW.submission IS NOT (
    SELECT CASE submission
      WHEN 'submitted' THEN 'submitted'
      WHEN 'refused' THEN 'not_submitted'
      WHEN 'unknown' THEN 'submission_unknown'
    END
    FROM handoff_outcomes
    WHERE handoff = NEW.message_id);
  INSERT INTO open_mail (recipient, seq)
  SELECT o.recipient, o.seq FROM messages AS m JOIN open_by_facts_v AS o ON o.seq = m.seq WHERE m.id = NEW.message_id;
END;
