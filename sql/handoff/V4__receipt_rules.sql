-- The rules of receipts and of the one acknowledgment. It is accepted when it is both presented and the submission is
-- recorded, and it is late if that is at or past the deadline of the first wait.

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

CREATE TRIGGER handoff_receipts_insert_done AFTER INSERT ON handoff_receipts BEGIN
  INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
  SELECT handoff, assurance, late, boot, at_ns, at FROM handoff_ack_due_v
  WHERE handoff = NEW.handoff AND assurance = NEW.assurance;
END;

CREATE TRIGGER handoff_receipts_update_rules BEFORE UPDATE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_delete_rules BEFORE DELETE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_insert_rules BEFORE INSERT ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'receipt_conflict') FROM handoff_acks WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  WHERE NOT EXISTS (
    SELECT 1 FROM handoff_ack_due_v
    WHERE handoff = NEW.handoff
      AND (assurance, late, boot, at_ns, at) IS (NEW.assurance, NEW.late, NEW.boot, NEW.at_ns, NEW.at));
END;

-- Who waits in the same boot learns it; the wait of an earlier boot can't be compared and has lost its history.
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

CREATE TRIGGER handoff_acks_update_rules BEFORE UPDATE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_delete_rules BEFORE DELETE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;
