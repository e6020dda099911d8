-- The rules of the one attempt: the fence, the token, the outcome, and the tombstone. A fence is never taken back. A
-- repetition of the same insert is refused too, for only the first may touch a client.

CREATE TRIGGER handoff_attempts_insert_rules BEFORE INSERT ON handoff_attempts BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN p.phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
    WHEN (h.sender, h.recipient, h.host, h.home, h.generation, h.digest)
        IS NOT (NEW.sender, NEW.recipient, NEW.host, NEW.home, NEW.generation, NEW.digest)
      THEN RAISE(ABORT, 'handoff_binding_conflict')
    WHEN h.context IS NOT NEW.context THEN RAISE(ABORT, 'handoff_native_context_changed')
    WHEN (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1 THEN RAISE(ABORT, 'invalid_handoff')
    WHEN h.boot = NEW.boot AND h.at_ns > NEW.at_ns THEN RAISE(ABORT, 'handoff_clock_unavailable')
  END
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff;
END;

CREATE TRIGGER handoff_attempts_update_rules BEFORE UPDATE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_attempts_delete_rules BEFORE DELETE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_capabilities_insert_rules BEFORE INSERT ON handoff_capabilities BEGIN
  -- A token is recorded after the fence and before the message, in the same transaction: so no crash leaves a token
  -- without an attempt, and no earlier attempt gets one.
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.hash, 'receipt_authority_unavailable');
  SELECT CASE
    WHEN NOT EXISTS (
          SELECT 1
          FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
          WHERE h.id = NEW.handoff AND h.authority_expires_ns IS NOT NULL AND p.phase = 'attempted' AND p.ack_requested)
        OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)
        OR EXISTS (SELECT 1 FROM handoff_capabilities WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'receipt_authority_unavailable')
    WHEN EXISTS (
        SELECT 1
        FROM handoffs AS h JOIN handoff_attempts AS a ON a.handoff = h.id
        WHERE h.id = NEW.handoff AND (a.boot <> h.boot OR a.at_ns >= h.authority_expires_ns))
      THEN RAISE(ABORT, 'receipt_authority_expired')
  END;
END;

CREATE TRIGGER handoff_capabilities_update_rules BEFORE UPDATE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_delete_rules BEFORE DELETE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_insert_rules BEFORE INSERT ON handoff_outcomes BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    -- Another process has made the attempt meanwhile, so this refusal is not its outcome.
    WHEN NEW.fenced IS NOT 1 AND p.phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
    WHEN (CASE NEW.fenced
          WHEN 0 THEN NEW.submission = 'refused'
          WHEN 1 THEN p.phase = 'attempted' AND (
            NEW.submission IN ('refused', 'unknown')
            OR (NEW.submission = 'submitted' AND EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)))
        END) IS NOT 1
      THEN RAISE(ABORT, 'handoff_phase_illegal')
    WHEN length(CAST(NEW.native AS BLOB)) > 8192 THEN RAISE(ABORT, 'native_snapshot_capacity')
    WHEN iif(NEW.native IS NULL, NEW.submission = 'submitted',
        typeof(NEW.native) <> 'text' OR NEW.native NOT GLOB '{*}')
      THEN RAISE(ABORT, 'invalid_native_profile')
    WHEN iif(NEW.fenced, coalesce(NEW.ack_requested, NEW.observe) IS NOT NULL,
          (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1)
        OR (NEW.reason IS NOT NULL AND (
          typeof(NEW.reason) <> 'text' OR length(NEW.reason) NOT BETWEEN 1 AND 128
          OR length(CAST(NEW.reason AS BLOB)) <> length(NEW.reason) OR NEW.reason GLOB '*[^a-z0-9_]*'))
        OR (NEW.queue_id IS NOT NULL AND NEW.submission <> 'submitted')
        OR NEW.recipient_status NOT IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown')
      THEN RAISE(ABORT, 'invalid_handoff')
    -- The process that made the attempt records its outcome, so the boot is the same.
    WHEN EXISTS (
        SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND (boot <> NEW.boot OR at_ns > NEW.at_ns))
      THEN RAISE(ABORT, 'handoff_clock_unavailable')
  END
  FROM handoff_phase_v AS p WHERE p.handoff = NEW.handoff;
END;

CREATE TRIGGER handoff_outcomes_update_rules BEFORE UPDATE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_delete_rules BEFORE DELETE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_tombstones_insert_rules BEFORE INSERT ON handoff_tombstones BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff) THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN EXISTS (SELECT 1 FROM handoff_tombstones WHERE handoff = NEW.handoff) THEN RAISE(IGNORE)
    -- An age is known only within one boot: the clocks of two boots do not compare.
    WHEN EXISTS (
        SELECT 1
        FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
        WHERE h.id = NEW.handoff AND (
          p.phase = 'quarantined' OR h.boot IS NOT NEW.boot OR typeof(NEW.at_ns) <> 'integer'
          OR NEW.at_ns < h.details_expire_ns))
      THEN RAISE(ABORT, 'handoff_phase_illegal')
  END;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE TRIGGER handoff_tombstones_update_rules BEFORE UPDATE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_tombstones_delete_rules BEFORE DELETE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;
