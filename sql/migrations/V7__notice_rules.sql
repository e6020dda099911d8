-- The rules of the one notice, of its clean-up and of waiting. These tables are private: htalk alone writes them.

INSERT INTO error_codes (code, exit, meaning, next_step) VALUES
  ('wait_requires_own_request', 2, 'Only the one who asked waits for the answer.',
    'Wait for a request that you sent; look at them with the recovery command sent.');

-- No row comes back from an insert that is ignored, and then nothing is attempted: the notice was claimed before (or
-- made, in a row of harness-talk), the message is acknowledged already, or its recipient looks for itself.
CREATE TRIGGER notice_claims_insert_rules BEFORE INSERT ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'unknown_message') WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
  SELECT RAISE(IGNORE)
  WHERE EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id)
    OR EXISTS (SELECT 1 FROM notice_outcomes WHERE message_id = NEW.message_id)
    OR EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id)
    OR EXISTS (
      SELECT 1 FROM messages AS m JOIN peers AS p ON p.name = m.recipient
      WHERE m.id = NEW.message_id AND p.delivery = 'pull');
END;

CREATE TRIGGER notice_claims_update_rules BEFORE UPDATE ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_claims_delete_rules BEFORE DELETE ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_outcomes_insert_rules BEFORE INSERT ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'unknown_message')
  WHERE NOT EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id);
  SELECT RAISE(ABORT, 'record_is_permanent') FROM notice_outcomes WHERE message_id = NEW.message_id;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER notice_outcomes_update_rules BEFORE UPDATE ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_outcomes_delete_rules BEFORE DELETE ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_cleanups_insert_rules BEFORE INSERT ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'unknown_message') WHERE NOT EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id);
  SELECT RAISE(ABORT, 'invalid_seq')
  WHERE NEW.seq <> -1
    AND (NEW.seq >= 9007199254740992 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM notice_cleanups));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
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
  SELECT RAISE(ABORT, 'unknown_message')
  WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id AND in_reply_to IS NOT NULL);
  SELECT RAISE(IGNORE) FROM wait_returns WHERE message_id = NEW.message_id;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER wait_returns_update_rules BEFORE UPDATE ON wait_returns BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER wait_returns_delete_rules BEFORE DELETE ON wait_returns BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

-- A registration is a lease and may be deleted; what it says can't be changed.
CREATE TRIGGER waits_insert_rules BEFORE INSERT ON waits BEGIN
  -- The token becomes part of a file name.
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.token) <> 'text' OR length(CAST(NEW.token AS BLOB)) <> 36
    OR NEW.token NOT GLOB '????????-????-????-????-????????????'
    OR replace(NEW.token, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.token, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'unknown_request') WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id);
  SELECT RAISE(ABORT, 'wait_requires_own_request') FROM messages
  WHERE id = NEW.message_id AND (in_reply_to IS NOT NULL OR sender IS NOT NEW.peer);
  SELECT RAISE(ABORT, 'record_is_permanent') FROM waits WHERE token = NEW.token;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.until) NOT IN ('real', 'integer') OR abs(NEW.until) > 1.7976931348623157e308;
END;

CREATE TRIGGER waits_update_rules BEFORE UPDATE ON waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

PRAGMA user_version = 7;
