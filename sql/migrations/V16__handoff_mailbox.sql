-- What a handoff changes in the mailbox. Its message is written right behind the fence, in the same transaction; the
-- fence is the claim of its one notice, so the ordinary notifier finds it taken; and it is open mail only from the
-- moment it is known to be submitted, or never where it went to another host. It stays open mail after a quarantine:
-- that ends what the sender knew, not what the recipient got.

DROP TRIGGER messages_insert_rules;
DROP TRIGGER messages_insert_done;
DROP TRIGGER notice_outcomes_insert_rules;
DROP VIEW open_by_facts_v;

CREATE VIEW open_by_facts_v AS
-- Private. The open messages by the facts alone: questions without an answer, and answers without an acknowledgment.
SELECT
  m.recipient, -- whose mail it is
  m.seq -- which message
FROM messages AS m
WHERE CASE
  WHEN m.in_reply_to IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  WHEN EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id) THEN 0
  -- A handoff: only what was submitted on this machine.
  ELSE NOT EXISTS (
    SELECT 1 FROM handoffs AS h LEFT JOIN notice_outcomes AS o ON o.message_id = h.id
    WHERE h.id = m.id AND (h.host IS NOT NULL OR o.submission IS NOT 'submitted'))
END;

CREATE TRIGGER messages_insert_rules BEFORE INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.id) <> 'text' OR length(CAST(NEW.id AS BLOB)) <> 36
    OR NEW.id NOT GLOB '????????-????-????-????-????????????'
    OR replace(NEW.id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.id, '-', '')) <> 32;

  -- An answer belongs to a request and goes back to the one who asked.
  SELECT RAISE(ABORT, 'unknown_request')
  WHERE NEW.in_reply_to IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.in_reply_to);
  SELECT RAISE(ABORT, 'reply_requires_a_request') FROM messages
  WHERE id = NEW.in_reply_to AND in_reply_to IS NOT NULL;
  SELECT RAISE(ABORT, 'reply_address_mismatch') FROM messages
  WHERE id = NEW.in_reply_to AND (sender, recipient) IS NOT (NEW.recipient, NEW.sender);

  -- length() of a text stops at U+0000 and trim(x) knows only spaces: count bytes, and name every blank of Unicode.
  -- The body of a handoff may be larger, as far as it was prepared.
  SELECT RAISE(ABORT, 'message_must_be_1_to_32000_bytes')
  WHERE NEW.body IS NULL
    OR length(CAST(NEW.body AS BLOB))
      NOT BETWEEN 1 AND coalesce((SELECT max(h.bytes, 32000) FROM handoffs AS h WHERE h.id = NEW.id), 32000);
  SELECT RAISE(ABORT, 'message_is_not_utf8') WHERE typeof(NEW.body) <> 'text';
  SELECT RAISE(ABORT, 'message_contains_nul') WHERE instr(CAST(NEW.body AS BLOB), x'00');
  SELECT RAISE(ABORT, 'message_must_be_1_to_32000_bytes')
  WHERE trim(NEW.body, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
    8201, 8202, 8232, 8233, 8239, 8287, 12288)) = '';

  SELECT RAISE(ABORT, 'unknown_peer')
  WHERE NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
    OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient);
  SELECT RAISE(ABORT, 'sender_and_recipient_must_differ') WHERE NEW.sender = NEW.recipient;

  -- An identical retry changes nothing; a different one is refused.
  SELECT RAISE(IGNORE) FROM messages
  WHERE id = NEW.id
    AND (sender, recipient, in_reply_to, body) IS (NEW.sender, NEW.recipient, NEW.in_reply_to, NEW.body);
  SELECT RAISE(IGNORE) FROM messages WHERE in_reply_to = NEW.in_reply_to AND body = NEW.body;
  SELECT RAISE(ABORT, 'reply_conflict_existing_answer_preserved') FROM messages WHERE in_reply_to = NEW.in_reply_to;
  SELECT RAISE(ABORT, 'message_id_conflict') FROM messages WHERE id = NEW.id;

  -- The id of a handoff is taken: only its own message gets it, and only behind the fence, which an ordinary send can't
  -- pass.
  SELECT RAISE(ABORT, 'handoff_binding_conflict')
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.id AND (
    p.phase <> 'attempted' OR (h.sender, h.recipient) IS NOT (NEW.sender, NEW.recipient) OR NEW.in_reply_to IS NOT NULL
    OR h.chars <> length(NEW.body) OR h.bytes <> length(CAST(NEW.body AS BLOB)));

  -- What was asked before a retirement may still be answered.
  SELECT RAISE(ABORT, 'peer_retired') FROM peer_v
  WHERE NEW.in_reply_to IS NULL AND name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL;

  -- An unnamed seq is -1 here and checked after the insert. One row at 2^63 - 1 would end all inserting.
  -- sqlite_sequence still knows what harness-talk's deleted messages had, but not this statement's own rows.
  SELECT RAISE(ABORT, 'invalid_seq')
  WHERE NEW.seq <> -1
    AND (NEW.seq >= 9007199254740992
      OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM messages)
      OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'messages'));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.created_at) NOT IN ('real', 'integer') OR abs(NEW.created_at) > 1.7976931348623157e308;
END;

-- The open mail is written so that no conflict can occur: an outer OR REPLACE or OR IGNORE would decide it.
CREATE TRIGGER messages_insert_done AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
  INSERT INTO open_mail (recipient, seq)
  SELECT NEW.recipient, NEW.seq WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id);
  INSERT INTO notice_claims (message_id) SELECT id FROM handoffs WHERE id = NEW.id;
  DELETE FROM open_mail
  WHERE (recipient, seq) = (SELECT m.recipient, m.seq FROM messages AS m WHERE m.id = NEW.in_reply_to);
END;

CREATE TRIGGER notice_outcomes_insert_rules BEFORE INSERT ON notice_outcomes BEGIN
  SELECT RAISE(ABORT, 'unknown_message')
  WHERE NOT EXISTS (SELECT 1 FROM notice_claims WHERE message_id = NEW.message_id);
  SELECT RAISE(ABORT, 'record_is_permanent') FROM notice_outcomes WHERE message_id = NEW.message_id;
  -- What became of a handoff its own outcome says.
  SELECT RAISE(ABORT, 'handoff_phase_illegal')
  FROM handoffs AS h LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
  WHERE h.id = NEW.message_id
    AND (NEW.submission = CASE o.submission
      WHEN 'submitted' THEN 'submitted'
      WHEN 'refused' THEN 'not_submitted'
      WHEN 'unknown' THEN 'submission_unknown'
    END) IS NOT 1;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER notice_outcomes_insert_done AFTER INSERT ON notice_outcomes WHEN NEW.submission = 'submitted' BEGIN
  INSERT INTO open_mail (recipient, seq)
  SELECT o.recipient, o.seq
  FROM handoffs AS h JOIN messages AS m ON m.id = h.id JOIN open_by_facts_v AS o ON o.seq = m.seq
  WHERE h.id = NEW.message_id;
END;

PRAGMA user_version = 16;
