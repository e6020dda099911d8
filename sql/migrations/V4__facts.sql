-- From rows that are changed to facts that are appended. What happened to a message (an acknowledgment, a claimed
-- notice, its outcome, a returned wait) becomes a row of its own, written once. The rules come in V5 to V7, after the
-- old rows are in: these may break younger rules (a body with U+0000, an outcome without a claim), so the tables
-- themselves only demand what every old row satisfies.

ALTER TABLE peers RENAME TO old_peers;
ALTER TABLE messages RENAME TO old_messages;
ALTER TABLE waits RENAME TO old_waits;

-- WITHOUT ROWID, here and below: a hidden rowid would be one more key that INSERT OR REPLACE can collide with.
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

CREATE TABLE peer_retirements (
  seq INTEGER NOT NULL PRIMARY KEY,
  peer TEXT NOT NULL REFERENCES peers (name),
  action TEXT NOT NULL CONSTRAINT retirement_action CHECK (action IN ('retired', 'restored')),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

CREATE INDEX peer_retirements_peer ON peer_retirements (peer);

-- The defaults make a plain INSERT of sender, recipient and body a complete message: a random UUID (version 4) and the
-- time in Unix seconds. The upper size of a body is left to the rules: a later kind of message is larger.
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

CREATE UNIQUE INDEX messages_one_answer ON messages (in_reply_to) WHERE in_reply_to IS NOT NULL;
CREATE INDEX messages_sender ON messages (sender);

CREATE TABLE acks (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  peer TEXT NOT NULL REFERENCES peers (name),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- The primary key is the one attempt.
CREATE TABLE notice_claims (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- `at` is NULL only in rows of harness-talk that had no time.
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

-- Each try to take an accepted notice back after its message was acknowledged.
CREATE TABLE notice_cleanups (
  seq INTEGER NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id),
  status TEXT NOT NULL
    CONSTRAINT cleanup_status CHECK (status IN ('removed', 'absent', 'unsupported', 'unavailable', 'unknown')),
  detail TEXT,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

CREATE INDEX notice_cleanups_message ON notice_cleanups (message_id);

CREATE TABLE wait_returns (
  message_id TEXT NOT NULL PRIMARY KEY REFERENCES messages (id),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- Not a fact but a lease: a process that waits for an answer, until when, and (token) where its doorbell is.
CREATE TABLE waits (
  token TEXT NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id),
  peer TEXT NOT NULL,
  until REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX waits_message ON waits (message_id);

-- Derived, so that an inbox is looked up and not searched for: the open messages of each peer. Kept by the triggers
-- of messages and acks, and guarded against changes that open_by_facts_v does not bear out.
CREATE TABLE open_mail (
  recipient TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (recipient, seq)
) WITHOUT ROWID;

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

INSERT INTO peers (name, harness, delivery, session_id, workspace, socket, url)
SELECT name, harness, delivery, session_id, workspace, socket, url FROM old_peers;

INSERT INTO peer_retirements (peer, action, at)
SELECT name, 'retired', retired_at FROM retired_peers ORDER BY retired_at, name;

INSERT INTO messages (seq, id, sender, recipient, in_reply_to, body, created_at)
SELECT seq, id, sender, recipient, in_reply_to, body, created_at FROM old_messages ORDER BY seq;

INSERT INTO acks (message_id, peer, at)
SELECT id, recipient, ack_at FROM old_messages WHERE ack_at IS NOT NULL;

INSERT INTO notice_claims (message_id, at)
SELECT id, notification_started_at FROM old_messages WHERE notification_started_at IS NOT NULL;

-- An outcome is written down wherever the claim alone would not say what the old row said.
INSERT INTO notice_outcomes (message_id, submission, at, detail)
SELECT id, submission, notification_finished_at, notification_detail
FROM old_messages
WHERE notification_finished_at IS NOT NULL
  OR notification_detail IS NOT NULL
  OR submission <> iif(notification_started_at IS NULL, 'not_submitted', 'submission_unknown');

INSERT INTO wait_returns (message_id, at)
SELECT id, wait_returned_at FROM old_messages WHERE wait_returned_at IS NOT NULL;

INSERT INTO waits (token, message_id, peer, until) SELECT token, message_id, actor, until FROM old_waits;

INSERT INTO open_mail (recipient, seq) SELECT recipient, seq FROM open_by_facts_v;

-- The next seq follows the highest ever given, even if its message is not there any more.
DELETE FROM sqlite_sequence WHERE name = 'messages';
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', seq FROM sqlite_sequence WHERE name = 'old_messages';

DROP TABLE old_waits;
DROP TABLE old_messages;
DROP TABLE retired_peers;
DROP TABLE old_peers;

CREATE TABLE error_codes (
  code TEXT NOT NULL PRIMARY KEY,
  exit INTEGER NOT NULL,
  meaning TEXT NOT NULL,
  next_step TEXT NOT NULL
) WITHOUT ROWID;

PRAGMA application_id = 0x68746C6B;
PRAGMA user_version = 4;
