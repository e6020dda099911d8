-- The last layout of harness-talk. A new mailbox starts here as well, empty, and walks the same road from V4 on,
-- so that old and new mailboxes can't differ. An old file is stood at this version after sql/legacy has evened it out.
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
