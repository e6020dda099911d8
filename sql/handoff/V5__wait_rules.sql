-- The rules of waits. What a wait is from its start the facts decide, not the one who waits: so none can overlook an
-- acknowledgment that is there, nor wait for one that can't come.

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

-- So no wait can overlook an acknowledgment that is there, nor wait for one that can't come.
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

CREATE TRIGGER handoff_waits_update_rules BEFORE UPDATE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_waits_delete_rules BEFORE DELETE ON handoff_waits BEGIN
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

CREATE TRIGGER handoff_wait_ends_delete_rules BEFORE DELETE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

-- Only now is an early receipt an acknowledgment; without a submission nothing more can be waited for. The outcome is
-- that of the message's notice too, where there is a message.
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
