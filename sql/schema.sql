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

CREATE TABLE handoff_acks (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  assurance TEXT NOT NULL,
  late INTEGER NOT NULL,
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID;

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

CREATE TABLE handoff_capabilities (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoff_attempts (handoff),
  hash TEXT NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TABLE handoff_epochs (
  epoch TEXT NOT NULL PRIMARY KEY DEFAULT (
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

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

CREATE TABLE handoff_quarantines (
  epoch TEXT NOT NULL PRIMARY KEY REFERENCES handoff_epochs (epoch),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

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

CREATE TABLE handoff_tombstones (
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

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

CREATE INDEX handoffs_epoch ON handoffs (epoch, boot, at_ns);

CREATE INDEX handoffs_sender ON handoffs (sender, at);

CREATE UNIQUE INDEX messages_one_answer ON messages (in_reply_to) WHERE in_reply_to IS NOT NULL;

CREATE INDEX messages_sender ON messages (sender);

CREATE INDEX notice_cleanups_message ON notice_cleanups (message_id);

CREATE INDEX peer_retirements_peer ON peer_retirements (peer);

CREATE INDEX waits_message ON waits (message_id);

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

CREATE VIEW handoff_ack_due_v AS
-- Private. What is an acknowledgment by the facts and not written down as one yet.
SELECT
  r.handoff, -- of which handoff
  r.assurance, -- token_possession or operator_confirmed
  CASE
    WHEN w.handoff IS NULL THEN 0
    WHEN r.assurance = 'operator_confirmed' THEN 1
    ELSE max(r.at_ns, o.at_ns) >= w.deadline_ns
  END AS late, -- 1: the deadline of the first wait had passed
  r.boot, -- the clock of at_ns
  iif(r.assurance = 'token_possession', max(r.at_ns, o.at_ns), r.at_ns) AS at_ns, -- when it was accepted
  iif(r.assurance = 'token_possession' AND o.at_ns > r.at_ns, o.at, r.at) AS at -- the same to be shown
FROM handoff_receipts AS r
JOIN handoffs AS h ON h.id = r.handoff
JOIN handoff_phase_v AS p ON p.handoff = r.handoff AND p.submission = 'submitted'
JOIN handoff_outcomes AS o ON o.handoff = r.handoff
LEFT JOIN handoff_waits AS w ON w.handoff = r.handoff AND w.number = 1
LEFT JOIN handoff_wait_ends AS e ON e.handoff = r.handoff AND e.number = 1
WHERE NOT EXISTS (SELECT 1 FROM handoff_acks AS a WHERE a.handoff = r.handoff)
  AND CASE r.assurance
    -- A statement made now says nothing about when the recipient read; an order that is settled already lets it in.
    WHEN 'operator_confirmed' THEN w.handoff IS NULL OR e.status IS 'timed_out_unknown'
    ELSE o.boot = r.boot AND (w.handoff IS NULL OR w.boot = r.boot) AND max(r.at_ns, o.at_ns) < h.at_ns + 86400000000000
  END;

CREATE VIEW handoff_epoch_v AS
-- Private. The active history, if there is one.
SELECT
  handoff_epochs.epoch -- its id
FROM handoff_epochs
WHERE NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = handoff_epochs.epoch);

CREATE VIEW handoff_phase_v AS
-- Private. Where each handoff stands by the facts.
SELECT
  h.id AS handoff, -- which one
  CASE
    WHEN q.epoch IS NOT NULL THEN 'quarantined'
    WHEN t.handoff IS NOT NULL THEN 'tombstone'
    WHEN o.handoff IS NOT NULL THEN 'terminal'
    WHEN a.handoff IS NOT NULL THEN 'attempted'
    ELSE 'prepared'
  END AS phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    ELSE coalesce(o.submission, iif(a.handoff IS NULL, 'not_attempted', 'unknown'))
  END AS submission -- not_attempted, refused, submitted, unknown
FROM handoffs AS h
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_v AS
-- Every handoff with what is proven of it, one row each. NULL where there is nothing. A view has no clock: whether a
-- pending acknowledgment or wait is over by now, the columns authority_… and wait_… tell the one who knows the time.
SELECT
  h.id AS correlation_id, -- its id, and that of its message
  h.epoch AS ledger_epoch, -- the history that it belongs to
  h.sender, -- the peer who hands over
  h.recipient, -- the peer who is to get it
  h.harness, -- the recipient's program: claude or codex
  h.host, -- the SSH destination; NULL: this machine
  h.generation AS target_generation, -- the one process it is for; NULL where the client has no such thing
  CASE
    WHEN q.epoch IS NOT NULL THEN 'quarantined'
    WHEN t.handoff IS NOT NULL THEN 'tombstone'
    WHEN o.handoff IS NOT NULL THEN 'terminal'
    WHEN a.handoff IS NOT NULL THEN 'attempted'
    ELSE 'prepared'
  END AS phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN e.status = 'timed_out_unknown' AND coalesce(o.submission, 'unknown') <> 'refused' THEN 'timed_out_unknown'
    WHEN o.handoff IS NULL AND a.handoff IS NULL THEN 'validated'
    ELSE coalesce(o.submission, 'unknown')
  END AS state, -- validated, refused, submitted, unknown, timed_out_unknown, acknowledged
  CASE
    WHEN q.epoch IS NOT NULL OR t.handoff IS NOT NULL THEN 'unknown'
    ELSE coalesce(o.submission, iif(a.handoff IS NULL, 'not_attempted', 'unknown'))
  END AS submission, -- not_attempted, refused, submitted, unknown
  o.reason, -- why it was refused, or is unknown
  iif(coalesce(a.observe, o.observe, 0), 'unsupported', 'not_requested') AS observation, -- no route supplies it
  CASE
    WHEN q.epoch IS NULL AND t.handoff IS NULL AND k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN NOT coalesce(a.ack_requested, o.ack_requested, 0) THEN 'not_requested'
    WHEN q.epoch IS NULL AND t.handoff IS NULL AND c.handoff IS NOT NULL
      AND coalesce(o.submission, 'submitted') = 'submitted' THEN 'pending'
    ELSE 'unsupported'
  END AS ack, -- not_requested, unsupported, pending, acknowledged
  iif(q.epoch IS NULL AND t.handoff IS NULL, k.assurance, NULL) AS ack_assurance, -- see handoff_ack_due_v
  iif(q.epoch IS NULL AND t.handoff IS NULL, CAST(round(k.at * 1000) AS INTEGER), NULL)
    AS ack_received_at_utc_ms, -- when it was accepted
  iif(q.epoch IS NULL AND t.handoff IS NULL, k.late, NULL) AS is_ack_late, -- at or past the deadline of the first wait
  iif(t.handoff IS NULL, coalesce(w.goal, 'none'), 'none') AS wait_for, -- the latest wait, like all wait_…
  CASE
    WHEN w.handoff IS NULL OR t.handoff IS NOT NULL THEN 'not_requested'
    WHEN q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied') THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS wait, -- not_requested, and those of handoff_waits_v
  iif(t.handoff IS NULL, w.operation, NULL) AS wait_operation_id, -- see handoff_waits_v
  iif(t.handoff IS NULL, CAST(round(w.deadline_at * 1000) AS INTEGER), NULL)
    AS wait_deadline_at_utc_ms, -- see handoff_waits_v
  CASE
    WHEN t.handoff IS NOT NULL THEN NULL
    WHEN w.handoff IS NOT NULL AND q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied')
      THEN 'history_unavailable'
    ELSE e.reason
  END AS wait_reason, -- see handoff_waits_v
  w.boot AS wait_boot, -- the boot of wait_deadline_ns
  w.deadline_ns AS wait_deadline_ns, -- see handoff_waits_v
  h.boot AS authority_boot, -- the boot within which a receipt can be accepted
  h.at_ns + 86400000000000 AS authority_expires_ns, -- and until when
  iif(q.epoch IS NULL AND t.handoff IS NULL, o.native, NULL) AS native_json, -- what the client answered
  h.at AS prepared_at, -- when it was prepared, in Unix seconds
  a.at AS attempted_at, -- when the fence was committed
  o.at AS finished_at -- when the outcome was recorded
FROM handoffs AS h
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_capabilities AS c ON c.handoff = h.id
LEFT JOIN handoff_acks AS k ON k.handoff = h.id
LEFT JOIN handoff_waits AS w
  ON w.handoff = h.id AND w.number = (SELECT max(l.number) FROM handoff_waits AS l WHERE l.handoff = h.id)
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number;

CREATE VIEW handoff_wait_start_v AS
-- Private. What a wait is from its start, by the facts: pending, or ended before it began.
SELECT
  s.handoff, -- the wait
  s.number, -- the wait
  s.status, -- pending, satisfied, stopped, unsupported, failed
  CASE
    WHEN s.status IN ('pending', 'satisfied') THEN NULL
    WHEN s.is_short THEN 'insufficient_budget'
    WHEN s.refusal IN ('deadline_before_effect', 'stopped_by_operator', 'insufficient_budget', 'evidence_failed',
      'evidence_unsupported', 'invalid_handoff') THEN s.refusal
    WHEN s.refusal IS NOT NULL THEN 'evidence_failed'
    WHEN s.status = 'failed' THEN 'history_unavailable'
    ELSE 'evidence_unsupported'
  END AS reason -- why, where it is not pending or satisfied
FROM (
  SELECT
    w.handoff,
    w.number,
    w.seconds <= 5 AS is_short,
    -- A send that was refused before its attempt says why; that is what became of its wait.
    iif(o.fenced = 0, coalesce(o.reason, 'evidence_failed'), NULL) AS refusal,
    CASE
      WHEN w.goal = 'acknowledged' AND k.handoff IS NOT NULL THEN 'satisfied'
      WHEN w.seconds <= 5 THEN 'failed'
      WHEN o.fenced = 0 AND o.reason = 'stopped_by_operator' THEN 'stopped'
      WHEN o.fenced = 0 AND o.reason IS NOT 'evidence_unsupported' THEN 'failed'
      -- No route observes an injection.
      WHEN w.goal = 'delivered' OR c.handoff IS NULL THEN 'unsupported'
      WHEN p.phase <> 'attempted' AND p.submission <> 'submitted' THEN 'unsupported'
      WHEN w.boot <> h.boot THEN 'failed'
      WHEN w.at_ns >= h.at_ns + 86400000000000 THEN 'unsupported'
      ELSE 'pending'
    END AS status
  FROM handoff_waits AS w
  JOIN handoffs AS h ON h.id = w.handoff
  JOIN handoff_phase_v AS p ON p.handoff = w.handoff
  LEFT JOIN handoff_outcomes AS o ON o.handoff = w.handoff
  LEFT JOIN handoff_capabilities AS c ON c.handoff = w.handoff
  LEFT JOIN handoff_acks AS k ON k.handoff = w.handoff
) AS s;

CREATE VIEW handoff_waits_v AS
-- Every wait for a handoff, one row each. NULL where there is nothing.
SELECT
  w.handoff AS correlation_id, -- the handoff
  w.number, -- 1 is the first one, whose deadline decides what is late
  w.operation AS operation_id, -- the wait's own id
  w.goal AS wait_for, -- acknowledged or delivered
  CASE
    WHEN q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied') THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS status, -- pending, satisfied, timed_out_unknown, stopped, unsupported, failed
  iif(q.epoch IS NOT NULL AND (e.status IS NULL OR e.status = 'satisfied'), 'history_unavailable', e.reason)
    AS reason, -- why, where it is stopped, unsupported or failed
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS deadline_at_utc_ms, -- until when; shown only, the clock below decides
  w.boot AS deadline_boot, -- the boot whose clock decides
  w.deadline_ns -- the deadline on that clock; then and later is expired
FROM handoff_waits AS w
JOIN handoffs AS h ON h.id = w.handoff
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

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
  WHEN m.in_reply_to IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  WHEN EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id) THEN 0
  -- A handoff: only what was submitted on this machine.
  ELSE NOT EXISTS (
    SELECT 1 FROM handoffs AS h LEFT JOIN notice_outcomes AS o ON o.message_id = h.id
    WHERE h.id = m.id AND (h.host IS NOT NULL OR o.submission IS NOT 'submitted'))
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

CREATE TRIGGER handoff_acks_delete_rules BEFORE DELETE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_insert_done AFTER INSERT ON handoff_acks BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT
    w.handoff,
    w.number,
    CASE
      WHEN w.boot <> NEW.boot THEN 'failed'
      WHEN NEW.at_ns >= w.deadline_ns THEN 'timed_out_unknown'
      ELSE 'satisfied'
    END,
    iif(w.boot <> NEW.boot, 'history_unavailable', NULL),
    NEW.boot,
    NEW.at_ns,
    NEW.at
  FROM handoff_waits AS w
  WHERE w.handoff = NEW.handoff
    AND NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number);
END;

CREATE TRIGGER handoff_acks_insert_rules BEFORE INSERT ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'receipt_conflict') FROM handoff_acks WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  WHERE NOT EXISTS (
    SELECT 1 FROM handoff_ack_due_v
    WHERE handoff = NEW.handoff
      AND (assurance, late, boot, at_ns, at) IS (NEW.assurance, NEW.late, NEW.boot, NEW.at_ns, NEW.at));
END;

CREATE TRIGGER handoff_acks_update_rules BEFORE UPDATE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_attempts_delete_rules BEFORE DELETE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_attempts_insert_rules BEFORE INSERT ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND phase IN ('tombstone', 'quarantined');
  SELECT RAISE(ABORT, 'handoff_already_attempted') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND phase <> 'prepared';
  SELECT RAISE(ABORT, 'handoff_binding_conflict') FROM handoffs
  WHERE id = NEW.handoff
    AND (sender, recipient, host, home, generation, digest)
      IS NOT (NEW.sender, NEW.recipient, NEW.host, NEW.home, NEW.generation, NEW.digest);
  SELECT RAISE(ABORT, 'handoff_native_context_changed') FROM handoffs
  WHERE id = NEW.handoff AND context IS NOT NEW.context;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff AND boot = NEW.boot AND at_ns > NEW.at_ns);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_attempts_update_rules BEFORE UPDATE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_delete_rules BEFORE DELETE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_insert_rules BEFORE INSERT ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'receipt_authority_unavailable')
  WHERE NOT EXISTS (
      SELECT 1
      FROM handoffs AS h
      JOIN handoff_phase_v AS p ON p.handoff = h.id AND p.phase = 'attempted'
      JOIN handoff_attempts AS a ON a.handoff = h.id AND a.ack_requested
      WHERE h.id = NEW.handoff AND h.harness = 'claude' AND h.host IS NULL AND h.generation IS NOT NULL)
    OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)
    OR EXISTS (SELECT 1 FROM handoff_capabilities WHERE handoff = NEW.handoff)
    OR typeof(NEW.hash) <> 'text' OR length(CAST(NEW.hash AS BLOB)) <> 64 OR length(NEW.hash) <> 64
    OR NEW.hash GLOB '*[^0-9a-f]*';
  SELECT RAISE(ABORT, 'receipt_authority_expired')
  FROM handoffs AS h JOIN handoff_attempts AS a ON a.handoff = h.id
  WHERE h.id = NEW.handoff AND (a.boot <> h.boot OR a.at_ns >= h.at_ns + 86400000000000);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_capabilities_update_rules BEFORE UPDATE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_delete_rules BEFORE DELETE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_insert_rules BEFORE INSERT ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'handoff_already_initialized') WHERE EXISTS (SELECT 1 FROM handoff_epoch_v);
  -- One that was quarantined never comes back.
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_epochs WHERE epoch = NEW.epoch;
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.epoch) <> 'text' OR length(CAST(NEW.epoch AS BLOB)) <> 36
    OR NEW.epoch NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.epoch, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.epoch, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_epochs_update_rules BEFORE UPDATE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_delete_rules BEFORE DELETE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_outcomes_insert_done AFTER INSERT ON handoff_outcomes BEGIN
  INSERT INTO notice_outcomes (message_id, submission, at, detail, recipient_status)
  SELECT
    m.id,
    CASE NEW.submission
      WHEN 'submitted' THEN 'submitted'
      WHEN 'refused' THEN 'not_submitted'
      ELSE 'submission_unknown'
    END,
    NEW.at,
    coalesce(NEW.detail, NEW.reason),
    NEW.recipient_status
  FROM messages AS m
  WHERE m.id = NEW.handoff;
  INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
  SELECT handoff, assurance, late, boot, at_ns, at FROM handoff_ack_due_v WHERE handoff = NEW.handoff;
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT
    w.handoff,
    w.number,
    iif(NEW.reason IS 'stopped_by_operator', 'stopped', 'failed'),
    iif(NEW.reason IS 'stopped_by_operator', 'stopped_by_operator', 'evidence_failed'),
    NEW.boot,
    NEW.at_ns,
    NEW.at
  FROM handoff_waits AS w
  WHERE w.handoff = NEW.handoff AND NEW.submission <> 'submitted'
    AND NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number);
END;

CREATE TRIGGER handoff_outcomes_insert_rules BEFORE INSERT ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND phase IN ('tombstone', 'quarantined');
  -- A sender that refuses before its own attempt must not speak for the attempt of another one.
  SELECT RAISE(ABORT, 'handoff_already_attempted') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND NEW.fenced IS NOT 1 AND phase <> 'prepared';
  SELECT RAISE(ABORT, 'handoff_phase_illegal') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND NOT (
    (NEW.fenced IS 0 AND phase = 'prepared' AND NEW.submission IS 'refused')
    OR (NEW.fenced IS 1 AND phase = 'attempted' AND (
      NEW.submission IN ('refused', 'unknown')
      OR (NEW.submission IS 'submitted' AND EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)))) IS 1);
  SELECT RAISE(ABORT, 'native_snapshot_capacity') WHERE length(CAST(NEW.native AS BLOB)) > 8192;
  SELECT RAISE(ABORT, 'invalid_native_profile')
  WHERE CASE
    WHEN NEW.native IS NULL THEN NEW.submission = 'submitted'
    ELSE typeof(NEW.native) <> 'text' OR NEW.native NOT GLOB '{*}'
  END;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE CASE NEW.fenced
      WHEN 0 THEN (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1
      ELSE coalesce(NEW.ack_requested, NEW.observe) IS NOT NULL
    END
    OR (NEW.reason IS NOT NULL AND (
      typeof(NEW.reason) <> 'text' OR length(CAST(NEW.reason AS BLOB)) NOT BETWEEN 1 AND 128
      OR length(CAST(NEW.reason AS BLOB)) <> length(NEW.reason) OR NEW.reason GLOB '*[^a-z0-9_]*'))
    OR NEW.recipient_status NOT IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown');
  -- The one who made the attempt records its outcome, within the same boot.
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND (boot <> NEW.boot OR at_ns > NEW.at_ns));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_outcomes_update_rules BEFORE UPDATE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_delete_rules BEFORE DELETE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_quarantines_insert_rules BEFORE INSERT ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_history_unavailable')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch);
  SELECT RAISE(IGNORE) FROM handoff_quarantines WHERE epoch = NEW.epoch;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_quarantines_update_rules BEFORE UPDATE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_delete_rules BEFORE DELETE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_insert_done AFTER INSERT ON handoff_receipts BEGIN
  INSERT INTO handoff_acks (handoff, assurance, late, boot, at_ns, at)
  SELECT handoff, assurance, late, boot, at_ns, at FROM handoff_ack_due_v
  WHERE handoff = NEW.handoff AND assurance = NEW.assurance;
END;

CREATE TRIGGER handoff_receipts_insert_rules BEFORE INSERT ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'invalid_receipt')
  WHERE NEW.assurance IS NULL OR NEW.assurance NOT IN ('token_possession', 'operator_confirmed')
    OR (NEW.assurance = 'operator_confirmed' AND coalesce(NEW.receipt_id, NEW.proof) IS NOT NULL)
    OR (NEW.assurance = 'token_possession' AND (
      typeof(NEW.receipt_id) <> 'text' OR length(CAST(NEW.receipt_id AS BLOB)) <> 36
      OR NEW.receipt_id NOT GLOB '????????-????-4???-[89ab]???-????????????'
      OR replace(NEW.receipt_id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.receipt_id, '-', '')) <> 32));
  -- An unknown or foreign handoff is not told apart from a wrong token.
  SELECT RAISE(ABORT, 'receipt_authority_unavailable')
  WHERE NOT EXISTS (
      SELECT 1 FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
      WHERE h.id = NEW.handoff AND h.generation IS NOT NULL AND h.host IS NULL
        AND p.phase IN ('prepared', 'attempted', 'terminal'))
    OR (NEW.assurance = 'token_possession' AND NOT EXISTS (
      SELECT 1 FROM handoff_capabilities AS c JOIN handoff_phase_v AS p ON p.handoff = c.handoff
      WHERE c.handoff = NEW.handoff AND c.hash = NEW.proof AND (p.phase = 'attempted' OR p.submission = 'submitted')));
  -- The same token and receipt again, also after its end; or a statement about what is acknowledged already.
  SELECT RAISE(IGNORE)
  WHERE EXISTS (
      SELECT 1 FROM handoff_receipts
      WHERE handoff = NEW.handoff AND assurance = NEW.assurance AND receipt_id IS NEW.receipt_id)
    OR (NEW.assurance = 'operator_confirmed' AND EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff));
  SELECT RAISE(ABORT, 'receipt_conflict')
  WHERE EXISTS (SELECT 1 FROM handoff_receipts WHERE handoff = NEW.handoff AND assurance = NEW.assurance)
    OR EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff);
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904
    OR EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND boot = NEW.boot AND at_ns > NEW.at_ns);
  SELECT RAISE(ABORT, 'receipt_authority_expired') FROM handoffs
  WHERE id = NEW.handoff AND NEW.assurance = 'token_possession'
    AND (boot <> NEW.boot OR NEW.at_ns >= at_ns + 86400000000000);
  SELECT RAISE(ABORT, 'receipt_submission_unconfirmed') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND submission <> 'submitted'
    AND (NEW.assurance = 'operator_confirmed' OR phase <> 'attempted');
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  FROM handoff_waits AS w LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
  WHERE w.handoff = NEW.handoff AND w.number = 1
    AND iif(NEW.assurance = 'operator_confirmed', e.status IS NOT 'timed_out_unknown', w.boot <> NEW.boot);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_receipts_update_rules BEFORE UPDATE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_tombstones_delete_rules BEFORE DELETE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_tombstones_insert_rules BEFORE INSERT ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT RAISE(IGNORE) FROM handoff_tombstones WHERE handoff = NEW.handoff;
  SELECT RAISE(ABORT, 'handoff_phase_illegal')
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff AND (
    p.phase = 'quarantined' OR h.boot IS NOT NEW.boot OR typeof(NEW.at_ns) <> 'integer'
    OR NEW.at_ns < h.at_ns + 2592000000000000);
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_tombstones_update_rules BEFORE UPDATE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_wait_ends_delete_rules BEFORE DELETE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_wait_ends_insert_rules BEFORE INSERT ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_waits WHERE handoff = NEW.handoff AND number = NEW.number);
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND phase IN ('tombstone', 'quarantined');
  SELECT RAISE(ABORT, 'wait_terminal') FROM handoff_wait_ends WHERE handoff = NEW.handoff AND number = NEW.number;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  FROM handoff_waits AS w JOIN handoff_wait_start_v AS s ON s.handoff = w.handoff AND s.number = w.number
  WHERE w.handoff = NEW.handoff AND w.number = NEW.number AND (
    (s.status <> 'pending' AND (NEW.status, NEW.reason, NEW.boot, NEW.at_ns) IS (s.status, s.reason, w.boot, w.at_ns))
    OR CASE NEW.status
      WHEN 'satisfied'
        THEN s.status = 'satisfied' AND NEW.reason IS NULL AND NEW.boot = w.boot AND NEW.at_ns < w.deadline_ns
      WHEN 'timed_out_unknown' THEN NEW.reason IS NULL AND NEW.boot = w.boot AND NEW.at_ns >= w.deadline_ns
      WHEN 'stopped' THEN NEW.reason IS 'stopped_by_operator'
      WHEN 'failed'
        THEN NEW.reason IN ('evidence_failed', 'history_unavailable', 'deadline_before_effect', 'invalid_handoff')
    END) IS NOT 1;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_wait_ends_update_rules BEFORE UPDATE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'wait_terminal');
END;

CREATE TRIGGER handoff_waits_delete_rules BEFORE DELETE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_waits_insert_done AFTER INSERT ON handoff_waits BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT handoff, number, status, reason, NEW.boot, NEW.at_ns, NEW.at FROM handoff_wait_start_v
  WHERE handoff = NEW.handoff AND number = NEW.number AND status <> 'pending';
END;

CREATE TRIGGER handoff_waits_insert_rules BEFORE INSERT ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'handoff_id_unknown') WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff);
  SELECT RAISE(ABORT, 'handoff_history_unavailable') FROM handoff_phase_v
  WHERE handoff = NEW.handoff AND phase IN ('tombstone', 'quarantined');
  -- It would be the first wait, whose deadline decides what is late.
  SELECT RAISE(ABORT, 'handoff_not_attempted') FROM handoff_phase_v WHERE handoff = NEW.handoff AND phase = 'prepared';
  SELECT RAISE(ABORT, 'wait_timeout_must_be_between_1_and_60')
  WHERE typeof(NEW.seconds) <> 'integer' OR NEW.seconds NOT BETWEEN 1 AND 60;
  SELECT RAISE(ABORT, 'handoff_wait_capacity')
  WHERE (SELECT max(number) FROM handoff_waits WHERE handoff = NEW.handoff) >= 64;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  WHERE NEW.goal IS NULL OR NEW.goal NOT IN ('acknowledged', 'delivered')
    OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM handoff_waits WHERE handoff = NEW.handoff)
    OR EXISTS (SELECT 1 FROM handoff_waits WHERE operation = NEW.operation);
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE typeof(NEW.operation) <> 'text' OR length(CAST(NEW.operation AS BLOB)) <> 36
    OR NEW.operation NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.operation, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.operation, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER handoff_waits_update_rules BEFORE UPDATE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoffs_delete_rules BEFORE DELETE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoffs_insert_rules BEFORE INSERT ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_history_unavailable')
  WHERE NOT EXISTS (SELECT 1 FROM handoff_epoch_v WHERE epoch = NEW.epoch);
  SELECT RAISE(ABORT, 'invalid_correlation_id')
  WHERE typeof(NEW.id) <> 'text' OR length(CAST(NEW.id AS BLOB)) <> 36
    OR NEW.id NOT GLOB '????????-????-4???-[89ab]???-????????????'
    OR replace(NEW.id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.id, '-', '')) <> 32;
  SELECT RAISE(ABORT, 'handoff_message_must_be_1_to_1000000_characters')
  WHERE typeof(NEW.chars) <> 'integer' OR typeof(NEW.bytes) <> 'integer'
    OR NEW.chars NOT BETWEEN 1 AND 1000000 OR NEW.bytes NOT BETWEEN NEW.chars AND 4000000;
  SELECT RAISE(ABORT, 'unknown_peer')
  WHERE NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
    OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient);
  SELECT RAISE(ABORT, 'sender_and_recipient_must_differ') WHERE NEW.sender = NEW.recipient;
  SELECT RAISE(ABORT, 'handoff_route_unsupported')
  WHERE NOT EXISTS (
      SELECT 1 FROM peers
      WHERE name = NEW.recipient AND delivery = 'native' AND harness IN ('claude', 'codex')
        AND (harness, session_id) IS (NEW.harness, NEW.target))
    OR (NEW.host IS NOT NULL AND (
      typeof(NEW.host) <> 'text' OR length(CAST(NEW.host AS BLOB)) NOT BETWEEN 1 AND 255
      OR length(CAST(NEW.host AS BLOB)) <> length(NEW.host)
      OR NEW.host GLOB '*[^][A-Za-z0-9_.@:%-]*' OR NEW.host GLOB '-*'));
  SELECT RAISE(ABORT, 'handoff_frame_too_large')
  WHERE typeof(NEW.framed_chars) <> 'integer' OR typeof(NEW.framed_bytes) <> 'integer'
    OR NEW.framed_chars NOT BETWEEN 1 AND 1000000 OR NEW.framed_bytes NOT BETWEEN NEW.framed_chars AND 4000000
    OR (NEW.harness = 'codex' AND NEW.framed_bytes > 32768)
    OR (NEW.host IS NOT NULL AND NEW.chars > 90000);
  SELECT RAISE(ABORT, 'unsupported_target_generation') WHERE NEW.harness = 'codex' AND NEW.generation IS NOT NULL;
  SELECT RAISE(ABORT, 'target_generation_unavailable')
  WHERE NEW.harness = 'claude' AND NEW.host IS NULL AND NEW.generation IS NULL;
  SELECT RAISE(ABORT, 'invalid_target_generation')
  WHERE NEW.generation IS NOT NULL AND (
    typeof(NEW.generation) <> 'text' OR length(CAST(NEW.generation AS BLOB)) NOT BETWEEN 1 AND 256
    OR instr(CAST(NEW.generation AS BLOB), x'00')
    OR NEW.generation GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*');
  SELECT RAISE(ABORT, 'native_context_capacity') WHERE length(CAST(NEW.context AS BLOB)) > 4096;
  SELECT RAISE(ABORT, 'invalid_handoff')
  WHERE typeof(NEW.digest) <> 'text' OR length(CAST(NEW.digest AS BLOB)) <> 64 OR length(NEW.digest) <> 64
    OR NEW.digest GLOB '*[^0-9a-f]*'
    OR (NEW.context IS NOT NULL AND (typeof(NEW.context) <> 'text' OR NEW.context NOT GLOB '{*}'))
    OR (NEW.home IS NOT NULL AND (
      typeof(NEW.home) <> 'text' OR NEW.home NOT GLOB '/*' OR length(CAST(NEW.home AS BLOB)) > 4096
      OR instr(CAST(NEW.home AS BLOB), x'00')));
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.boot) <> 'text' OR length(CAST(NEW.boot AS BLOB)) <> 64 OR length(NEW.boot) <> 64
    OR NEW.boot GLOB '*[^0-9a-f]*'
    OR typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
  SELECT RAISE(ABORT, 'handoff_id_reused')
  WHERE EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'peer_retired') FROM peer_v
  WHERE name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL;
  -- 32 MiB: 1,024 bytes for the ledger, 32,768 for each handoff with details, 1,024 for each without. That holds 1,023
  -- with details, so the dear look at the tombstones is left out below.
  SELECT RAISE(ABORT, 'handoff_ledger_capacity')
  WHERE (SELECT count(*) FROM handoffs WHERE epoch = NEW.epoch) >= 1023
    AND (
      SELECT count(*) >= 10000
        OR 1024 + (count(*) - count(t.handoff) + 1) * 32768 + count(t.handoff) * 1024 > 33554432
      FROM handoffs AS h LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
      WHERE h.epoch = NEW.epoch);
END;

CREATE TRIGGER handoffs_update_rules BEFORE UPDATE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict');
END;

CREATE TRIGGER messages_delete_rules BEFORE DELETE ON messages BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER messages_insert_done AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
  INSERT INTO open_mail (recipient, seq)
  SELECT NEW.recipient, NEW.seq WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id);
  INSERT INTO notice_claims (message_id) SELECT id FROM handoffs WHERE id = NEW.id;
  DELETE FROM open_mail
  WHERE (recipient, seq) = (SELECT m.recipient, m.seq FROM messages AS m WHERE m.id = NEW.in_reply_to);
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

CREATE TRIGGER notice_outcomes_insert_done AFTER INSERT ON notice_outcomes WHEN NEW.submission = 'submitted' BEGIN
  INSERT INTO open_mail (recipient, seq)
  SELECT o.recipient, o.seq
  FROM handoffs AS h JOIN messages AS m ON m.id = h.id JOIN open_by_facts_v AS o ON o.seq = m.seq
  WHERE h.id = NEW.message_id;
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
PRAGMA user_version = 17;
