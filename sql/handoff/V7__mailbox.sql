-- What a handoff changes in the mailbox. Its message is written after the fence, in the same transaction, and claims
-- its own notice, so that the ordinary notifier sends none. It is open mail only from the moment it is known to be
-- submitted, or never where it went to another host. It stays open mail after a quarantine: that ends what the sender
-- knew, not what the recipient got.
--
-- The mailbox's own triggers stay as they are, and nothing promises which trigger of an event fires first. So these two
-- fire AFTER the insert, when every rule of the mailbox has been asked (an identical retry was ignored, a different one
-- refused), and they act on nothing that the mailbox's own AFTER triggers refuse, read or write.

DROP VIEW body_limit_v;
DROP VIEW open_by_facts_v;

CREATE VIEW body_limit_v (
-- Private, a hook of the mailbox. The messages that have a limit of their own: a handoff may be as large as prepared.
  id, -- which message
  bytes -- how large its body may be
) AS
SELECT id, max(bytes, 32000) FROM handoffs;

CREATE VIEW open_by_facts_v AS
-- Private. The open messages by the facts alone: requests that are neither answered nor cancelled, and answers and
-- notes without an acknowledgment.
SELECT
  m.recipient, -- whose mail it is
  m.seq -- which message
FROM messages AS m
WHERE CASE
  WHEN m.in_reply_to IS NOT NULL OR m.kind IS 'note'
    THEN NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  WHEN EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id)
      OR EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id)
    THEN 0
  -- A handoff is open only if it was submitted on this machine.
  ELSE NOT EXISTS (
    SELECT 1 FROM handoffs AS h LEFT JOIN notice_outcomes AS o ON o.message_id = h.id
    WHERE h.id = m.id AND (h.host IS NOT NULL OR o.submission IS NOT 'submitted'))
END;

CREATE TRIGGER messages_insert_handoff AFTER INSERT ON messages
WHEN NEW.seq > 0 AND EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) BEGIN
  -- The id of a handoff is reserved for its own message, and that comes after the fence, which an ordinary send does
  -- not write. (A seq below 1 is refused by an AFTER trigger of the mailbox.)
  SELECT RAISE(ABORT, 'handoff_binding_conflict')
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.id AND (
    p.phase <> 'attempted' OR (h.sender, h.recipient) IS NOT (NEW.sender, NEW.recipient) OR NEW.in_reply_to IS NOT NULL
    OR coalesce(NEW.kind, NEW.about, NEW.batch) IS NOT NULL
    OR h.chars <> length(NEW.body) OR h.bytes <> length(CAST(NEW.body AS BLOB)));
  INSERT INTO notice_claims (message_id) VALUES (NEW.id);
END;

CREATE TRIGGER cancellations_insert_handoff AFTER INSERT ON cancellations
WHEN EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.message_id) BEGIN
  SELECT RAISE(ABORT, 'handoff_can_not_be_cancelled');
END;

CREATE TRIGGER notice_outcomes_insert_handoff AFTER INSERT ON notice_outcomes
WHEN EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.message_id) BEGIN
  -- The notice of a handoff has the outcome that the handoff has, and no other.
  SELECT RAISE(ABORT, 'handoff_phase_illegal')
  WHERE NEW.submission IS NOT (SELECT notice FROM handoff_outcomes WHERE handoff = NEW.message_id);
  -- What was submitted is open mail from now on.
  INSERT INTO open_mail (recipient, seq)
  SELECT o.recipient, o.seq FROM messages AS m JOIN open_by_facts_v AS o ON o.seq = m.seq WHERE m.id = NEW.message_id;
END;
