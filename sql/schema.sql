-- The whole schema after every migration, by topic. Generated from a new mailbox by HTALK_UPDATE=1 cargo test
-- --release; don't edit it. Tests prove that it is up to date, and that an upgraded mailbox has the same.

-- Peers: who takes part, and where each one is ------------------------------------------------------------------------

CREATE TABLE peers (
  -- Who takes part, one row a peer: its name, its program, and the address with which it was registered. A row is never
  -- changed or deleted; where the peer is now is the newest row of peer_addresses.
  name TEXT NOT NULL PRIMARY KEY, -- how commands call the peer
  harness TEXT NOT NULL, -- its program: one of harnesses, or any label for a pull peer
  delivery TEXT NOT NULL DEFAULT 'native' -- native: its client is told of new mail; pull: it looks for itself
    CONSTRAINT unsupported_delivery CHECK (delivery IN ('native', 'pull')),
  session_id TEXT, -- native: the client's own id of the session
  workspace TEXT, -- native: the directory in which the session works
  home TEXT, -- the client's configuration directory, where it is not the usual one
  socket TEXT, -- the socket of its server
  url TEXT, -- the URL of its server
  CONSTRAINT pull_peer_has_no_native_address
    CHECK (delivery = 'native' OR coalesce(session_id, workspace, home, socket, url) IS NULL)
) WITHOUT ROWID;

CREATE TRIGGER peers_insert_rules BEFORE INSERT ON peers BEGIN
  -- GLOB stops at U+0000; trim() leaves it, and all else that is not allowed.
  SELECT CASE
    WHEN (typeof(NEW.name) = 'text' AND length(NEW.name) <= 64 AND NEW.name GLOB '[a-z0-9]*'
        AND trim(NEW.name, 'abcdefghijklmnopqrstuvwxyz0123456789_-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_peer_name')
    WHEN (NEW.delivery IN ('native', 'pull')) IS NOT 1 THEN RAISE(ABORT, 'unsupported_delivery')
    WHEN NEW.delivery = 'native' AND NOT EXISTS (SELECT 1 FROM harnesses WHERE name = NEW.harness)
      THEN RAISE(ABORT, 'unsupported_harness')
    WHEN (typeof(NEW.harness) = 'text' AND length(NEW.harness) <= 64 AND NEW.harness GLOB '[a-z0-9]*'
        AND trim(NEW.harness, 'abcdefghijklmnopqrstuvwxyz0123456789_-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_harness_id')
    WHEN NEW.delivery = 'pull' AND coalesce(NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url) IS NOT NULL
      THEN RAISE(ABORT, 'pull_peer_has_no_native_address')
  END;

  INSERT INTO address_form_v (harness, session_id, workspace, home, socket, url)
  SELECT NEW.harness, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url WHERE NEW.delivery = 'native';

  SELECT RAISE(IGNORE) FROM peer_v
  WHERE name = NEW.name
    AND (harness, delivery, session_id, workspace, home, socket, url)
      IS (NEW.harness, NEW.delivery, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM peers WHERE name = NEW.name)
      THEN RAISE(ABORT, 'peer_already_has_a_different_address')
    WHEN EXISTS (SELECT 1 FROM session_v WHERE harness = NEW.harness AND session_id = NEW.session_id)
      THEN RAISE(ABORT, 'session_already_has_a_peer_name')
  END;
END;

CREATE TRIGGER peers_insert_address AFTER INSERT ON peers WHEN NEW.delivery = 'native' BEGIN
  INSERT INTO peer_addresses (peer, session_id, workspace, home, socket, url)
  VALUES (NEW.name, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
END;

CREATE TRIGGER peers_update_rules BEFORE UPDATE ON peers BEGIN
  SELECT RAISE(ABORT, 'peer_is_immutable');
END;

CREATE TRIGGER peers_delete_rules BEFORE DELETE ON peers BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TABLE peer_addresses (
  -- Where the session of a native peer is. The newest row of a peer counts; the others tell where it was.
  seq INTEGER NOT NULL PRIMARY KEY,
  peer TEXT NOT NULL REFERENCES peers (name),
  session_id TEXT, -- as in peers, likewise the next four; what a row leaves out is NULL
  workspace TEXT,
  home TEXT,
  socket TEXT,
  url TEXT,
  host TEXT, -- the machine of the session; NULL: that of the mailbox
  at REAL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds; NULL only in rows of harness-talk
);

CREATE INDEX peer_addresses_peer ON peer_addresses (peer);

CREATE INDEX peer_addresses_session ON peer_addresses (session_id);

CREATE TRIGGER peer_addresses_insert_rules BEFORE INSERT ON peer_addresses BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer) THEN RAISE(ABORT, 'unknown_peer')
    WHEN EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer AND delivery <> 'native')
      THEN RAISE(ABORT, 'pull_peer_has_no_native_address')
    WHEN EXISTS (SELECT 1 FROM peer_v WHERE name = NEW.peer AND retired_at IS NOT NULL)
      THEN RAISE(ABORT, 'peer_retired')
  END;

  INSERT INTO address_form_v (harness, session_id, workspace, home, socket, url)
  SELECT harness, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url FROM peers WHERE name = NEW.peer;

  -- What is the newest address already changes nothing.
  SELECT RAISE(IGNORE) FROM peer_addresses
  WHERE seq = (SELECT max(seq) FROM peer_addresses WHERE peer = NEW.peer)
    AND (session_id, workspace, home, socket, url, host)
      IS (NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url, NEW.host);
  SELECT CASE
    WHEN EXISTS (
        SELECT 1 FROM session_v AS s JOIN peers AS p ON p.name = NEW.peer AND p.harness = s.harness
        WHERE s.session_id = NEW.session_id AND s.name <> NEW.peer)
      THEN RAISE(ABORT, 'session_already_has_a_peer_name')
    WHEN typeof(NEW.host) NOT IN ('null', 'text') OR NEW.host = '' THEN RAISE(ABORT, 'invalid_value')
    -- A seq that was not named is -1 here; the real one is checked after the insert.
    WHEN NEW.seq <> -1
        AND (NEW.seq >= 4503599627370496 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM peer_addresses))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER peer_addresses_insert_done AFTER INSERT ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER peer_addresses_update_rules BEFORE UPDATE ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_addresses_delete_rules BEFORE DELETE ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE VIEW address_form_v AS
-- Private. No rows: an INSERT asks whether an address has the form that its client demands, and does nothing else.
SELECT
  NULL AS harness, -- the client
  NULL AS session_id, -- the parts of the address, as in peers
  NULL AS workspace, -- likewise
  NULL AS home, -- likewise
  NULL AS socket, -- likewise
  NULL AS url -- likewise
WHERE false;

CREATE TRIGGER address_form_insert_rules INSTEAD OF INSERT ON address_form_v BEGIN
  SELECT CASE
    WHEN NEW.socket IS NOT NULL AND NOT has_socket
      THEN iif(has_url, RAISE(ABORT, 'opencode_uses_a_server_url_not_a_socket'),
        RAISE(ABORT, 'claude_socket_is_discovered_from_live_identity'))
    WHEN NEW.url IS NOT NULL AND NOT has_url THEN RAISE(ABORT, 'url_is_only_for_opencode')
    WHEN NEW.home IS NOT NULL AND NOT has_home THEN RAISE(ABORT, 'home_is_only_for_codex_and_claude')
    WHEN session_form = 'uuid' AND (typeof(NEW.session_id) = 'text' AND length(CAST(NEW.session_id AS BLOB)) = 36
        AND NEW.session_id GLOB replace('########-####-####-####-############', '#', '[0-9a-f]')) IS NOT 1
      THEN RAISE(ABORT, 'invalid_uuid')
    WHEN session_form = 'ses' AND (typeof(NEW.session_id) = 'text' AND length(NEW.session_id) BETWEEN 4 AND 256
        AND NEW.session_id GLOB 'ses*' AND trim(NEW.session_id,
          'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_opencode_session_id')
    WHEN typeof(NEW.workspace) <> 'text' OR NEW.workspace NOT GLOB '/*'
      THEN RAISE(ABORT, 'workspace_must_be_a_directory')
  END
  FROM harnesses WHERE name = NEW.harness;
END;

CREATE VIEW session_v AS
-- Private. Which session has which name now, one row a native peer. It is looked up by its session_id.
SELECT
  a.session_id, -- the client's own id of the session
  p.harness, -- the client
  p.name, -- the peer
  a.seq -- the peer's newest address
FROM peer_addresses AS a
JOIN peers AS p ON p.name = a.peer
WHERE a.seq = (SELECT max(n.seq) FROM peer_addresses AS n WHERE n.peer = a.peer);

CREATE TABLE harnesses (
  -- Private. The clients whose sessions can be notified, and what the address of such a session has (1: yes, 0: no).
  name TEXT NOT NULL PRIMARY KEY, -- as in peers.harness
  session_form TEXT NOT NULL, -- what its session ids look like: uuid, ses
  has_home INTEGER NOT NULL, -- a configuration directory
  has_socket INTEGER NOT NULL, -- the socket of a server
  has_url INTEGER NOT NULL, -- the URL of a server
  can_withdraw INTEGER NOT NULL -- whether it takes an accepted notice back
) WITHOUT ROWID;

CREATE TABLE peer_retirements (
  -- Private. When a peer left and came back. The newest row of a peer counts.
  seq INTEGER NOT NULL PRIMARY KEY,
  peer TEXT NOT NULL REFERENCES peers (name),
  action TEXT NOT NULL, -- retired or restored
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
);

CREATE INDEX peer_retirements_peer ON peer_retirements (peer);

CREATE TRIGGER peer_retirements_insert_rules BEFORE INSERT ON peer_retirements BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer) THEN RAISE(ABORT, 'unknown_peer')
    WHEN NEW.action NOT IN ('retired', 'restored') THEN RAISE(ABORT, 'invalid_value')
    WHEN NEW.action = iif((SELECT retired_at FROM peer_v WHERE name = NEW.peer) IS NULL, 'restored', 'retired')
      THEN RAISE(IGNORE)
    -- A seq that was not named is -1 here; the real one is checked after the insert.
    WHEN NEW.seq <> -1 AND (NEW.seq >= 4503599627370496 OR NEW.seq <= (SELECT max(seq) FROM peer_retirements))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER peer_retirements_insert_done AFTER INSERT ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER peer_retirements_update_rules BEFORE UPDATE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_retirements_delete_rules BEFORE DELETE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE VIEW peer_v AS
-- The registered peers with their present addresses, one row each.
SELECT
  p.name, -- how commands call the peer
  p.harness, -- the program: codex, claude and opencode can be notified, any other label only pulls
  p.delivery, -- native (its client is told of new mail) or pull (it looks for itself)
  a.session_id, -- the client's own id of the session; NULL for pull
  a.workspace, -- the directory in which the session works; NULL for pull
  a.home, -- the client's configuration directory, where it is not the usual one
  a.socket, -- a Codex app server's socket, where one was named
  a.url, -- an OpenCode server's URL
  ( SELECT iif(t.action = 'retired', t.at, NULL) FROM peer_retirements AS t
    WHERE t.peer = p.name ORDER BY t.seq DESC LIMIT 1
  ) AS retired_at -- since when no new request goes to or from this peer; NULL while it takes part
FROM peers AS p
LEFT JOIN peer_addresses AS a ON a.seq = (SELECT max(n.seq) FROM peer_addresses AS n WHERE n.peer = p.name);

CREATE VIEW peer_address_v AS
-- Where the session of each native peer is and was. A peer's addresses, the present one first:
-- SELECT * FROM peer_address_v WHERE peer = 'NAME' ORDER BY seq DESC;
SELECT
  seq, -- grows with every address
  peer, -- whose address it is
  session_id, -- the client's own id of the session
  workspace, -- the directory in which the session works
  home, -- the client's configuration directory, where it is not the usual one
  socket, -- a Codex app server's socket, where one was named
  url, -- an OpenCode server's URL
  host, -- the machine of the session; NULL: that of the mailbox
  at -- since when, in Unix seconds; NULL where harness-talk did not record it
FROM peer_addresses;

-- Messages: requests, answers and notes -------------------------------------------------------------------------------

CREATE TABLE messages (
  -- Requests, answers and notes. A row is never changed or deleted; what became of it are rows of other tables
  -- (message_v). Sender, recipient and body make a complete request.
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- grows with every message
  id TEXT NOT NULL UNIQUE DEFAULT ( -- a UUID; a random one (version 4) if left out
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  sender TEXT NOT NULL REFERENCES peers (name),
  recipient TEXT NOT NULL REFERENCES peers (name),
  in_reply_to TEXT REFERENCES messages (id), -- an answer: the id of its request; others: NULL
  kind TEXT, -- request, answer or note; NULL: an answer where in_reply_to says so, else a request
  about TEXT REFERENCES messages (id), -- a request or a note: an earlier message of the conversation it belongs to
  batch TEXT REFERENCES batches (id), -- private; a request to several recipients: what was sent with it
  sender_source TEXT, -- private; what named the sender: option, HTALK_PEER, native_session; NULL: plain SQL
  sender_session TEXT, -- private; the session of a client that spoke, where one was recognised
  body TEXT NOT NULL, -- 1 to 32,000 bytes of text, not all blank (of a handoff more)
  created_at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
);

CREATE UNIQUE INDEX messages_one_answer ON messages (in_reply_to) WHERE in_reply_to IS NOT NULL;

CREATE INDEX messages_sender ON messages (sender);

CREATE UNIQUE INDEX messages_batch ON messages (batch, recipient) WHERE batch IS NOT NULL;

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

CREATE TRIGGER messages_insert_done AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq NOT BETWEEN 1 AND 9007199254740991;
  DELETE FROM open_mail
  WHERE recipient = NEW.sender AND seq = (SELECT m.seq FROM messages AS m WHERE m.id = NEW.in_reply_to);
END;

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

CREATE TRIGGER messages_insert_thread AFTER INSERT ON messages
WHEN coalesce(NEW.in_reply_to, NEW.about) IS NOT NULL BEGIN
  INSERT INTO thread_mail (seq, root)
  VALUES (NEW.seq, (SELECT root FROM root_by_facts_v WHERE seq = NEW.seq));
END;

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

CREATE VIEW message_v AS
-- Every message with what became of it, one row each. Times are Unix seconds; NULL where it has not happened.
SELECT
  m.seq, -- grows with every saved message
  m.id, -- its UUID
  m.sender, -- the peer who wrote it
  m.recipient, -- the peer it is for
  m.in_reply_to, -- an answer: the id of its request; others: NULL
  coalesce(m.kind, iif(m.in_reply_to IS NULL, 'request', 'answer'))
    AS kind, -- request, answer or note
  m.about, -- a request or a note: the earlier message that it is about
  m.body, -- the text, byte for byte
  m.created_at, -- when it was saved
  a.at AS ack_at, -- when its recipient first acknowledged it
  x.at AS cancelled_at, -- a request: when its sender took it back
  coalesce(o.submission, iif(c.message_id IS NULL, 'not_submitted', 'submission_unknown'))
    AS submission, -- of its notice: not_submitted, submission_unknown (claimed, and no sure outcome), submitted
  c.at AS notification_started_at, -- when the notice was claimed; of several attempts the newest counts
  o.at AS notification_finished_at, -- when its outcome was recorded
  o.detail AS notification_detail, -- the receipt, or the reason
  w.at AS wait_returned_at, -- an answer: when a waiting asker got it
  o.recipient_status, -- the state of the recipient's session seen at the notice
  m.sender_source, -- what named the sender: option, HTALK_PEER, native_session; NULL: plain SQL, or an earlier release
  m.sender_session, -- the session of a client that spoke, where one was recognised
  CASE WHEN r.id IS NOT NULL THEN 'reply_received' WHEN x.at IS NOT NULL THEN 'cancelled' ELSE 'saved' END
    AS state -- saved; a request: reply_received once it is answered, cancelled once it is taken back
FROM messages AS m
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
  AND c.attempt = (SELECT max(n.attempt) FROM notice_claims AS n WHERE n.message_id = m.id)
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id AND o.attempt = coalesce(c.attempt, 1)
LEFT JOIN wait_returns AS w ON w.message_id = m.id
LEFT JOIN messages AS r ON r.in_reply_to = m.id;

CREATE VIEW sent_v AS
-- What each peer sent: the columns of message_v, and the answer of a request.
-- A peer's sent mail, newest first: SELECT * FROM sent_v WHERE sender = 'NAME' ORDER BY seq DESC;
SELECT
  m.*,
  r.id AS reply_id, -- a request: the id of its answer
  r.body AS reply_body -- a request: the text of its answer
FROM message_v AS m
LEFT JOIN messages AS r ON r.in_reply_to = m.id;

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
  q.notification_started_at AS notice_claimed_at, -- the request's one notice was begun
  q.notification_finished_at AS notice_finished_at, -- and its outcome recorded
  q.submission AS notice_submission, -- that outcome, as in message_v
  q.notification_detail AS notice_detail, -- the notice's receipt, or the reason
  q.ack_at AS acknowledged_at, -- the one who was asked acknowledged the request
  q.cancelled_at, -- the one who asked took the request back
  r.created_at AS answered_at, -- the answer was saved
  ra.at AS answer_acknowledged_at -- the one who asked acknowledged the answer
FROM message_v AS q
LEFT JOIN messages AS r ON r.in_reply_to = q.id
LEFT JOIN acks AS ra ON ra.message_id = r.id
WHERE q.kind = 'request';

CREATE TABLE actions (
  -- Private. What can be done about a message, by whom, in the order in which recovery_v offers it (1: yes, 0: no).
  place INTEGER NOT NULL PRIMARY KEY,
  action TEXT NOT NULL, -- as in recovery_v
  verb TEXT NOT NULL, -- the command
  options TEXT, -- as in recovery_v
  is_for_sender INTEGER NOT NULL, -- by the sender of the message, else by its recipient
  is_on_answer INTEGER NOT NULL -- the command is called on the answer to the message
);

CREATE VIEW recovery_v AS
-- What a peer can do about a message it sent or received: one row an action, `htalk --as PEER VERB TARGET_ID OPTIONS`.
SELECT
  m.id AS message_id, -- the message
  iif(can.is_for_sender, m.sender, m.recipient) AS peer, -- who can do it
  can.action, -- the name of the action
  can.verb, -- the command
  iif(can.is_on_answer, r.id, m.id) AS target_id, -- what to call it on
  can.options -- what follows that: options with their values, between blanks; TEXT stands for a text; or NULL
FROM messages AS m
JOIN actions AS can
LEFT JOIN messages AS r ON r.in_reply_to = m.id
LEFT JOIN acks AS a ON a.message_id = iif(can.is_on_answer, r.id, m.id)
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
  AND c.attempt = (SELECT max(n.attempt) FROM notice_claims AS n WHERE n.message_id = m.id)
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id AND o.attempt = coalesce(c.attempt, 1)
WHERE (r.id IS NOT NULL OR NOT can.is_on_answer) AND CASE
  WHEN can.action IN ('wait', 'reply', 'reply_with_message')
    THEN m.in_reply_to IS NULL AND m.kind IS NOT 'note' AND r.id IS NULL AND x.at IS NULL
  WHEN can.action = 'nudge' THEN EXISTS (SELECT 1 FROM nudge_v AS n WHERE n.message_id = m.id)
  WHEN can.action = 'ack_after_reading' THEN a.at IS NULL
  -- What a client has in its queue, or may have there soon, and the last try did not take out of it.
  WHEN can.action = 'retry_notification_cleanup' THEN iif(can.is_for_sender, x.at, a.at) IS NOT NULL
    AND iif(o.message_id IS NULL, c.message_id, o.queue_id) IS NOT NULL
    AND coalesce((SELECT t.status FROM notice_cleanups AS t WHERE t.message_id = m.id ORDER BY t.seq DESC LIMIT 1), '')
      NOT IN ('removed', 'absent')
  ELSE 1
END;

-- Conversations: what belongs together --------------------------------------------------------------------------------

CREATE TABLE thread_mail (
  -- Private. The conversation of each message that does not begin one, so that a conversation is looked up and not
  -- searched for. Triggers derive it from the facts, and refuse a row that root_by_facts_v does not confirm.
  seq INTEGER NOT NULL PRIMARY KEY, -- the message
  root INTEGER NOT NULL -- the message that began its conversation, by its seq
);

CREATE INDEX thread_mail_root ON thread_mail (root);

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

CREATE VIEW root_by_facts_v AS
-- Private. The root of a message's conversation by the facts: that of the message which it answers or is about.
SELECT
  m.seq, -- which message
  coalesce(t.root, parent.seq) AS root -- the message that began its conversation, by its seq
FROM messages AS m
JOIN messages AS parent ON parent.id = coalesce(m.in_reply_to, m.about)
LEFT JOIN thread_mail AS t ON t.seq = parent.seq;

CREATE VIEW thread_v AS
-- Every message with its conversation: what began it, its answer, and all that is about a message of it. The columns
-- are those of message_v and one more. A conversation: SELECT * FROM thread_v WHERE root_id = 'ID' ORDER BY seq;
SELECT
  v.*,
  r.id AS root_id -- the message that began the conversation
FROM messages AS r
JOIN thread_mail AS t ON t.root = r.seq
JOIN message_v AS v ON v.seq = t.seq
UNION ALL
SELECT v.*, v.id FROM message_v AS v WHERE v.in_reply_to IS NULL AND v.about IS NULL;

-- Batches and cancellations: several recipients, and what was taken back ----------------------------------------------

CREATE TABLE batches (
  -- Private. Requests to several recipients that were saved together (batch_v).
  id TEXT NOT NULL PRIMARY KEY, -- a UUID
  sender TEXT NOT NULL REFERENCES peers (name),
  size INTEGER NOT NULL, -- how many recipients; a batch that has them all takes no other
  has_notices INTEGER NOT NULL -- whether the recipients are to be notified (1: yes, 0: no)
) WITHOUT ROWID;

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

CREATE VIEW batch_v AS
-- Requests that were sent to several recipients together, one row each.
SELECT
  m.batch, -- the id of all that were sent together
  m.id AS message_id, -- the request
  m.recipient, -- who was asked
  r.id AS answer_id -- the answer; NULL while there is none
FROM messages AS m
LEFT JOIN messages AS r ON r.in_reply_to = m.id
WHERE m.batch IS NOT NULL;

CREATE TABLE cancellations (
  -- The sender has taken an unanswered request back.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT REFERENCES peers (name), -- its sender; NULL where the writer did not say who it is
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

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

-- Acknowledgments: what was read --------------------------------------------------------------------------------------

CREATE TABLE acks (
  -- The recipient has read a message. The first acknowledgment counts.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT NOT NULL REFERENCES peers (name), -- its recipient
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

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

-- Notices: how a recipient's client was told --------------------------------------------------------------------------

CREATE TABLE notice_claims (
  -- Private. A notice of a message is about to be attempted. There is one attempt; another one only after one that was
  -- definitely not submitted. The newest attempt of a message counts.
  message_id TEXT NOT NULL REFERENCES messages (id),
  attempt INTEGER NOT NULL DEFAULT 1, -- 1, 2, …
  address INTEGER REFERENCES peer_addresses (seq), -- where its recipient was then; NULL in rows of harness-talk
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0), -- Unix seconds
  PRIMARY KEY (message_id, attempt)
) WITHOUT ROWID;

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

CREATE TABLE notice_outcomes (
  -- Private. What came of an attempt.
  message_id TEXT NOT NULL REFERENCES messages (id),
  attempt INTEGER NOT NULL DEFAULT 1, -- as in notice_claims
  submission TEXT NOT NULL, -- not_submitted, submission_unknown, submitted
  at REAL DEFAULT ((julianday('now') - 2440587.5) * 86400.0), -- Unix seconds; NULL only in rows of harness-talk
  detail TEXT, -- the client's receipt, or the code of what went wrong
  queue_id TEXT, -- submitted: the client's id of the queued notice, where it gives one
  recipient_status TEXT, -- the state of the recipient's session that was seen
  PRIMARY KEY (message_id, attempt)
) WITHOUT ROWID;

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

CREATE VIEW nudge_v AS
-- Private. The open messages of whose notice another attempt may be made, one row each: the newest attempt was
-- definitely not submitted, or a send to several recipients did not come to this one.
SELECT
  m.id AS message_id, -- the message
  coalesce(o.attempt + 1, 1) AS attempt -- the number of the attempt
FROM messages AS m
JOIN open_mail AS i ON i.recipient = m.recipient AND i.seq = m.seq
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id
  AND o.attempt = (SELECT max(n.attempt) FROM notice_outcomes AS n WHERE n.message_id = m.id)
WHERE CASE
    WHEN EXISTS (SELECT 1 FROM notice_claims AS c WHERE c.message_id = m.id AND c.attempt > coalesce(o.attempt, 0))
      THEN 0
    WHEN o.attempt IS NULL THEN EXISTS (SELECT 1 FROM batches AS b WHERE b.id = m.batch AND b.has_notices)
    ELSE o.submission = 'not_submitted'
  END
  AND NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  AND EXISTS (SELECT 1 FROM peers AS p WHERE p.name = m.recipient AND p.delivery = 'native');

CREATE TABLE notice_cleanups (
  -- Private. Each try to take an accepted notice back after its message was acknowledged or cancelled. The newest row
  -- of a message counts.
  seq INTEGER NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id),
  status TEXT NOT NULL, -- removed, absent, unsupported, unavailable, unknown
  detail TEXT, -- the code of what went wrong
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
);

CREATE INDEX notice_cleanups_message ON notice_cleanups (message_id);

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

-- Waits: who waits for an answer, and what a wait returned ------------------------------------------------------------

CREATE TABLE waits (
  -- Private. No facts but leases: who waits for which answer, until when. A row is deleted when its wait ends.
  token TEXT NOT NULL, -- a UUID; names the file by which the waiter is woken
  message_id TEXT NOT NULL REFERENCES messages (id), -- the request; a wait for a batch has a row for each
  peer TEXT NOT NULL, -- its sender
  until REAL NOT NULL, -- Unix seconds
  PRIMARY KEY (token, message_id)
) WITHOUT ROWID;

CREATE INDEX waits_message ON waits (message_id);

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

CREATE VIEW waiting_v AS
-- Who waits for an answer now, one row a request. A waiter that was killed stands here until its time is over.
SELECT
  w.message_id, -- the request
  m.sender AS waiter, -- who waits
  m.recipient AS awaited, -- whose answer is awaited
  max(w.until) AS until -- how long, in Unix seconds
FROM waits AS w
JOIN messages AS m ON m.id = w.message_id
WHERE w.until > (julianday('now') - 2440587.5) * 86400.0
GROUP BY w.message_id;

CREATE TABLE wait_returns (
  -- Private. An asker that waited got the answer.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id), -- the answer
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

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

-- Open mail: what is in an inbox --------------------------------------------------------------------------------------

CREATE TABLE open_mail (
  -- Private. The open messages of each peer, so that an inbox is looked up and not searched for. Triggers derive it
  -- from the facts, and refuse a change that open_by_facts_v does not confirm.
  recipient TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (recipient, seq)
) WITHOUT ROWID;

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
  ELSE NOT EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id)
    AND NOT EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id)
END;

CREATE VIEW inbox_v AS
-- The open mail: requests neither answered nor cancelled (acknowledged or not), and unacknowledged answers and notes.
-- The columns are those of message_v. A peer's inbox: SELECT * FROM inbox_v WHERE recipient = 'NAME' ORDER BY seq;
SELECT * FROM open_mail JOIN message_v USING (recipient, seq);

-- Codes: what a refusal means -----------------------------------------------------------------------------------------

CREATE TABLE error_codes (
  -- What the codes mean with which a rule of this file refuses. The program has tables of its own for its own codes.
  code TEXT NOT NULL PRIMARY KEY, -- the literal of a RAISE, or the name of a CHECK
  kind TEXT NOT NULL, -- what kind of thing it is about; docs/errors.md lists the kinds
  meaning TEXT NOT NULL,
  next_step TEXT NOT NULL
) WITHOUT ROWID;

-- The migrations that were run ----------------------------------------------------------------------------------------

CREATE TABLE refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

PRAGMA application_id = 1752460395;
PRAGMA user_version = 28;
