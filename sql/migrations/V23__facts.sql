-- The tables of the mailbox, and how the rows of harness-talk come into them. There a message was one row that was
-- changed; here each thing that happened to it (an acknowledgment, a claimed notice, its outcome, a returned wait) is a
-- row of its own, written once. The rules come in V24 to V27, after the old rows: an old row may break a younger rule
-- (a body with U+0000, an outcome without a claim), so the tables demand only what every old row satisfies.
--
-- Tables without an INTEGER PRIMARY KEY are WITHOUT ROWID: a hidden rowid would be one more key that INSERT OR REPLACE
-- can collide with.

ALTER TABLE peers RENAME TO old_peers;
ALTER TABLE messages RENAME TO old_messages;
ALTER TABLE waits RENAME TO old_waits;

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

CREATE TABLE peer_retirements (
  -- Private. When a peer left and came back. The newest row of a peer counts.
  seq INTEGER NOT NULL PRIMARY KEY,
  peer TEXT NOT NULL REFERENCES peers (name),
  action TEXT NOT NULL, -- retired or restored
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
);

CREATE INDEX peer_retirements_peer ON peer_retirements (peer);

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

CREATE TABLE batches (
  -- Private. Requests to several recipients that were saved together (batch_v).
  id TEXT NOT NULL PRIMARY KEY, -- a UUID
  sender TEXT NOT NULL REFERENCES peers (name),
  size INTEGER NOT NULL, -- how many recipients; a batch that has them all takes no other
  has_notices INTEGER NOT NULL -- whether the recipients are to be notified (1: yes, 0: no)
) WITHOUT ROWID;

CREATE TABLE acks (
  -- The recipient has read a message. The first acknowledgment counts.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT NOT NULL REFERENCES peers (name), -- its recipient
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TABLE cancellations (
  -- The sender has taken an unanswered request back.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT REFERENCES peers (name), -- its sender; NULL where the writer did not say who it is
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TABLE notice_claims (
  -- Private. A notice of a message is about to be attempted. There is one attempt; another one only after one that was
  -- definitely not submitted. The newest attempt of a message counts.
  message_id TEXT NOT NULL REFERENCES messages (id),
  attempt INTEGER NOT NULL DEFAULT 1, -- 1, 2, …
  address INTEGER REFERENCES peer_addresses (seq), -- where its recipient was then; NULL in rows of harness-talk
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0), -- Unix seconds
  PRIMARY KEY (message_id, attempt)
) WITHOUT ROWID;

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

CREATE TABLE wait_returns (
  -- Private. An asker that waited got the answer.
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id), -- the answer
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TABLE waits (
  -- Private. No facts but leases: who waits for which answer, until when. A row is deleted when its wait ends.
  token TEXT NOT NULL, -- a UUID; names the file by which the waiter is woken
  message_id TEXT NOT NULL REFERENCES messages (id), -- the request; a wait for a batch has a row for each
  peer TEXT NOT NULL, -- its sender
  until REAL NOT NULL, -- Unix seconds
  PRIMARY KEY (token, message_id)
) WITHOUT ROWID;

CREATE INDEX waits_message ON waits (message_id);

CREATE TABLE open_mail (
  -- Private. The open messages of each peer, so that an inbox is looked up and not searched for. Triggers derive it
  -- from the facts, and refuse a change that open_by_facts_v does not confirm.
  recipient TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (recipient, seq)
) WITHOUT ROWID;

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

CREATE TABLE thread_mail (
  -- Private. The conversation of each message that does not begin one, so that a conversation is looked up and not
  -- searched for. Triggers derive it from the facts, and refuse a row that root_by_facts_v does not confirm.
  seq INTEGER NOT NULL PRIMARY KEY, -- the message
  root INTEGER NOT NULL -- the message that began its conversation, by its seq
);

CREATE INDEX thread_mail_root ON thread_mail (root);

CREATE VIEW root_by_facts_v AS
-- Private. The root of a message's conversation by the facts: that of the message which it answers or is about.
SELECT
  m.seq, -- which message
  coalesce(t.root, parent.seq) AS root -- the message that began its conversation, by its seq
FROM messages AS m
JOIN messages AS parent ON parent.id = coalesce(m.in_reply_to, m.about)
LEFT JOIN thread_mail AS t ON t.seq = parent.seq;

CREATE TABLE error_codes (
  -- What the codes mean with which a rule of this file refuses. The program has tables of its own for its own codes.
  code TEXT NOT NULL PRIMARY KEY, -- the literal of a RAISE, or the name of a CHECK
  kind TEXT NOT NULL, -- what kind of thing it is about; docs/errors.md lists the kinds
  meaning TEXT NOT NULL,
  next_step TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO peers (name, harness, delivery, session_id, workspace, socket, url)
SELECT name, harness, delivery, session_id, workspace, socket, url FROM old_peers;

INSERT INTO peer_addresses (peer, session_id, workspace, socket, url, at)
SELECT name, session_id, workspace, socket, url, NULL FROM old_peers WHERE delivery = 'native' ORDER BY name;

INSERT INTO peer_retirements (peer, action, at)
SELECT name, 'retired', retired_at FROM retired_peers ORDER BY retired_at, name;

INSERT INTO messages (seq, id, sender, recipient, in_reply_to, body, created_at)
SELECT seq, id, sender, recipient, in_reply_to, body, created_at FROM old_messages ORDER BY seq;

INSERT INTO acks (message_id, peer, at)
SELECT id, recipient, ack_at FROM old_messages WHERE ack_at IS NOT NULL;

INSERT INTO notice_claims (message_id, at)
SELECT id, notification_started_at FROM old_messages WHERE notification_started_at IS NOT NULL;

-- Only where the claim alone would not say what the old row said. The receipt of a notice in the queue of Codex ends
-- with its id there.
INSERT INTO notice_outcomes (message_id, submission, at, detail, queue_id)
SELECT
  m.id, m.submission, m.notification_finished_at, m.notification_detail,
  iif(m.submission = 'submitted' AND p.harness = 'codex' AND m.notification_detail GLOB 'codex_*_queued:?*',
    substr(m.notification_detail, instr(m.notification_detail, ':') + 1), NULL)
FROM old_messages AS m
LEFT JOIN old_peers AS p ON p.name = m.recipient
WHERE m.notification_finished_at IS NOT NULL
  OR m.notification_detail IS NOT NULL
  OR m.submission <> iif(m.notification_started_at IS NULL, 'not_submitted', 'submission_unknown');

INSERT INTO wait_returns (message_id, at)
SELECT id, wait_returned_at FROM old_messages WHERE wait_returned_at IS NOT NULL;

INSERT INTO waits (token, message_id, peer, until) SELECT token, message_id, actor, until FROM old_waits;

INSERT INTO open_mail (recipient, seq) SELECT recipient, seq FROM open_by_facts_v;

INSERT INTO thread_mail (seq, root) SELECT seq, root FROM root_by_facts_v;

-- The next seq exceeds the highest ever given, even where that message is not there any more.
DELETE FROM sqlite_sequence WHERE name = 'messages';
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', seq FROM sqlite_sequence WHERE name = 'old_messages';

DROP TABLE old_waits;
DROP TABLE old_messages;
DROP TABLE retired_peers;
DROP TABLE old_peers;

PRAGMA application_id = 0x68746C6B;
PRAGMA user_version = 23;
