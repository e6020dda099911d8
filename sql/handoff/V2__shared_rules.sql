-- What the rules of several tables need, once.
--
-- A rule for a value stands behind a view without rows: the rules of a table insert the value into the view, and its
-- INSTEAD OF trigger refuses a wrong one. It does so by RAISE(ABORT), so no conflict clause changes anything.

CREATE VIEW handoff_time_check_v (
-- Private, without rows. An INSERT refuses what is no time.
  at -- Unix seconds
) AS
SELECT NULL WHERE false;

CREATE TRIGGER handoff_time_check_v_insert_rules INSTEAD OF INSERT ON handoff_time_check_v BEGIN
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1;
END;

CREATE VIEW handoff_digest_check_v (
-- Private, without rows. An INSERT refuses what is no SHA-256 in 64 hexadecimal digits.
  digest, -- the value
  code -- the code to refuse it with: one of those in the trigger
) AS
SELECT NULL, NULL WHERE false;

CREATE TRIGGER handoff_digest_check_v_insert_rules INSTEAD OF INSERT ON handoff_digest_check_v BEGIN
  SELECT CASE NEW.code
    WHEN 'handoff_clock_unavailable' THEN RAISE(ABORT, 'handoff_clock_unavailable')
    WHEN 'receipt_authority_unavailable' THEN RAISE(ABORT, 'receipt_authority_unavailable')
    ELSE RAISE(ABORT, 'invalid_handoff')
  END
  -- length() of a text stops at U+0000, so its bytes are counted too.
  WHERE (typeof(NEW.digest) = 'text' AND length(NEW.digest) = 64 AND length(CAST(NEW.digest AS BLOB)) = 64
    AND NEW.digest NOT GLOB '*[^0-9a-f]*') IS NOT 1;
END;

CREATE VIEW handoff_clock_check_v (
-- Private, without rows. An INSERT refuses what is no moment of a boot.
  boot, -- which boot
  at_ns, -- nanoseconds since it
  at -- the same moment, to be shown
) AS
SELECT NULL, NULL, NULL WHERE false;

CREATE TRIGGER handoff_clock_check_v_insert_rules INSTEAD OF INSERT ON handoff_clock_check_v BEGIN
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.boot, 'handoff_clock_unavailable');
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE VIEW handoff_uuid_check_v (
-- Private, without rows. An INSERT refuses what is no UUID of version 4 in lower case.
  uuid, -- the value
  code -- the code to refuse it with: one of those in the trigger
) AS
SELECT NULL, NULL WHERE false;

CREATE TRIGGER handoff_uuid_check_v_insert_rules INSTEAD OF INSERT ON handoff_uuid_check_v BEGIN
  SELECT CASE NEW.code
    WHEN 'invalid_correlation_id' THEN RAISE(ABORT, 'invalid_correlation_id')
    WHEN 'invalid_receipt' THEN RAISE(ABORT, 'invalid_receipt')
    ELSE RAISE(ABORT, 'invalid_uuid')
  END
  WHERE (typeof(NEW.uuid) = 'text' AND length(CAST(NEW.uuid AS BLOB)) = 36
    AND NEW.uuid GLOB '????????-????-4???-[89ab]???-????????????'
    AND replace(NEW.uuid, '-', '') NOT GLOB '*[^0-9a-f]*' AND length(replace(NEW.uuid, '-', '')) = 32) IS NOT 1;
END;

CREATE VIEW handoff_epoch_v AS
-- Private. The active history, if there is one.
SELECT
  handoff_epochs.epoch -- its id
FROM handoff_epochs
WHERE NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = handoff_epochs.epoch);

CREATE VIEW handoff_phase_v AS
-- Private. How far each handoff has come, computed from the recorded rows.
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
  -- A refused handoff reached nobody, so no token can have come from it.
  iif(q.epoch IS NULL AND t.handoff IS NULL AND o.submission IS NOT 'refused', c.hash, NULL)
    AS token_hash, -- the hash of the token that a receipt must present; NULL: no receipt is accepted
  c.handoff IS NOT NULL AND q.epoch IS NULL AND t.handoff IS NULL AND coalesce(o.submission, 'submitted') = 'submitted'
    AS can_be_acked, -- whether such a receipt is an acknowledgment, now or once the submission is recorded
  t.handoff IS NOT NULL AS is_expired, -- whether its details have ended
  coalesce(a.ack_requested, o.ack_requested, 0) AS ack_requested, -- whether an acknowledgment was asked for
  coalesce(a.observe, o.observe, 0) AS observe, -- whether its delivery was to be observed
  o.reason, -- why it was refused, or is unknown
  o.native, -- what the client answered
  a.at AS attempted_at, -- when the fence was committed
  o.at AS finished_at -- when the outcome was recorded
FROM handoffs AS h
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_capabilities AS c ON c.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_history_check_v (
-- Private, without rows. An INSERT refuses a handoff that is not there, or of which nothing can be told any more.
  handoff -- which one
) AS
SELECT NULL WHERE false;

CREATE TRIGGER handoff_history_check_v_insert_rules INSTEAD OF INSERT ON handoff_history_check_v BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff) THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN (SELECT phase IN ('tombstone', 'quarantined') FROM handoff_phase_v WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
  END;
END;
