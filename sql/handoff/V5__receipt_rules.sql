-- The rules of receipts and of the one acknowledgment. A receipt is the acknowledgment as soon as it is presented and
-- the submission is recorded, whichever comes last. Where the outcome stays unknown, a token is kept all the same, for
-- it proves that the handoff arrived.

CREATE VIEW handoff_first_wait_v AS
-- Private. The wait whose deadline decides what is late: the first one that could begin. One that ended the moment it
-- began (unsupported, too short, in another boot) waited for nothing and does not count.
SELECT
  w.handoff, -- of which handoff
  w.boot, -- the boot of deadline_ns
  w.deadline_ns, -- its deadline
  NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number)
    AS is_pending -- whether no end of it is recorded
FROM handoff_waits AS w
WHERE w.number = (
  SELECT min(f.number) FROM handoff_waits AS f
  WHERE f.handoff = w.handoff AND NOT EXISTS (
    SELECT 1 FROM handoff_wait_ends AS e
    WHERE e.handoff = f.handoff AND e.number = f.number AND (e.boot, e.at_ns) = (f.boot, f.at_ns)));

CREATE VIEW handoff_ack_due_v AS
-- Private. The receipts that have to become a row of handoff_acks and are none yet.
SELECT
  handoff, -- of which handoff
  assurance, -- token_possession or operator_confirmed
  late, -- 1: at or after the deadline of the first wait
  boot, -- the clock of at_ns
  at_ns, -- when it was accepted
  at -- the same to be shown
FROM (
  SELECT
    r.handoff, r.assurance, r.boot, w.is_pending,
    (w.boot <> r.boot OR iif(o.boot = r.boot, max(r.at_ns, o.at_ns), r.at_ns) >= w.deadline_ns) IS TRUE AS late,
    iif(o.boot = r.boot, max(r.at_ns, o.at_ns), r.at_ns) AS at_ns,
    iif(o.boot = r.boot AND o.at_ns > r.at_ns, o.at, r.at) AS at,
    r.assurance = 'operator_confirmed'
      OR (o.boot = r.boot AND max(r.at_ns, o.at_ns) < h.authority_expires_ns) AS is_accepted
  FROM handoff_receipts AS r
  JOIN handoffs AS h ON h.id = r.handoff
  JOIN handoff_phase_v AS p ON p.handoff = r.handoff AND p.submission = 'submitted'
  JOIN handoff_outcomes AS o ON o.handoff = r.handoff
  LEFT JOIN handoff_first_wait_v AS w ON w.handoff = r.handoff
  WHERE NOT EXISTS (SELECT 1 FROM handoff_acks AS a WHERE a.handoff = r.handoff)
)
-- A statement does not say when the recipient got the message, so it counts only when the first wait is over.
WHERE is_accepted AND (assurance = 'token_possession' OR late OR is_pending IS NOT TRUE);

CREATE TRIGGER handoff_receipts_insert_rules BEFORE INSERT ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'invalid_receipt')
  WHERE (CASE NEW.assurance
    WHEN 'token_possession' THEN 1
    WHEN 'operator_confirmed' THEN coalesce(NEW.receipt_id, NEW.proof) IS NULL
  END) IS NOT 1;
  INSERT INTO handoff_uuid_check_v (uuid, code) SELECT NEW.receipt_id, 'invalid_receipt'
  WHERE NEW.assurance = 'token_possession';
  SELECT CASE
    -- An unknown handoff, or another sender's, gets the same answer as a wrong token.
    WHEN NOT EXISTS (
        SELECT 1 FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
        WHERE h.id = NEW.handoff AND h.generation IS NOT NULL AND p.phase IN ('prepared', 'attempted', 'terminal')
          AND (NEW.assurance = 'operator_confirmed' OR p.token_hash = NEW.proof))
      THEN RAISE(ABORT, 'receipt_authority_unavailable')
    -- A repetition, also after the time of the token; or a statement about what is acknowledged already.
    WHEN EXISTS (
          SELECT 1 FROM handoff_receipts
          WHERE handoff = NEW.handoff AND assurance = NEW.assurance AND receipt_id IS NEW.receipt_id)
        OR (NEW.assurance = 'operator_confirmed' AND EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff))
      THEN RAISE(IGNORE)
    WHEN EXISTS (SELECT 1 FROM handoff_receipts WHERE handoff = NEW.handoff AND assurance = NEW.assurance)
        OR EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'receipt_conflict')
  END;
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = h.id AND boot = NEW.boot AND at_ns > NEW.at_ns)
      THEN RAISE(ABORT, 'handoff_clock_unavailable')
    WHEN NEW.assurance = 'token_possession' AND (h.boot <> NEW.boot OR NEW.at_ns >= h.authority_expires_ns)
      THEN RAISE(ABORT, 'receipt_authority_expired')
    WHEN NEW.assurance = 'operator_confirmed' AND p.submission <> 'submitted'
      THEN RAISE(ABORT, 'receipt_submission_unconfirmed')
  END
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff;
END;

CREATE TRIGGER handoff_receipts_insert_done AFTER INSERT ON handoff_receipts BEGIN
  INSERT INTO handoff_acks SELECT * FROM handoff_ack_due_v WHERE handoff = NEW.handoff AND assurance = NEW.assurance;
  -- A token can wait for the outcome; a statement is the acknowledgment at once or is refused.
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  WHERE NEW.assurance = 'operator_confirmed' AND NOT EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff);
END;

CREATE TRIGGER handoff_receipts_update_rules BEFORE UPDATE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_delete_rules BEFORE DELETE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_insert_rules BEFORE INSERT ON handoff_acks BEGIN
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff) THEN RAISE(ABORT, 'receipt_conflict')
    WHEN NOT EXISTS (
        SELECT 1 FROM handoff_ack_due_v
        WHERE handoff = NEW.handoff
          AND (assurance, late, boot, at_ns, at) IS (NEW.assurance, NEW.late, NEW.boot, NEW.at_ns, NEW.at))
      THEN RAISE(ABORT, 'receipt_order_unprovable')
  END;
END;

CREATE TRIGGER handoff_acks_insert_done AFTER INSERT ON handoff_acks BEGIN
  -- Ends the pending waits. Times of two boots do not compare, so a wait of another boot has failed.
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

CREATE TRIGGER handoff_acks_update_rules BEFORE UPDATE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_delete_rules BEFORE DELETE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;
