-- The last layout of harness-talk, without its rules. A new mailbox starts with these tables too, empty, and then goes
-- through the same migrations as an old one, so that both end with one schema. In an old mailbox sql/legacy adds what
-- is missing of this layout, and version 3 is recorded as done. Numbers 4 to 11 were used during development only.
CREATE TABLE peers (
  name TEXT PRIMARY KEY, harness TEXT NOT NULL, session_id TEXT, workspace TEXT, socket TEXT, url TEXT,
  delivery TEXT NOT NULL DEFAULT 'native', UNIQUE (harness, session_id)
);

CREATE TABLE retired_peers (name TEXT PRIMARY KEY, retired_at REAL NOT NULL);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, sender TEXT NOT NULL, recipient TEXT NOT NULL,
  in_reply_to TEXT UNIQUE, body TEXT NOT NULL, created_at REAL NOT NULL, ack_at REAL, submission TEXT NOT NULL,
  notification_started_at REAL, notification_finished_at REAL, notification_detail TEXT, wait_returned_at REAL
);

CREATE TABLE waits (token TEXT PRIMARY KEY, message_id TEXT NOT NULL, actor TEXT NOT NULL, until REAL NOT NULL);

PRAGMA user_version = 3;
