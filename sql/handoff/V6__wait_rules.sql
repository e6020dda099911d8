-- The rules of waits. The initial status of a wait is computed from the recorded rows; the one who waits does not give
-- it. So no wait overlooks an acknowledgment that is there, and none waits for one that can't come.

CREATE VIEW handoff_wait_start_v AS
-- Private. The initial status of a wait that would begin now, computed from the recorded rows.
SELECT
  handoff, -- of which handoff
  number, -- which of its waits
  boot, -- the clock of at_ns
  at_ns, -- when it began
  deadline_ns, -- until when it waits
  CASE start
    WHEN 'pending' THEN 'pending'
    WHEN 'satisfied' THEN 'satisfied'
    WHEN 'stopped_by_operator' THEN 'stopped'
    WHEN 'evidence_unsupported' THEN 'unsupported'
    ELSE 'failed'
  END AS status, -- pending, or how it ends at once: satisfied, stopped, unsupported, failed
  nullif(nullif(start, 'pending'), 'satisfied') AS reason -- why it is stopped, unsupported or failed
FROM (
  SELECT
    w.handoff, w.number, w.boot, w.at_ns, w.deadline_ns,
    CASE
      WHEN w.goal = 'acknowledged' AND k.handoff IS NOT NULL THEN 'satisfied'
      WHEN w.seconds <= 5 THEN 'insufficient_budget'
      -- A send that was refused before its attempt: its reason is that of the wait too.
      WHEN p.attempted_at IS NULL THEN iif(
        p.reason IN ('deadline_before_effect', 'stopped_by_operator', 'insufficient_budget', 'evidence_unsupported',
          'invalid_handoff'), p.reason, 'evidence_failed')
      -- No client reports a delivery. Without a token nothing can be acknowledged.
      WHEN w.goal = 'delivered' OR NOT p.can_be_acked THEN 'evidence_unsupported'
      WHEN w.boot <> h.boot THEN 'history_unavailable'
      WHEN w.at_ns >= h.authority_expires_ns THEN 'evidence_unsupported'
      ELSE 'pending'
    END AS start
  FROM handoff_waits AS w
  JOIN handoffs AS h ON h.id = w.handoff
  JOIN handoff_phase_v AS p ON p.handoff = w.handoff
  LEFT JOIN handoff_acks AS k ON k.handoff = w.handoff
);

CREATE TRIGGER handoff_waits_insert_rules BEFORE INSERT ON handoff_waits BEGIN
  -- Only the sender waits, for the deadline decides what is late. Others are told that there is no such handoff.
  SELECT RAISE(ABORT, 'handoff_id_unknown')
  WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff AND sender = NEW.peer);
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.operation, 'invalid_uuid');
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN (SELECT phase FROM handoff_phase_v WHERE handoff = NEW.handoff) = 'prepared'
      THEN RAISE(ABORT, 'handoff_not_attempted')
    WHEN typeof(NEW.seconds) <> 'integer' OR NEW.seconds NOT BETWEEN 1 AND 60
      THEN RAISE(ABORT, 'wait_timeout_must_be_between_1_and_60')
    WHEN (SELECT max(number) FROM handoff_waits WHERE handoff = NEW.handoff) >= 64
      THEN RAISE(ABORT, 'handoff_wait_capacity')
    WHEN (NEW.goal IN ('acknowledged', 'delivered')) IS NOT 1
        OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM handoff_waits WHERE handoff = NEW.handoff)
        OR EXISTS (SELECT 1 FROM handoff_waits WHERE operation = NEW.operation)
      THEN RAISE(ABORT, 'wait_status_illegal')
  END;
END;

CREATE TRIGGER handoff_waits_insert_done AFTER INSERT ON handoff_waits BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT handoff, number, status, reason, NEW.boot, NEW.at_ns, NEW.at FROM handoff_wait_start_v
  WHERE handoff = NEW.handoff AND number = NEW.number AND status <> 'pending';
END;

CREATE TRIGGER handoff_waits_update_rules BEFORE UPDATE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_waits_delete_rules BEFORE DELETE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_wait_ends_insert_rules BEFORE INSERT ON handoff_wait_ends BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_waits WHERE handoff = NEW.handoff AND number = NEW.number)
      THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN EXISTS (SELECT 1 FROM handoff_wait_ends WHERE handoff = NEW.handoff AND number = NEW.number)
      THEN RAISE(ABORT, 'wait_terminal')
  END;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  FROM handoff_wait_start_v AS s
  WHERE s.handoff = NEW.handoff AND s.number = NEW.number AND iif(
    -- Either it ends at once,
    NEW.status <> 'pending'
      AND (NEW.status, NEW.reason, NEW.boot, NEW.at_ns) IS (s.status, s.reason, s.boot, s.at_ns),
    1,
    -- or in a way in which a pending wait can end.
    CASE NEW.status
      WHEN 'satisfied'
        THEN s.status = 'satisfied' AND NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns < s.deadline_ns
      WHEN 'timed_out_unknown' THEN NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns >= s.deadline_ns
      WHEN 'stopped' THEN NEW.reason IS 'stopped_by_operator'
      WHEN 'failed'
        THEN NEW.reason IN ('evidence_failed', 'history_unavailable', 'deadline_before_effect', 'invalid_handoff')
    END) IS NOT 1;
END;

CREATE TRIGGER handoff_wait_ends_update_rules BEFORE UPDATE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'wait_terminal');
END;

CREATE TRIGGER handoff_wait_ends_delete_rules BEFORE DELETE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_insert_done AFTER INSERT ON handoff_outcomes BEGIN
  -- It is also the outcome of the message's notice, where there is a message.
  INSERT INTO notice_outcomes (message_id, submission, at, detail, queue_id, recipient_status)
  SELECT id, NEW.notice, NEW.at, coalesce(NEW.detail, NEW.reason), NEW.queue_id, NEW.recipient_status
  FROM messages WHERE id = NEW.handoff;
  -- A receipt that came before it is an acknowledgment from now on.
  INSERT INTO handoff_acks SELECT * FROM handoff_ack_due_v WHERE handoff = NEW.handoff;
  -- Without a submission there is nothing more to wait for.
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
