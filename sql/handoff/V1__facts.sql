-- Handoff v1: at most one submission of a prepared intent, and what is proven of it. Every move of an intent is a row
-- of its own, written once: prepared, attempted (the fence), the outcome, receipts, waits and their ends, tombstone,
-- quarantine. The present phase is a view. V2 to V5 hold the rules, V6 what the mailbox is told, V7 the public views.
--
-- Only `htalk handoff init` adds this to a mailbox, for SQLite reads the whole schema at each start. Nothing here
-- changes a rule of the mailbox: V6 replaces its hook views and adds triggers. The codes are there already.
--
-- Order is decided by `boot` (SHA-256 of the boot id, 64 hexadecimal digits) and `at_ns` (CLOCK_BOOTTIME, which also
-- counts sleep); two times compare only within one boot. `at` is Unix seconds and only shown.

-- One history of the ledger. The active one is the epoch without a quarantine.
CREATE TABLE handoff_epochs (
  epoch TEXT NOT NULL PRIMARY KEY DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- The operator declared the ledger a restored copy: from then on this epoch proves and allows nothing.
CREATE TABLE handoff_quarantines (
  epoch TEXT NOT NULL PRIMARY KEY REFERENCES handoff_epochs (epoch),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- The intent, and with it the binding: who hands what over to which process. Its id becomes that of the message. The
-- body is not here; `framed_…` is the largest size that the text given to the client can have.
CREATE TABLE handoffs (
  id TEXT NOT NULL PRIMARY KEY DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  epoch TEXT NOT NULL REFERENCES handoff_epochs (epoch),
  sender TEXT NOT NULL REFERENCES peers (name),
  recipient TEXT NOT NULL REFERENCES peers (name),
  harness TEXT NOT NULL CONSTRAINT handoff_route_unsupported CHECK (harness IN ('claude', 'codex')),
  host TEXT,
  target TEXT NOT NULL,
  home TEXT,
  context TEXT,
  generation TEXT,
  digest TEXT NOT NULL,
  chars INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  framed_chars INTEGER NOT NULL,
  framed_bytes INTEGER NOT NULL,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  CONSTRAINT handoff_message_must_be_1_to_1000000_characters
    CHECK (chars BETWEEN 1 AND 1000000 AND bytes BETWEEN chars AND 4000000),
  CONSTRAINT unsupported_target_generation CHECK (harness <> 'codex' OR generation IS NULL)
) WITHOUT ROWID;

CREATE INDEX handoffs_epoch ON handoffs (epoch, boot, at_ns);
CREATE INDEX handoffs_sender ON handoffs (sender, at);

-- The fence: the primary key is the one attempt. The binding stands here once more as the sender saw it right before.
CREATE TABLE handoff_attempts (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  host TEXT,
  home TEXT,
  context TEXT,
  generation TEXT,
  digest TEXT NOT NULL,
  ack_requested INTEGER NOT NULL CONSTRAINT invalid_handoff CHECK (ack_requested IN (0, 1)),
  observe INTEGER NOT NULL CONSTRAINT invalid_handoff CHECK (observe IN (0, 1)),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- What a receipt must prove to know. It lives for 24 hours from the intent within the intent's boot, and only while the
-- attempt is under way or submitted: its end follows from the facts and needs no row.
CREATE TABLE handoff_capabilities (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoff_attempts (handoff),
  hash TEXT NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

-- What came of it: of the attempt (fenced 1), or a refusal before there was one (fenced 0, with what had been asked
-- for).
CREATE TABLE handoff_outcomes (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  submission TEXT NOT NULL CONSTRAINT handoff_phase_illegal CHECK (submission IN ('refused', 'submitted', 'unknown')),
  fenced INTEGER NOT NULL,
  ack_requested INTEGER,
  observe INTEGER,
  reason TEXT,
  native TEXT,
  detail TEXT,
  recipient_status TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  CONSTRAINT handoff_phase_illegal CHECK (fenced = 1 OR (fenced = 0 AND submission = 'refused')),
  CONSTRAINT invalid_handoff CHECK ((fenced = 0) = (ack_requested IS NOT NULL AND observe IS NOT NULL))
) WITHOUT ROWID;

-- A token that was presented, or the sender's own statement. The two stand apart, so that a statement can settle what
-- an early token left open.
CREATE TABLE handoff_receipts (
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  assurance TEXT NOT NULL CONSTRAINT invalid_receipt CHECK (assurance IN ('token_possession', 'operator_confirmed')),
  receipt_id TEXT,
  proof TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, assurance),
  CONSTRAINT invalid_receipt
    CHECK ((assurance = 'token_possession') = (receipt_id IS NOT NULL AND proof IS NOT NULL))
) WITHOUT ROWID;

-- Derived by triggers, and refused unless handoff_ack_due_v bears it out: the one acknowledgment. Written down because
-- whether it was late must not change when a first wait comes afterwards.
CREATE TABLE handoff_acks (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  assurance TEXT NOT NULL,
  late INTEGER NOT NULL,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID;

-- One bounded observation. Of its seconds the last five are kept for cleaning up.
CREATE TABLE handoff_waits (
  handoff TEXT NOT NULL REFERENCES handoffs (id),
  number INTEGER NOT NULL CONSTRAINT handoff_wait_capacity CHECK (number BETWEEN 1 AND 64),
  operation TEXT NOT NULL UNIQUE DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  goal TEXT NOT NULL CONSTRAINT wait_status_illegal CHECK (goal IN ('acknowledged', 'delivered')),
  seconds INTEGER NOT NULL CONSTRAINT wait_timeout_must_be_between_1_and_60 CHECK (seconds BETWEEN 1 AND 60),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  deadline_ns INTEGER NOT NULL AS (at_ns + max(seconds - 5, 0) * 1000000000),
  deadline_at REAL NOT NULL AS (at + max(seconds - 5, 0)),
  PRIMARY KEY (handoff, number)
) WITHOUT ROWID;

-- The primary key makes an ended wait final.
CREATE TABLE handoff_wait_ends (
  handoff TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CONSTRAINT wait_status_illegal
    CHECK (status IN ('satisfied', 'timed_out_unknown', 'stopped', 'unsupported', 'failed')),
  reason TEXT,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  PRIMARY KEY (handoff, number),
  FOREIGN KEY (handoff, number) REFERENCES handoff_waits (handoff, number)
) WITHOUT ROWID;

-- After 30 days of one boot the details end and only the fence is left.
CREATE TABLE handoff_tombstones (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;
