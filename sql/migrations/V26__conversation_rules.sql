-- The rules of cancellations and of batches, and the conversations that follow from the messages.

INSERT INTO error_codes (code, kind, meaning, next_step) VALUES
  ('only_sender_can_cancel', 'refused', 'Only the one who asked takes a request back.',
    'Cancel a request that you sent; look at them with the recovery command sent.'),
  ('cancel_requires_a_request', 'refused', 'Only a request can be cancelled; an answer or a note can not.',
    'Name the id of a request that you sent and that has no answer.'),
  ('request_already_answered', 'refused', 'This request has its answer and can not be taken back any more.',
    'Read the answer with the recovery command show.');

CREATE TRIGGER cancellations_insert_rules BEFORE INSERT ON cancellations BEGIN
  SELECT RAISE(ABORT, 'unknown_request') WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id);
  SELECT CASE
    -- Whoever does not say who it is passes.
    WHEN sender <> NEW.peer THEN RAISE(ABORT, 'only_sender_can_cancel')
    WHEN in_reply_to IS NOT NULL OR kind IS 'note' THEN RAISE(ABORT, 'cancel_requires_a_request')
    WHEN EXISTS (SELECT 1 FROM messages WHERE in_reply_to = NEW.message_id)
      THEN RAISE(ABORT, 'request_already_answered')
    WHEN EXISTS (SELECT 1 FROM cancellations WHERE message_id = NEW.message_id) THEN RAISE(IGNORE)
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END
  FROM messages WHERE id = NEW.message_id;
END;

CREATE TRIGGER cancellations_insert_done AFTER INSERT ON cancellations BEGIN
  DELETE FROM open_mail
  WHERE (recipient, seq) = (SELECT m.recipient, m.seq FROM messages AS m WHERE m.id = NEW.message_id);
END;

CREATE TRIGGER cancellations_update_rules BEFORE UPDATE ON cancellations BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER cancellations_delete_rules BEFORE DELETE ON cancellations BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER batches_insert_rules BEFORE INSERT ON batches BEGIN
  SELECT CASE
    WHEN (typeof(NEW.id) = 'text' AND length(CAST(NEW.id AS BLOB)) = 36
        AND NEW.id GLOB replace('########-####-####-####-############', '#', '[0-9a-f]')) IS NOT 1
      THEN RAISE(ABORT, 'invalid_uuid')
    WHEN EXISTS (SELECT 1 FROM batches WHERE id = NEW.id AND (sender, size) IS (NEW.sender, NEW.size))
      THEN RAISE(IGNORE)
    WHEN EXISTS (SELECT 1 FROM batches WHERE id = NEW.id) THEN RAISE(ABORT, 'batch_conflict')
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender) THEN RAISE(ABORT, 'unknown_peer')
    WHEN typeof(NEW.size) <> 'integer' OR NEW.size < 1 OR (NEW.has_notices IN (0, 1)) IS NOT 1
      THEN RAISE(ABORT, 'invalid_value')
  END;
END;

CREATE TRIGGER batches_update_rules BEFORE UPDATE ON batches BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER batches_delete_rules BEFORE DELETE ON batches BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER messages_insert_thread AFTER INSERT ON messages
WHEN coalesce(NEW.in_reply_to, NEW.about) IS NOT NULL BEGIN
  INSERT INTO thread_mail (seq, root)
  VALUES (NEW.seq, (SELECT root FROM root_by_facts_v WHERE seq = NEW.seq));
END;

CREATE TRIGGER thread_mail_insert_rules BEFORE INSERT ON thread_mail BEGIN
  SELECT CASE
    WHEN (NEW.root = (SELECT root FROM root_by_facts_v WHERE seq = NEW.seq)) IS NOT 1
      THEN RAISE(ABORT, 'record_is_permanent')
    WHEN EXISTS (SELECT 1 FROM thread_mail WHERE seq = NEW.seq) THEN RAISE(IGNORE)
  END;
END;

CREATE TRIGGER thread_mail_update_rules BEFORE UPDATE ON thread_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER thread_mail_delete_rules BEFORE DELETE ON thread_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

PRAGMA user_version = 26;
