-- The rules of the one notice, of its clean-up and of waiting. These tables are private: htalk alone writes them.

INSERT INTO error_codes (code, kind, meaning, next_step) VALUES
  ('wait_requires_own_request', 'refused', 'Only the one who asked waits for the answer.',
    'Wait for a request that you sent; look at them with the recovery command sent.'),
  ('nothing_to_repeat', 'refused',
    'Another attempt is made only after one that was definitely not submitted, and only for open mail.',
    'Look with show at what became of the notice.');

-- No row comes back from an insert that is ignored, and then nothing is attempted: the notice was claimed before (or
-- made, in a row of harness-talk), the message is acknowledged or cancelled, or its recipient looks for itself.
CREATE TRIGGER notice_claims_insert_rules BEFORE INSERT ON notice_claims BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id) THEN RAISE(ABORT, 'unknown_message')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
    WHEN NEW.attempt IS NOT 1 AND (
        -- The one before it is the newest, and was not submitted.
        EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id AND attempt >= NEW.attempt)
        OR (SELECT submission FROM notice_outcomes WHERE message_id = NEW.message_id AND attempt = NEW.attempt - 1)
          IS NOT 'not_submitted'
        OR NOT EXISTS (
          SELECT 1 FROM open_mail AS i JOIN messages AS m ON m.recipient = i.recipient AND m.seq = i.seq
          WHERE m.id = NEW.message_id)
        OR EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id))
      THEN RAISE(ABORT, 'nothing_to_repeat')
    WHEN NEW.attempt IS NOT 1 THEN NULL
    WHEN EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id)
        OR EXISTS (SELECT 1 FROM notice_outcomes WHERE message_id = NEW.message_id)
        OR EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id)
        OR EXISTS (SELECT 1 FROM cancellations WHERE message_id = NEW.message_id)
        OR EXISTS (
          SELECT 1 FROM messages AS m JOIN peers AS p ON p.name = m.recipient
          WHERE m.id = NEW.message_id AND p.delivery = 'pull')
      THEN RAISE(IGNORE)
  END;
END;

CREATE TRIGGER notice_claims_update_rules BEFORE UPDATE ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_claims_delete_rules BEFORE DELETE ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_outcomes_insert_rules BEFORE INSERT ON notice_outcomes BEGIN
  SELECT CASE
    -- Only what a send to several recipients did not come to has an outcome without a claim.
    WHEN NOT EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id AND attempt = NEW.attempt)
        AND (NEW.attempt <> 1
          OR (NEW.submission, NEW.detail) IS NOT ('not_submitted', 'interrupted_before_notification')
          OR NOT EXISTS (
            SELECT 1 FROM messages AS m JOIN batches AS b ON b.id = m.batch
            WHERE m.id = NEW.message_id AND b.has_notices))
      THEN RAISE(ABORT, 'unknown_message')
    WHEN EXISTS (SELECT 1 FROM notice_outcomes WHERE message_id = NEW.message_id AND attempt = NEW.attempt)
      THEN RAISE(ABORT, 'record_is_permanent')
    WHEN NEW.submission NOT IN ('not_submitted', 'submission_unknown', 'submitted')
        OR (NEW.queue_id IS NOT NULL AND NEW.submission <> 'submitted')
        OR NEW.recipient_status NOT IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown')
      THEN RAISE(ABORT, 'invalid_value')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER notice_outcomes_update_rules BEFORE UPDATE ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_outcomes_delete_rules BEFORE DELETE ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_cleanups_insert_rules BEFORE INSERT ON notice_cleanups BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id)
        AND NOT EXISTS (SELECT 1 FROM cancellations WHERE message_id = NEW.message_id)
      THEN RAISE(ABORT, 'unknown_message')
    WHEN NEW.status NOT IN ('removed', 'absent', 'unsupported', 'unavailable', 'unknown')
      THEN RAISE(ABORT, 'invalid_value')
    WHEN NEW.seq <> -1 AND (NEW.seq >= 4503599627370496 OR NEW.seq <= (SELECT max(seq) FROM notice_cleanups))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER notice_cleanups_insert_done AFTER INSERT ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER notice_cleanups_update_rules BEFORE UPDATE ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_cleanups_delete_rules BEFORE DELETE ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER wait_returns_insert_rules BEFORE INSERT ON wait_returns BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id AND in_reply_to IS NOT NULL)
      THEN RAISE(ABORT, 'unknown_message')
    WHEN EXISTS (SELECT 1 FROM wait_returns WHERE message_id = NEW.message_id) THEN RAISE(IGNORE)
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER wait_returns_update_rules BEFORE UPDATE ON wait_returns BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER wait_returns_delete_rules BEFORE DELETE ON wait_returns BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

-- A lease may be deleted; what it says can't be changed.
CREATE TRIGGER waits_insert_rules BEFORE INSERT ON waits BEGIN
  SELECT CASE
    -- The token becomes part of a file name.
    WHEN (typeof(NEW.token) = 'text' AND length(CAST(NEW.token AS BLOB)) = 36
        AND NEW.token GLOB replace('########-####-####-####-############', '#', '[0-9a-f]')) IS NOT 1
      THEN RAISE(ABORT, 'invalid_uuid')
    WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id) THEN RAISE(ABORT, 'unknown_request')
    WHEN NOT EXISTS (
        SELECT 1 FROM messages
        WHERE id = NEW.message_id AND in_reply_to IS NULL AND kind IS NOT 'note' AND sender = NEW.peer)
      THEN RAISE(ABORT, 'wait_requires_own_request')
    WHEN EXISTS (SELECT 1 FROM waits WHERE token = NEW.token AND (message_id = NEW.message_id OR peer <> NEW.peer))
      THEN RAISE(ABORT, 'record_is_permanent')
    WHEN (NEW.until BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER waits_update_rules BEFORE UPDATE ON waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

PRAGMA user_version = 27;
