-- The rules of a handoff's preparation, and of the ledger's histories.

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

CREATE VIEW handoff_epoch_v AS
-- Private. The active history, if there is one.
SELECT
  handoff_epochs.epoch -- its id
FROM handoff_epochs
WHERE NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = handoff_epochs.epoch);

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

-- One insert ends all: the phase, the acknowledgments and the waits of the epoch follow from it in the views.
CREATE TRIGGER handoff_quarantines_insert_rules BEFORE INSERT ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_history_unavailable')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch);
  SELECT RAISE(IGNORE) FROM handoff_quarantines WHERE epoch = NEW.epoch;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

-- What can never be sent is not prepared. A context is a JSON object; the functions that could look into it are no use
-- here, for 3.40 takes them for unsafe in the schema of an untrusted file. That a body is not blank and valid UTF-8
-- without U+0000 is judged by the caller before this, and by the rules of messages at the send, for the body is not
-- here.
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

CREATE TRIGGER handoff_epochs_update_rules BEFORE UPDATE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_delete_rules BEFORE DELETE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_update_rules BEFORE UPDATE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_delete_rules BEFORE DELETE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoffs_update_rules BEFORE UPDATE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict');
END;

CREATE TRIGGER handoffs_delete_rules BEFORE DELETE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;
