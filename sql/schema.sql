-- The whole schema after every migration. Generated from a new mailbox by HTALK_UPDATE=1 cargo test --release; don't
-- edit it. Tests prove that it is up to date, and that an upgraded mailbox has the same.

CREATE TABLE acks (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT NOT NULL REFERENCES peers (name),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE error_codes (
  code TEXT NOT NULL PRIMARY KEY,
  exit INTEGER NOT NULL,
  meaning TEXT NOT NULL,
  next_step TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE messages (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  sender TEXT NOT NULL REFERENCES peers (name),
  recipient TEXT NOT NULL REFERENCES peers (name),
  in_reply_to TEXT REFERENCES messages (id),
  body TEXT NOT NULL,
  created_at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

CREATE TABLE notice_claims (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE notice_cleanups (
  seq INTEGER NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id),
  status TEXT NOT NULL
    CONSTRAINT cleanup_status CHECK (status IN ('removed', 'absent', 'unsupported', 'unavailable', 'unknown')),
  detail TEXT,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

CREATE TABLE notice_outcomes (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  submission TEXT NOT NULL
    CONSTRAINT notice_submission CHECK (submission IN ('not_submitted', 'submission_unknown', 'submitted')),
  at REAL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  detail TEXT,
  recipient_status TEXT
    CONSTRAINT notice_recipient_status
    CHECK (recipient_status IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown'))
) WITHOUT ROWID;

CREATE TABLE open_mail (
  recipient TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (recipient, seq)
) WITHOUT ROWID;

CREATE TABLE peer_retirements (
  seq INTEGER NOT NULL PRIMARY KEY,
  peer TEXT NOT NULL REFERENCES peers (name),
  action TEXT NOT NULL CONSTRAINT retirement_action CHECK (action IN ('retired', 'restored')),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

CREATE TABLE peers (
  name TEXT NOT NULL PRIMARY KEY,
  harness TEXT NOT NULL,
  delivery TEXT NOT NULL DEFAULT 'native'
    CONSTRAINT unsupported_delivery CHECK (delivery IN ('native', 'pull')),
  session_id TEXT,
  workspace TEXT,
  home TEXT,
  socket TEXT,
  url TEXT,
  UNIQUE (harness, session_id),
  CONSTRAINT pull_peer_has_no_native_address
    CHECK (delivery = 'native' OR coalesce(session_id, workspace, home, socket, url) IS NULL)
) WITHOUT ROWID;

CREATE TABLE refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

CREATE TABLE wait_returns (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE waits (
  token TEXT NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id),
  peer TEXT NOT NULL,
  until REAL NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX messages_one_answer ON messages (in_reply_to) WHERE in_reply_to IS NOT NULL;

CREATE INDEX messages_sender ON messages (sender);

CREATE INDEX notice_cleanups_message ON notice_cleanups (message_id);

CREATE INDEX peer_retirements_peer ON peer_retirements (peer);

CREATE INDEX waits_message ON waits (message_id);

CREATE VIEW body_limit_v (
-- Private, a hook for the ledger of handoffs. The messages that have a limit of their own: none.
  id, -- which message
  bytes -- how large its body may be
) AS
SELECT NULL, NULL WHERE false;

CREATE VIEW cleanup_v AS
-- Private. What is to be done about the notice of a message once it is acknowledged, one row a message.
SELECT
  m.id AS message_id, -- the message
  CASE
    WHEN p.delivery = 'pull' OR a.message_id IS NULL THEN 'skipped'
    WHEN c.message_id IS NOT NULL AND o.message_id IS NULL THEN 'pending'
    WHEN o.submission IS NOT 'submitted' THEN 'skipped'
    WHEN p.harness <> 'codex' THEN 'unsupported'
    WHEN o.detail NOT GLOB 'codex_*_queued:?*' OR o.detail IS NULL THEN 'skipped'
    ELSE coalesce(
      (SELECT t.status FROM notice_cleanups AS t WHERE t.message_id = m.id ORDER BY t.seq DESC LIMIT 1), 'due')
  END AS status, -- skipped, unsupported, pending (the notice is still being submitted), due, or what the last try said
  CASE
    WHEN p.delivery = 'pull' THEN 'pull_only'
    WHEN a.message_id IS NULL THEN 'message_not_acknowledged_by_recipient'
    WHEN c.message_id IS NOT NULL AND o.message_id IS NULL THEN NULL
    WHEN o.submission IS NOT 'submitted' THEN 'no_confirmed_queue_receipt'
    WHEN p.harness <> 'codex' THEN 'client_has_no_notification_removal'
    WHEN o.detail NOT GLOB 'codex_*_queued:?*' OR o.detail IS NULL THEN 'no_confirmed_queue_receipt'
  END AS detail, -- why, for skipped and unsupported
  CASE WHEN o.submission = 'submitted' AND p.harness = 'codex' AND o.detail GLOB 'codex_*_queued:?*'
    THEN substr(o.detail, instr(o.detail, ':') + 1)
  END AS queue_id -- the client's id of the queued notice, where it gave one
FROM messages AS m
JOIN peers AS p ON p.name = m.recipient
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id;

CREATE VIEW conversation_v AS
-- One row a request: what was asked, what was answered, and the time of each step. NULL where it has not happened.
SELECT
  q.seq, -- of the request
  q.id AS request_id, -- the request
  q.sender AS asker, -- who asked
  q.recipient AS answerer, -- who was asked
  q.body AS request_body, -- what was asked
  r.id AS answer_id, -- the answer
  r.body AS answer_body, -- what was answered
  q.created_at AS saved_at, -- the request was saved
  c.at AS notice_claimed_at, -- the request's one notice was begun
  o.at AS notice_finished_at, -- and its outcome recorded
  coalesce(o.submission, iif(c.message_id IS NULL, 'not_submitted', 'submission_unknown'))
    AS notice_submission, -- that outcome, as in message_v
  o.detail AS notice_detail, -- the notice's receipt, or the reason
  a.at AS acknowledged_at, -- the one who was asked acknowledged the request
  r.created_at AS answered_at, -- the answer was saved
  ra.at AS answer_acknowledged_at -- the one who asked acknowledged the answer
FROM messages AS q
LEFT JOIN notice_claims AS c ON c.message_id = q.id
LEFT JOIN notice_outcomes AS o ON o.message_id = q.id
LEFT JOIN acks AS a ON a.message_id = q.id
LEFT JOIN messages AS r ON r.in_reply_to = q.id
LEFT JOIN acks AS ra ON ra.message_id = r.id
WHERE q.in_reply_to IS NULL;

CREATE VIEW inbox_v AS
-- The open mail: unanswered questions (acknowledged or not) and unacknowledged answers.
-- A peer's inbox: SELECT * FROM inbox_v WHERE recipient = 'NAME' ORDER BY seq;
SELECT
  i.recipient, -- whose mail it is
  i.seq, -- as in message_v, like all that follows
  m.id, -- see message_v
  m.sender, -- see message_v
  m.in_reply_to, -- see message_v
  m.body, -- see message_v
  m.created_at, -- see message_v
  m.ack_at, -- see message_v
  m.submission, -- see message_v
  m.notification_started_at, -- see message_v
  m.notification_finished_at, -- see message_v
  m.notification_detail, -- see message_v
  m.wait_returned_at, -- see message_v
  m.recipient_status, -- see message_v
  m.state -- see message_v; open mail is never answered, so this is always saved
FROM open_mail AS i
JOIN message_v AS m ON m.seq = i.seq;

CREATE VIEW message_v AS
-- Every message with what became of it, one row each. Times are Unix seconds; NULL where it has not happened.
SELECT
  m.seq, -- grows with every saved message
  m.id, -- its UUID
  m.sender, -- the peer who wrote it
  m.recipient, -- the peer it is for
  m.in_reply_to, -- an answer: the id of its request; a request: NULL
  m.body, -- the text, byte for byte
  m.created_at, -- when it was saved
  a.at AS ack_at, -- when its recipient first acknowledged it
  coalesce(o.submission, iif(c.message_id IS NULL, 'not_submitted', 'submission_unknown'))
    AS submission, -- of its notice: not_submitted, submission_unknown (claimed, and no sure outcome), submitted
  c.at AS notification_started_at, -- when the one notice was claimed
  o.at AS notification_finished_at, -- when its outcome was recorded
  o.detail AS notification_detail, -- the receipt, or the reason
  w.at AS wait_returned_at, -- an answer: when a waiting asker got it
  o.recipient_status, -- the state of the recipient's session seen at the notice
  iif(r.id IS NULL, 'saved', 'reply_received') AS state -- a request: reply_received once it is answered
FROM messages AS m
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id
LEFT JOIN wait_returns AS w ON w.message_id = m.id
LEFT JOIN messages AS r ON r.in_reply_to = m.id;

CREATE VIEW open_by_facts_v AS
-- Private. The open messages by the facts alone: questions without an answer, and answers without an acknowledgment.
SELECT
  m.recipient, -- whose mail it is
  m.seq -- which message
FROM messages AS m
WHERE CASE
  WHEN m.in_reply_to IS NULL THEN NOT EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id)
  ELSE NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
END;

CREATE VIEW peer_v AS
-- The registered peers, one row each.
SELECT
  p.name, -- how commands call the peer
  p.harness, -- the program: codex, claude and opencode can be notified, any other label only pulls
  p.delivery, -- native (its client is told of new mail) or pull (it looks for itself)
  p.session_id, -- the client's own id of the session; NULL for pull
  p.workspace, -- the directory in which the session works; NULL for pull
  p.home, -- the client's configuration directory, where it is not the usual one
  p.socket, -- a Codex app server's socket, where one was named
  p.url, -- an OpenCode server's URL
  ( SELECT iif(t.action = 'retired', t.at, NULL) FROM peer_retirements AS t
    WHERE t.peer = p.name ORDER BY t.seq DESC LIMIT 1
  ) AS retired_at -- since when no new request goes to or from this peer; NULL while it takes part
FROM peers AS p;

CREATE VIEW recovery_v AS
-- What a peer can do about a message it sent or received: one row an action, `htalk --as PEER VERB TARGET_ID`.
SELECT
  m.id AS message_id, -- the message
  m.sender AS peer, -- who can do it
  'show' AS action, -- the name of the action
  'show' AS verb, -- the command
  m.id AS target_id -- what to call it on
FROM messages AS m
UNION ALL
SELECT m.id, m.recipient, 'show', 'show', m.id FROM messages AS m
UNION ALL
SELECT m.id, m.sender, 'wait', 'wait', m.id FROM messages AS m
WHERE m.in_reply_to IS NULL AND NOT EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id)
UNION ALL
SELECT m.id, m.sender, 'show_reply', 'show', r.id FROM messages AS m JOIN messages AS r ON r.in_reply_to = m.id
UNION ALL
SELECT m.id, m.sender, 'ack_after_reading', 'ack', r.id FROM messages AS m JOIN messages AS r ON r.in_reply_to = m.id
WHERE NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = r.id)
UNION ALL
SELECT m.id, m.recipient, 'ack_after_reading', 'ack', m.id FROM messages AS m
WHERE NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
UNION ALL
SELECT m.id, m.recipient, 'retry_notification_cleanup', 'ack', m.id
FROM messages AS m JOIN cleanup_v AS t ON t.message_id = m.id
-- A list would be put into a table of its own for each message.
WHERE CASE t.status WHEN 'pending' THEN 1 WHEN 'due' THEN 1 WHEN 'unavailable' THEN 1 WHEN 'unknown' THEN 1 END;

CREATE VIEW sent_v AS
-- What each peer sent, requests and answers, with the answer that came back.
-- A peer's sent mail, newest first: SELECT * FROM sent_v WHERE sender = 'NAME' ORDER BY seq DESC;
SELECT
  m.seq, -- as in message_v, like all that follows
  m.id, -- see message_v
  m.sender, -- see message_v
  m.recipient, -- see message_v
  m.in_reply_to, -- see message_v
  m.body, -- see message_v
  m.created_at, -- see message_v
  m.ack_at, -- see message_v
  m.submission, -- see message_v
  m.notification_started_at, -- see message_v
  m.notification_finished_at, -- see message_v
  m.notification_detail, -- see message_v
  m.wait_returned_at, -- see message_v
  m.recipient_status, -- see message_v
  m.state, -- see message_v
  r.id AS reply_id, -- a request: the id of its answer
  r.body AS reply_body -- a request: the text of its answer
FROM message_v AS m
LEFT JOIN messages AS r ON r.in_reply_to = m.id;

CREATE TRIGGER acks_delete_rules BEFORE DELETE ON acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER acks_insert_done AFTER INSERT ON acks BEGIN
  DELETE FROM open_mail
  WHERE (recipient, seq) = (
    SELECT m.recipient, m.seq FROM messages AS m WHERE m.id = NEW.message_id AND m.in_reply_to IS NOT NULL);
END;

CREATE TRIGGER acks_insert_rules BEFORE INSERT ON acks BEGIN
  SELECT RAISE(ABORT, 'unknown_message') WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.message_id);
  SELECT RAISE(ABORT, 'only_recipient_can_ack') FROM messages WHERE id = NEW.message_id AND recipient IS NOT NEW.peer;
  SELECT RAISE(IGNORE) FROM acks WHERE message_id = NEW.message_id;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER acks_update_rules BEFORE UPDATE ON acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER messages_delete_rules BEFORE DELETE ON messages BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER messages_insert_done AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
  DELETE FROM open_mail
  WHERE (recipient, seq) = (SELECT m.recipient, m.seq FROM messages AS m WHERE m.id = NEW.in_reply_to);
END;

CREATE TRIGGER messages_insert_open AFTER INSERT ON messages
WHEN EXISTS (SELECT 1 FROM open_by_facts_v WHERE seq = NEW.seq) BEGIN
  INSERT INTO open_mail (recipient, seq) VALUES (NEW.recipient, NEW.seq);
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
  SELECT RAISE(ABORT, 'message_must_be_1_to_32000_bytes')
  WHERE NEW.body IS NULL
    OR length(CAST(NEW.body AS BLOB))
      NOT BETWEEN 1 AND coalesce((SELECT bytes FROM body_limit_v WHERE id = NEW.id), 32000);
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

CREATE TRIGGER messages_update_rules BEFORE UPDATE ON messages BEGIN
  SELECT RAISE(ABORT, 'message_is_immutable');
END;

CREATE TRIGGER notice_claims_delete_rules BEFORE DELETE ON notice_claims BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

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

CREATE TRIGGER notice_cleanups_delete_rules BEFORE DELETE ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_cleanups_insert_done AFTER INSERT ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER notice_cleanups_insert_rules BEFORE INSERT ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'unknown_message') WHERE NOT EXISTS (SELECT 1 FROM acks WHERE message_id = NEW.message_id);
  SELECT RAISE(ABORT, 'invalid_seq')
  WHERE NEW.seq <> -1
    AND (NEW.seq >= 9007199254740992 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM notice_cleanups));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER notice_cleanups_update_rules BEFORE UPDATE ON notice_cleanups BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER notice_outcomes_delete_rules BEFORE DELETE ON notice_outcomes BEGIN
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

CREATE TRIGGER open_mail_delete_rules BEFORE DELETE ON open_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent') FROM open_by_facts_v WHERE seq = OLD.seq AND recipient = OLD.recipient;
END;

CREATE TRIGGER open_mail_insert_rules BEFORE INSERT ON open_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent')
  WHERE NOT EXISTS (SELECT 1 FROM open_by_facts_v WHERE seq = NEW.seq AND recipient = NEW.recipient);
  SELECT RAISE(IGNORE) FROM open_mail WHERE recipient = NEW.recipient AND seq = NEW.seq;
END;

CREATE TRIGGER open_mail_update_rules BEFORE UPDATE ON open_mail BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_retirements_delete_rules BEFORE DELETE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_retirements_insert_done AFTER INSERT ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER peer_retirements_insert_rules BEFORE INSERT ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'unknown_peer') WHERE NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer);
  SELECT RAISE(IGNORE) FROM peer_v
  WHERE name = NEW.peer AND NEW.action = iif(retired_at IS NULL, 'restored', 'retired');
  -- An unnamed seq is -1 here and checked after the insert.
  SELECT RAISE(ABORT, 'invalid_seq')
  WHERE NEW.seq <> -1
    AND (NEW.seq >= 9007199254740992 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM peer_retirements));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER peer_retirements_update_rules BEFORE UPDATE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peers_delete_rules BEFORE DELETE ON peers BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peers_insert_rules BEFORE INSERT ON peers BEGIN
  -- GLOB stops at U+0000, hence the comparison of bytes with characters: a valid name is ASCII throughout.
  SELECT RAISE(ABORT, 'invalid_peer_name')
  WHERE typeof(NEW.name) <> 'text' OR length(CAST(NEW.name AS BLOB)) NOT BETWEEN 1 AND 64
    OR length(CAST(NEW.name AS BLOB)) <> length(NEW.name)
    OR NEW.name GLOB '*[^a-z0-9_-]*' OR NEW.name GLOB '[_-]*';
  SELECT RAISE(ABORT, 'unsupported_delivery') WHERE NEW.delivery IS NULL OR NEW.delivery NOT IN ('native', 'pull');
  SELECT RAISE(ABORT, 'unsupported_harness')
  WHERE NEW.delivery = 'native' AND (NEW.harness IS NULL OR NEW.harness NOT IN ('codex', 'claude', 'opencode'));
  SELECT RAISE(ABORT, 'invalid_harness_id')
  WHERE typeof(NEW.harness) <> 'text' OR length(CAST(NEW.harness AS BLOB)) NOT BETWEEN 1 AND 64
    OR length(CAST(NEW.harness AS BLOB)) <> length(NEW.harness)
    OR NEW.harness GLOB '*[^a-z0-9_-]*' OR NEW.harness GLOB '[_-]*';
  SELECT RAISE(ABORT, 'pull_peer_has_no_native_address')
  WHERE NEW.delivery = 'pull' AND coalesce(NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url) IS NOT NULL;

  -- From here on the peer is a native one.
  SELECT RAISE(ABORT, 'claude_socket_is_discovered_from_live_identity')
  WHERE NEW.harness = 'claude' AND NEW.socket IS NOT NULL;
  SELECT RAISE(ABORT, 'opencode_uses_a_server_url_not_a_socket')
  WHERE NEW.harness = 'opencode' AND NEW.socket IS NOT NULL;
  SELECT RAISE(ABORT, 'url_is_only_for_opencode') WHERE NEW.harness <> 'opencode' AND NEW.url IS NOT NULL;
  SELECT RAISE(ABORT, 'home_is_only_for_codex_and_claude') WHERE NEW.harness = 'opencode' AND NEW.home IS NOT NULL;
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE NEW.delivery = 'native' AND NEW.harness IN ('codex', 'claude') AND (
    typeof(NEW.session_id) <> 'text' OR length(CAST(NEW.session_id AS BLOB)) <> 36
    OR NEW.session_id NOT GLOB '????????-????-????-????-????????????'
    OR replace(NEW.session_id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.session_id, '-', '')) <> 32);
  SELECT RAISE(ABORT, 'invalid_opencode_session_id')
  WHERE NEW.delivery = 'native' AND NEW.harness = 'opencode' AND (
    typeof(NEW.session_id) <> 'text' OR length(CAST(NEW.session_id AS BLOB)) NOT BETWEEN 4 AND 256
    OR length(CAST(NEW.session_id AS BLOB)) <> length(NEW.session_id)
    OR NEW.session_id NOT GLOB 'ses*' OR NEW.session_id GLOB '*[^A-Za-z0-9_.-]*');
  SELECT RAISE(ABORT, 'workspace_must_be_a_directory')
  WHERE NEW.delivery = 'native' AND (typeof(NEW.workspace) <> 'text' OR NEW.workspace NOT GLOB '/*');

  SELECT RAISE(IGNORE) FROM peers
  WHERE name = NEW.name
    AND (harness, delivery, session_id, workspace, home, socket, url)
      IS (NEW.harness, NEW.delivery, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
  SELECT RAISE(ABORT, 'peer_already_has_a_different_address') FROM peers WHERE name = NEW.name;
  SELECT RAISE(ABORT, 'session_already_has_a_peer_name') FROM peers
  WHERE harness = NEW.harness AND session_id = NEW.session_id;
END;

CREATE TRIGGER peers_update_rules BEFORE UPDATE ON peers BEGIN
  SELECT RAISE(ABORT, 'peer_is_immutable');
END;

CREATE TRIGGER wait_returns_delete_rules BEFORE DELETE ON wait_returns BEGIN
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

PRAGMA application_id = 1752460395;
PRAGMA user_version = 11;
