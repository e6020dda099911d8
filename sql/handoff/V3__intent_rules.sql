-- The rules of the ledger's histories, and of preparing a handoff.

CREATE TRIGGER handoff_epochs_insert_rules BEFORE INSERT ON handoff_epochs BEGIN
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.epoch, 'invalid_uuid');
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_epoch_v) THEN RAISE(ABORT, 'handoff_already_initialized')
    -- A quarantined history never becomes active again.
    WHEN EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
  END;
END;

CREATE TRIGGER handoff_epochs_update_rules BEFORE UPDATE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_delete_rules BEFORE DELETE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_insert_rules BEFORE INSERT ON handoff_quarantines BEGIN
  -- Nothing else is written: the views compute the phases, acknowledgments and waits of the history from this row.
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
    WHEN EXISTS (SELECT 1 FROM handoff_quarantines WHERE epoch = NEW.epoch) THEN RAISE(IGNORE)
  END;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE TRIGGER handoff_quarantines_update_rules BEFORE UPDATE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_delete_rules BEFORE DELETE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoffs_insert_rules BEFORE INSERT ON handoffs BEGIN
  -- What can never be sent is not prepared. The message is not here: that it is not blank, valid UTF-8 and without
  -- U+0000 is judged by the caller before this, and by the rules of messages at the send.
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.id, 'invalid_correlation_id');
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.digest, 'invalid_handoff');
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_epoch_v WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
    WHEN typeof(NEW.chars) <> 'integer' OR typeof(NEW.bytes) <> 'integer'
        OR NEW.chars NOT BETWEEN 1 AND 1000000 OR NEW.bytes NOT BETWEEN NEW.chars AND 4000000
      THEN RAISE(ABORT, 'handoff_message_must_be_1_to_1000000_characters')
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
        OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient)
      THEN RAISE(ABORT, 'unknown_peer')
    WHEN NEW.sender = NEW.recipient THEN RAISE(ABORT, 'sender_and_recipient_must_differ')
    -- A native peer of one of these clients, and its session. The host becomes an argument of ssh.
    WHEN NOT EXISTS (
          SELECT 1 FROM peers AS p JOIN handoff_harnesses AS c ON c.name = p.harness
          WHERE p.name = NEW.recipient AND p.delivery = 'native'
            AND (p.harness, p.session_id) IS (NEW.harness, NEW.target))
        OR (NEW.host IS NOT NULL AND (
          typeof(NEW.host) <> 'text' OR length(NEW.host) NOT BETWEEN 1 AND 255
          OR length(CAST(NEW.host AS BLOB)) <> length(NEW.host)
          OR NEW.host GLOB '*[^][A-Za-z0-9_.@:%-]*' OR NEW.host GLOB '-*'))
      THEN RAISE(ABORT, 'handoff_route_unsupported')
    WHEN typeof(NEW.framed_chars) <> 'integer' OR typeof(NEW.framed_bytes) <> 'integer'
        OR NEW.framed_chars NOT BETWEEN 1 AND 1000000
        OR NEW.framed_bytes NOT BETWEEN NEW.framed_chars
          AND (SELECT framed_bytes FROM handoff_harnesses WHERE name = NEW.harness)
        OR (NEW.host IS NOT NULL AND NEW.chars > 90000)
      THEN RAISE(ABORT, 'handoff_frame_too_large')
    -- The process on another machine is only known at the send, when that machine is asked.
    WHEN NEW.generation IS NULL AND NEW.host IS NULL
        AND EXISTS (SELECT 1 FROM handoff_harnesses WHERE name = NEW.harness AND has_generation)
      THEN RAISE(ABORT, 'target_generation_unavailable')
    WHEN NEW.generation IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM handoff_harnesses WHERE name = NEW.harness AND has_generation)
      THEN RAISE(ABORT, 'unsupported_target_generation')
    WHEN NEW.generation IS NOT NULL AND (
        typeof(NEW.generation) <> 'text' OR length(CAST(NEW.generation AS BLOB)) NOT BETWEEN 1 AND 256
        OR instr(CAST(NEW.generation AS BLOB), x'00')
        OR NEW.generation GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*')
      THEN RAISE(ABORT, 'invalid_target_generation')
    WHEN length(CAST(NEW.context AS BLOB)) > 4096 THEN RAISE(ABORT, 'native_context_capacity')
    -- SQLite 3.40 refuses the JSON functions in the schema of an untrusted file, so only the braces are checked.
    WHEN (NEW.context IS NOT NULL AND (typeof(NEW.context) <> 'text' OR NEW.context NOT GLOB '{*}'))
        OR (NEW.home IS NOT NULL AND (
          typeof(NEW.home) <> 'text' OR NEW.home NOT GLOB '/*' OR length(CAST(NEW.home AS BLOB)) > 4096
          OR instr(CAST(NEW.home AS BLOB), x'00')))
      THEN RAISE(ABORT, 'invalid_handoff')
    WHEN EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.id)
      THEN RAISE(ABORT, 'handoff_id_reused')
    WHEN EXISTS (SELECT 1 FROM peer_v WHERE name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL)
      THEN RAISE(ABORT, 'peer_retired')
    -- 32 MiB: 1,024 bytes for the ledger, 32,768 for each handoff with details, 1,024 for each without. 1,023 with
    -- details always fit; only beyond them the tombstones are counted, which takes longer.
    WHEN (SELECT count(*) FROM handoffs WHERE epoch = NEW.epoch) >= 1023
        AND (
          SELECT count(*) >= 10000
            OR 1024 + (count(*) - count(t.handoff) + 1) * 32768 + count(t.handoff) * 1024 > 33554432
          FROM handoffs AS h LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
          WHERE h.epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_ledger_capacity')
  END;
END;

CREATE TRIGGER handoffs_update_rules BEFORE UPDATE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict');
END;

CREATE TRIGGER handoffs_delete_rules BEFORE DELETE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;
