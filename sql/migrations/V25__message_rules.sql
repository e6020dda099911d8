-- The rules of messages and acknowledgments, and the open mail that follows from both.

INSERT INTO error_codes (code, kind, meaning, next_step) VALUES
  ('unknown_request', 'refused', 'There is no such request.', 'Copy the request id from inbox or sent and repeat.'),
  ('reply_requires_a_request', 'refused', 'Only a request can be answered; an answer or a note can not.',
    'Send a request about the message instead: htalk send with --about.'),
  ('reply_address_mismatch', 'refused',
    'Only the recipient of a request answers it, and the answer goes to the one who asked.',
    'Answer a request of your own inbox.'),
  ('message_must_be_1_to_32000_bytes', 'refused',
    'A body has at least one character that is not blank and at most 32,000 bytes.',
    'Send 1 to 32,000 bytes; put a longer text into a file, and name it in the message. Nothing was saved.'),
  ('message_is_not_utf8', 'refused', 'A body is valid UTF-8 text.',
    'Convert the text to UTF-8 and repeat. Nothing was saved.'),
  ('message_contains_nul', 'refused', 'A body does not contain U+0000.', 'Remove it and repeat. Nothing was saved.'),
  ('sender_and_recipient_must_differ', 'refused', 'Nobody sends a request to themselves.', 'Name another recipient.'),
  ('reply_conflict_existing_answer_preserved', 'refused',
    'This request has another answer already, and there is only one.',
    'Do not resend. Read the saved answer with the recovery command show.'),
  ('message_id_conflict', 'refused', 'This id belongs to another message.',
    'Do not resend under this id. Look at sent; leave --id out for a new request.'),
  ('peer_retired', 'refused', 'One of the two peers is retired and takes part in no new request or note.',
    'Choose another peer, or bring this one back with peer restore.'),
  ('message_is_immutable', 'refused', 'A saved message is never changed.', 'Send another one.'),
  ('invalid_kind', 'refused', 'A message is a request, an answer or a note.', 'Leave kind out, or name one of these.'),
  ('kind_contradicts_in_reply_to', 'refused',
    'An answer names its request in in_reply_to; a request or a note has none.', 'Leave kind out, or correct it.'),
  ('answer_belongs_to_its_request', 'refused',
    'An answer belongs to the conversation of its request and names no other message in about.',
    'Leave about out.'),
  ('about_address_mismatch', 'refused',
    'What is about a message goes from one of its two sides to the other.',
    'Name a message that was exchanged with this recipient, or leave --about out.'),
  ('request_cancelled', 'refused', 'The one who asked has taken this request back; it takes no answer any more.',
    'Say what is still to be said with a note: htalk note --about and the id of the request.'),
  ('unknown_batch', 'refused', 'There is no such batch.',
    'Copy the id of the batch from the answer of the send that made it.'),
  ('batch_conflict', 'refused', 'This id belongs to a batch with another sender, other recipients or another text.',
    'Do not resend under this id. Look at sent; leave --batch out for a new batch.'),
  ('unknown_message', 'refused', 'There is no such message.', 'Copy the id from inbox or sent and repeat.'),
  ('only_recipient_can_ack', 'refused', 'Only the recipient acknowledges a message.',
    'Acknowledge messages of your own inbox.');

CREATE VIEW body_limit_v (
-- Private, a hook for the ledger of handoffs. The messages that have a limit of their own: none.
  id, -- which message
  bytes -- how large its body may be
) AS
SELECT NULL, NULL WHERE false;

CREATE TABLE visible (
  -- Private. One row: what a body looks like that is not all blank. Blank is what shows nothing.
  pattern TEXT NOT NULL PRIMARY KEY -- for GLOB
) WITHOUT ROWID;

-- The white space of Unicode and what it calls ignorable, as single characters and as ranges (45 is the hyphen between
-- both ends).
INSERT INTO visible (pattern) VALUES ('*[^' || char(
  9, 45, 13, 32, 133, 160, 173, 847, 1564, 4447, 45, 4448, 5760, 6068, 45, 6069, 6155, 45, 6159, 8192,
  45, 8207, 8232, 45, 8239, 8287, 45, 8303, 12288, 12644, 65024, 45, 65039, 65279, 65440, 65520, 45,
  65528, 113824, 45, 113827, 119155, 45, 119162, 917504, 45, 921599
) || ']*');

CREATE TRIGGER messages_insert_rules BEFORE INSERT ON messages BEGIN
  SELECT CASE
    WHEN (typeof(NEW.id) = 'text' AND length(CAST(NEW.id AS BLOB)) = 36
        AND NEW.id GLOB replace('########-####-####-####-############', '#', '[0-9a-f]')) IS NOT 1
      THEN RAISE(ABORT, 'invalid_uuid')
    WHEN NEW.kind NOT IN ('request', 'answer', 'note') THEN RAISE(ABORT, 'invalid_kind')
    WHEN (NEW.kind = 'answer') <> (NEW.in_reply_to IS NOT NULL) THEN RAISE(ABORT, 'kind_contradicts_in_reply_to')
    WHEN NEW.in_reply_to IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.in_reply_to)
      THEN RAISE(ABORT, 'unknown_request')
    -- What is named is saved already, so it is older, and no message is about itself, not even through others.
    WHEN NEW.about IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.about)
      THEN RAISE(ABORT, 'unknown_message')
  END;

  -- An answer belongs to a request and goes back to the one who asked.
  SELECT CASE
    WHEN in_reply_to IS NOT NULL OR kind IS 'note' THEN RAISE(ABORT, 'reply_requires_a_request')
    WHEN (sender, recipient) IS NOT (NEW.recipient, NEW.sender) THEN RAISE(ABORT, 'reply_address_mismatch')
    WHEN NEW.about IS NOT NULL THEN RAISE(ABORT, 'answer_belongs_to_its_request')
  END
  FROM messages WHERE id = NEW.in_reply_to;

  -- A conversation has two sides, and what belongs to it goes from one to the other.
  SELECT RAISE(ABORT, 'about_address_mismatch') FROM messages
  WHERE id = NEW.about
    AND (sender, recipient) IS NOT (NEW.sender, NEW.recipient)
    AND (recipient, sender) IS NOT (NEW.sender, NEW.recipient);

  -- length() of a text stops at U+0000: count bytes.
  SELECT CASE
    WHEN (length(CAST(NEW.body AS BLOB))
        BETWEEN 1 AND coalesce((SELECT bytes FROM body_limit_v WHERE id = NEW.id), 32000)) IS NOT 1
      THEN RAISE(ABORT, 'message_must_be_1_to_32000_bytes')
    WHEN typeof(NEW.body) <> 'text' THEN RAISE(ABORT, 'message_is_not_utf8')
    WHEN instr(CAST(NEW.body AS BLOB), x'00') THEN RAISE(ABORT, 'message_contains_nul')
    WHEN NEW.body NOT GLOB (SELECT pattern FROM visible)
      THEN RAISE(ABORT, 'message_must_be_1_to_32000_bytes')
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
        OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient)
      THEN RAISE(ABORT, 'unknown_peer')
    WHEN NEW.sender = NEW.recipient THEN RAISE(ABORT, 'sender_and_recipient_must_differ')
  END;

  -- An identical retry changes nothing; a different one is refused.
  SELECT RAISE(IGNORE) FROM messages
  WHERE id = NEW.id
    AND (sender, recipient, in_reply_to, about, batch, body)
      IS (NEW.sender, NEW.recipient, NEW.in_reply_to, NEW.about, NEW.batch, NEW.body)
    AND (kind IS 'note') = (NEW.kind IS 'note');
  SELECT iif(body = NEW.body, RAISE(IGNORE), RAISE(ABORT, 'reply_conflict_existing_answer_preserved')) FROM messages
  WHERE in_reply_to = NEW.in_reply_to;
  SELECT iif((sender, about, body, kind IS 'note') IS (NEW.sender, NEW.about, NEW.body, NEW.kind IS 'note'),
    RAISE(IGNORE), RAISE(ABORT, 'batch_conflict')) FROM messages
  WHERE batch = NEW.batch AND recipient = NEW.recipient;
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM messages WHERE id = NEW.id) THEN RAISE(ABORT, 'message_id_conflict')
    WHEN NEW.in_reply_to IS NOT NULL AND EXISTS (SELECT 1 FROM cancellations WHERE message_id = NEW.in_reply_to)
      THEN RAISE(ABORT, 'request_cancelled')
    WHEN NEW.sender_source NOT IN ('option', 'HTALK_PEER', 'native_session') OR typeof(NEW.sender_session) = 'blob'
      THEN RAISE(ABORT, 'invalid_value')
    WHEN NEW.batch IS NOT NULL AND (NEW.in_reply_to IS NOT NULL OR NEW.kind IS 'note')
      THEN RAISE(ABORT, 'invalid_value')
    WHEN NEW.batch IS NOT NULL AND NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch)
      THEN RAISE(ABORT, 'unknown_batch')
    WHEN NEW.batch IS NOT NULL AND (NEW.sender, 0) IS NOT (
        SELECT b.sender, b.size <= (SELECT count(*) FROM messages WHERE batch = NEW.batch)
        FROM batches AS b WHERE b.id = NEW.batch)
      THEN RAISE(ABORT, 'batch_conflict')
    -- What was asked before a retirement may still be answered.
    WHEN NEW.in_reply_to IS NULL
        AND EXISTS (SELECT 1 FROM peer_v WHERE name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL)
      THEN RAISE(ABORT, 'peer_retired')
    -- A seq that was not named is -1 here; the real one is checked after the insert. One row at 2^63 - 1 would end all
    -- inserting. sqlite_sequence knows what harness-talk's deleted messages had, but not this statement's own rows.
    WHEN NEW.seq <> -1
        AND (NEW.seq >= 4503599627370496
          OR NEW.seq <= (SELECT max(seq) FROM messages)
          OR NEW.seq <= (SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.created_at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

-- The open mail is written so that no conflict can occur: an outer OR REPLACE or OR IGNORE would decide it.
CREATE TRIGGER messages_insert_done AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq NOT BETWEEN 1 AND 9007199254740991;
  DELETE FROM open_mail
  WHERE recipient = NEW.sender AND seq = (SELECT m.seq FROM messages AS m WHERE m.id = NEW.in_reply_to);
END;

-- A new message is always open by the view as it stands here. It is asked all the same, for it is a hook: the ledger of
-- handoffs replaces it, to keep messages back. A trigger of its own, for INSERT ... SELECT would make a temporary table
-- at every send.
CREATE TRIGGER messages_insert_open AFTER INSERT ON messages
WHEN EXISTS (SELECT 1 FROM open_by_facts_v WHERE seq = NEW.seq) BEGIN
  INSERT INTO open_mail (recipient, seq) VALUES (NEW.recipient, NEW.seq);
END;

CREATE TRIGGER messages_update_rules BEFORE UPDATE ON messages BEGIN
  SELECT RAISE(ABORT, 'message_is_immutable');
END;

CREATE TRIGGER messages_delete_rules BEFORE DELETE ON messages BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER acks_insert_rules BEFORE INSERT ON acks BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id) THEN RAISE(ABORT, 'unknown_message')
    WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id AND recipient = NEW.peer)
      THEN RAISE(ABORT, 'only_recipient_can_ack')
    WHEN EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id) THEN RAISE(IGNORE)
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

-- A request stays open until it is answered or cancelled; an answer or a note until it is acknowledged.
CREATE TRIGGER acks_insert_done AFTER INSERT ON acks BEGIN
  DELETE FROM open_mail
  WHERE recipient = NEW.peer AND seq = (
    SELECT m.seq FROM messages AS m
    WHERE m.id = NEW.message_id AND (m.in_reply_to IS NOT NULL OR m.kind IS 'note'));
END;

CREATE TRIGGER acks_update_rules BEFORE UPDATE ON acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER acks_delete_rules BEFORE DELETE ON acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER open_mail_insert_rules BEFORE INSERT ON open_mail BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM open_by_facts_v WHERE seq = NEW.seq AND recipient = NEW.recipient)
      THEN RAISE(ABORT, 'record_is_permanent')
    WHEN EXISTS (SELECT 1 FROM open_mail WHERE recipient = NEW.recipient AND seq = NEW.seq) THEN RAISE(IGNORE)
  END;
END;

CREATE TRIGGER open_mail_update_rules BEFORE UPDATE ON open_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER open_mail_delete_rules BEFORE DELETE ON open_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent') FROM open_by_facts_v WHERE seq = OLD.seq AND recipient = OLD.recipient;
END;

PRAGMA user_version = 25;
