-- The ledger of handoffs: at most one submission of a message to one process, and what is proven of it. Only
-- `htalk handoff init` adds it to a mailbox, for SQLite reads the whole schema at each start.
--
-- Each step of a handoff is a row that is written once: prepared, attempted, the outcome, receipts, waits and their
-- ends, tombstone, quarantine. Where a handoff stands is a view over these rows. V2 has what several rules need, V3 to
-- V6 have the rules, V7 what the mailbox is told, V8 the public views.
--
-- No CHECK stands here: every value is judged in the rules trigger of its table, which no conflict clause can skip.

CREATE TABLE handoff_epochs (
  -- Private. The histories of the ledger. The active one is the one without a quarantine.
  epoch TEXT NOT NULL PRIMARY KEY DEFAULT ( -- a UUID of version 4
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TABLE handoff_quarantines (
  -- Private. The operator declared the ledger a restored copy. From then on its history proves and allows nothing.
  epoch TEXT NOT NULL PRIMARY KEY REFERENCES handoff_epochs (epoch),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TABLE handoff_harnesses (
  -- Private. The clients that take handoffs: a row has all that the rules know of one.
  name TEXT NOT NULL PRIMARY KEY, -- as in peers.harness
  has_generation INTEGER NOT NULL, -- 1: one life of its process can be told from the next
  framed_bytes INTEGER NOT NULL -- the largest text that it takes, in bytes
) WITHOUT ROWID;

INSERT INTO handoff_harnesses (name, has_generation, framed_bytes)
VALUES ('claude', 1, 4000000), ('codex', 0, 32768);

CREATE TABLE handoffs (
  -- Private. The prepared handoffs: who hands which message over to which process (the binding).
  -- The order of events is decided by boot and at_ns, which compare only within one boot; `at` is only shown.
  id TEXT NOT NULL PRIMARY KEY DEFAULT ( -- a UUID of version 4, and the id of its message once it is attempted
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  epoch TEXT NOT NULL REFERENCES handoff_epochs (epoch),
  sender TEXT NOT NULL REFERENCES peers (name),
  recipient TEXT NOT NULL REFERENCES peers (name),
  harness TEXT NOT NULL REFERENCES handoff_harnesses (name), -- the recipient's client
  target TEXT NOT NULL, -- the recipient's session
  host TEXT, -- the SSH destination; NULL: this machine
  home TEXT, -- the client's home directory, where one was named
  context TEXT, -- what else of the client must stay as it was, as a JSON object
  generation TEXT, -- one life of the client's process; NULL where it can't be told from the next
  digest TEXT NOT NULL, -- SHA-256 of the message, which is not here yet
  chars INTEGER NOT NULL, -- the size of the message
  bytes INTEGER NOT NULL,
  framed_chars INTEGER NOT NULL, -- the largest size that the text for the client can have
  framed_bytes INTEGER NOT NULL,
  boot TEXT NOT NULL, -- SHA-256 of the boot id, as 64 hexadecimal digits
  at_ns INTEGER NOT NULL, -- CLOCK_BOOTTIME, which also counts sleep, in nanoseconds
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0), -- Unix seconds
  -- Until when, in this boot, a token is given and accepted: for 24 hours. NULL: never, for only a process that can be
  -- told from the next, and on this machine, gets one.
  authority_expires_ns INTEGER AS (iif(host IS NULL AND generation IS NOT NULL, at_ns + 86400000000000, NULL)),
  -- From when on, in this boot, its details can be ended by a tombstone: after 30 days.
  details_expire_ns INTEGER NOT NULL AS (at_ns + 2592000000000000)
) WITHOUT ROWID;

CREATE INDEX handoffs_epoch ON handoffs (epoch, boot, details_expire_ns);
CREATE INDEX handoffs_sender ON handoffs (sender, at);

CREATE TABLE handoff_attempts (
  -- Private. The fence: a handoff is about to be submitted. The primary key is the one attempt.
  -- The binding stands here once more, as the sender found it right before; it must be the prepared one.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  host TEXT,
  home TEXT,
  context TEXT,
  generation TEXT,
  digest TEXT NOT NULL,
  ack_requested INTEGER NOT NULL, -- 1: an acknowledgment was asked for
  observe INTEGER NOT NULL, -- 1: its delivery was to be observed
  boot TEXT NOT NULL, -- as in handoffs, like at_ns and at; so in all tables
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_capabilities (
  -- Private. The hash of the token that a receipt must present, where the recipient was given one.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoff_attempts (handoff),
  hash TEXT NOT NULL -- SHA-256 of epoch, handoff, generation and token, as 64 hexadecimal digits
) WITHOUT ROWID;

CREATE TABLE handoff_outcomes (
  -- Private. What came of the attempt; or a refusal before there was one.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  submission TEXT NOT NULL, -- refused, submitted, unknown
  fenced INTEGER NOT NULL, -- 1: of the attempt; 0: refused before there was one
  ack_requested INTEGER, -- as in handoff_attempts, where there was no attempt
  observe INTEGER,
  reason TEXT, -- why it was refused or is unknown: a code
  native TEXT, -- what the client answered, as a JSON object
  detail TEXT, -- the receipt or the reason, for the notice of the message
  queue_id TEXT, -- submitted: the client's id of the queued text, where it gives one; for the notice too
  recipient_status TEXT, -- the state of the recipient's session that was seen
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  notice TEXT AS ( -- the submission as notice_outcomes calls it
    CASE submission WHEN 'submitted' THEN 'submitted' WHEN 'refused' THEN 'not_submitted' ELSE 'submission_unknown' END)
) WITHOUT ROWID;

CREATE TABLE handoff_receipts (
  -- Private. A token that was presented, or the sender's own statement. There can be one of each.
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  assurance TEXT NOT NULL, -- token_possession or operator_confirmed
  receipt_id TEXT, -- of a token: tells a repetition from another receipt
  proof TEXT, -- of a token: its hash, as in handoff_capabilities
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, assurance)
) WITHOUT ROWID;

CREATE TABLE handoff_acks (
  -- Private. The one acknowledgment, kept by triggers. It follows from handoff_ack_due_v, and is written down because
  -- whether it was late must not change when a first wait begins afterwards.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  assurance TEXT NOT NULL,
  late INTEGER NOT NULL, -- 1: at or after the deadline of the first wait
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE handoff_waits (
  -- Private. The waits for an acknowledgment, up to 64 a handoff.
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  number INTEGER NOT NULL, -- 1, 2, …
  peer TEXT NOT NULL, -- who waits: the sender of the handoff
  operation TEXT NOT NULL UNIQUE DEFAULT ( -- a UUID of version 4
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  goal TEXT NOT NULL, -- acknowledged or delivered
  seconds INTEGER NOT NULL, -- 1 to 60, of which the last 5 are kept for cleaning up
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  deadline_ns INTEGER NOT NULL AS (at_ns + max(seconds - 5, 0) * 1000000000),
  deadline_at REAL NOT NULL AS (at + max(seconds - 5, 0)),
  PRIMARY KEY (handoff, number)
) WITHOUT ROWID;

CREATE TABLE handoff_wait_ends (
  -- Private. How a wait ended. The primary key makes it final.
  handoff TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL, -- satisfied, timed_out_unknown, stopped, unsupported, failed
  reason TEXT, -- why it was stopped, unsupported or failed: a code
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, number),
  FOREIGN KEY (handoff, number) REFERENCES handoff_waits (handoff, number)
) WITHOUT ROWID;

CREATE TABLE handoff_tombstones (
  -- Private. The details of a handoff have ended, and only the fence is left.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;
