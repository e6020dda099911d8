-- The rules of the one attempt: the fence, its authority, its outcome, and the tombstone. A fence is never taken back,
-- and a repetition of the same insert is refused too: only the first may touch a client.

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

-- Minted between the fence and its message, which share one transaction: so no crash leaves a token without an attempt,
-- and none can be minted for an attempt of the past.
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

-- Only one boot's clock can prove an age.
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

CREATE TRIGGER handoff_attempts_update_rules BEFORE UPDATE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_attempts_delete_rules BEFORE DELETE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_capabilities_update_rules BEFORE UPDATE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_delete_rules BEFORE DELETE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_update_rules BEFORE UPDATE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_delete_rules BEFORE DELETE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_tombstones_update_rules BEFORE UPDATE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_tombstones_delete_rules BEFORE DELETE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;
