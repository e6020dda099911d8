-- What the ledger of handoffs (sql/handoff) adds to a mailbox, and what it replaces. Generated like schema.sql by
-- HTALK_UPDATE=1 cargo test --release; don't edit it.

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

CREATE TABLE handoff_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

CREATE TABLE handoff_epochs (
  -- Private. The histories of the ledger. The active one is the one without a quarantine.
  epoch TEXT NOT NULL PRIMARY KEY DEFAULT ( -- a UUID of version 4
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
      || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
  ),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TRIGGER handoff_epochs_insert_rules BEFORE INSERT ON handoff_epochs BEGIN
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.epoch, 'invalid_uuid');
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_epoch_v) THEN RAISE(ABORT, 'handoff_already_initialized')
    -- A quarantined history never becomes active again.
    WHEN EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
  END;
END;

CREATE TRIGGER handoff_epochs_update_rules BEFORE UPDATE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_epochs_delete_rules BEFORE DELETE ON handoff_epochs BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TABLE handoff_quarantines (
  -- Private. The operator declared the ledger a restored copy. From then on its history proves and allows nothing.
  epoch TEXT NOT NULL PRIMARY KEY REFERENCES handoff_epochs (epoch),
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0) -- Unix seconds
) WITHOUT ROWID;

CREATE TRIGGER handoff_quarantines_insert_rules BEFORE INSERT ON handoff_quarantines BEGIN
  -- Nothing else is written: the views compute the phases, acknowledgments and waits of the history from this row.
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_epochs WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
    WHEN EXISTS (SELECT 1 FROM handoff_quarantines WHERE epoch = NEW.epoch) THEN RAISE(IGNORE)
  END;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE TRIGGER handoff_quarantines_update_rules BEFORE UPDATE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_quarantines_delete_rules BEFORE DELETE ON handoff_quarantines BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TABLE handoff_harnesses (
  -- Private. The clients that take handoffs: a row has all that the rules know of one.
  name TEXT NOT NULL PRIMARY KEY, -- as in peers.harness
  has_generation INTEGER NOT NULL, -- 1: one life of its process can be told from the next
  framed_bytes INTEGER NOT NULL -- the largest text that it takes, in bytes
) WITHOUT ROWID;

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

CREATE TRIGGER handoffs_insert_rules BEFORE INSERT ON handoffs BEGIN
  -- What can never be sent is not prepared. The message is not here: that it is not blank, valid UTF-8 and without
  -- U+0000 is judged by the caller before this, and by the rules of messages at the send.
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.id, 'invalid_correlation_id');
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.digest, 'invalid_handoff');
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_epoch_v WHERE epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
    WHEN typeof(NEW.chars) <> 'integer' OR typeof(NEW.bytes) <> 'integer'
        OR NEW.chars NOT BETWEEN 1 AND 1000000 OR NEW.bytes NOT BETWEEN NEW.chars AND 4000000
      THEN RAISE(ABORT, 'handoff_message_must_be_1_to_1000000_characters')
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.sender)
        OR NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.recipient)
      THEN RAISE(ABORT, 'unknown_peer')
    WHEN NEW.sender = NEW.recipient THEN RAISE(ABORT, 'sender_and_recipient_must_differ')
    -- A native peer of one of these clients, and its session. The host becomes an argument of ssh.
    WHEN NOT EXISTS (
          SELECT 1 FROM peers AS p JOIN handoff_harnesses AS c ON c.name = p.harness
          WHERE p.name = NEW.recipient AND p.delivery = 'native'
            AND (p.harness, p.session_id) IS (NEW.harness, NEW.target))
        OR (NEW.host IS NOT NULL AND (
          typeof(NEW.host) <> 'text' OR length(NEW.host) NOT BETWEEN 1 AND 255
          OR length(CAST(NEW.host AS BLOB)) <> length(NEW.host)
          OR NEW.host GLOB '*[^][A-Za-z0-9_.@:%-]*' OR NEW.host GLOB '-*'))
      THEN RAISE(ABORT, 'handoff_route_unsupported')
    WHEN typeof(NEW.framed_chars) <> 'integer' OR typeof(NEW.framed_bytes) <> 'integer'
        OR NEW.framed_chars NOT BETWEEN 1 AND 1000000
        OR NEW.framed_bytes NOT BETWEEN NEW.framed_chars
          AND (SELECT framed_bytes FROM handoff_harnesses WHERE name = NEW.harness)
        OR (NEW.host IS NOT NULL AND NEW.chars > 90000)
      THEN RAISE(ABORT, 'handoff_frame_too_large')
    -- The process on another machine is only known at the send, when that machine is asked.
    WHEN NEW.generation IS NULL AND NEW.host IS NULL
        AND EXISTS (SELECT 1 FROM handoff_harnesses WHERE name = NEW.harness AND has_generation)
      THEN RAISE(ABORT, 'target_generation_unavailable')
    WHEN NEW.generation IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM handoff_harnesses WHERE name = NEW.harness AND has_generation)
      THEN RAISE(ABORT, 'unsupported_target_generation')
    WHEN NEW.generation IS NOT NULL AND (
        typeof(NEW.generation) <> 'text' OR length(CAST(NEW.generation AS BLOB)) NOT BETWEEN 1 AND 256
        OR instr(CAST(NEW.generation AS BLOB), x'00')
        OR NEW.generation GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*')
      THEN RAISE(ABORT, 'invalid_target_generation')
    WHEN length(CAST(NEW.context AS BLOB)) > 4096 THEN RAISE(ABORT, 'native_context_capacity')
    -- SQLite 3.40 refuses the JSON functions in the schema of an untrusted file, so only the braces are checked.
    WHEN (NEW.context IS NOT NULL AND (typeof(NEW.context) <> 'text' OR NEW.context NOT GLOB '{*}'))
        OR (NEW.home IS NOT NULL AND (
          typeof(NEW.home) <> 'text' OR NEW.home NOT GLOB '/*' OR length(CAST(NEW.home AS BLOB)) > 4096
          OR instr(CAST(NEW.home AS BLOB), x'00')))
      THEN RAISE(ABORT, 'invalid_handoff')
    WHEN EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.id)
      THEN RAISE(ABORT, 'handoff_id_reused')
    WHEN EXISTS (SELECT 1 FROM peer_v WHERE name IN (NEW.sender, NEW.recipient) AND retired_at IS NOT NULL)
      THEN RAISE(ABORT, 'peer_retired')
    -- 32 MiB: 1,024 bytes for the ledger, 32,768 for each handoff with details, 1,024 for each without. 1,023 with
    -- details always fit; only beyond them the tombstones are counted, which takes longer.
    WHEN (SELECT count(*) FROM handoffs WHERE epoch = NEW.epoch) >= 1023
        AND (
          SELECT count(*) >= 10000
            OR 1024 + (count(*) - count(t.handoff) + 1) * 32768 + count(t.handoff) * 1024 > 33554432
          FROM handoffs AS h LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
          WHERE h.epoch = NEW.epoch)
      THEN RAISE(ABORT, 'handoff_ledger_capacity')
  END;
END;

CREATE TRIGGER handoffs_update_rules BEFORE UPDATE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_binding_conflict');
END;

CREATE TRIGGER handoffs_delete_rules BEFORE DELETE ON handoffs BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

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

CREATE TRIGGER handoff_attempts_insert_rules BEFORE INSERT ON handoff_attempts BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN p.phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
    WHEN (h.sender, h.recipient, h.host, h.home, h.generation, h.digest)
        IS NOT (NEW.sender, NEW.recipient, NEW.host, NEW.home, NEW.generation, NEW.digest)
      THEN RAISE(ABORT, 'handoff_binding_conflict')
    WHEN h.context IS NOT NEW.context THEN RAISE(ABORT, 'handoff_native_context_changed')
    WHEN (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1 THEN RAISE(ABORT, 'invalid_handoff')
    WHEN h.boot = NEW.boot AND h.at_ns > NEW.at_ns THEN RAISE(ABORT, 'handoff_clock_unavailable')
  END
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff;
END;

CREATE TRIGGER handoff_attempts_update_rules BEFORE UPDATE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_attempts_delete_rules BEFORE DELETE ON handoff_attempts BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TABLE handoff_capabilities (
  -- Private. The hash of the token that a receipt must present, where the recipient was given one.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoff_attempts (handoff),
  hash TEXT NOT NULL -- SHA-256 of epoch, handoff, generation and token, as 64 hexadecimal digits
) WITHOUT ROWID;

CREATE TRIGGER handoff_capabilities_insert_rules BEFORE INSERT ON handoff_capabilities BEGIN
  -- A token is recorded after the fence and before the message, in the same transaction: so no crash leaves a token
  -- without an attempt, and no earlier attempt gets one.
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.hash, 'receipt_authority_unavailable');
  SELECT CASE
    WHEN NOT EXISTS (
          SELECT 1
          FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
          WHERE h.id = NEW.handoff AND h.authority_expires_ns IS NOT NULL AND p.phase = 'attempted' AND p.ack_requested)
        OR EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)
        OR EXISTS (SELECT 1 FROM handoff_capabilities WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'receipt_authority_unavailable')
    WHEN EXISTS (
        SELECT 1
        FROM handoffs AS h JOIN handoff_attempts AS a ON a.handoff = h.id
        WHERE h.id = NEW.handoff AND (a.boot <> h.boot OR a.at_ns >= h.authority_expires_ns))
      THEN RAISE(ABORT, 'receipt_authority_expired')
  END;
END;

CREATE TRIGGER handoff_capabilities_update_rules BEFORE UPDATE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_capabilities_delete_rules BEFORE DELETE ON handoff_capabilities BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

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

CREATE TRIGGER handoff_outcomes_insert_rules BEFORE INSERT ON handoff_outcomes BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    -- Another process has made the attempt meanwhile, so this refusal is not its outcome.
    WHEN NEW.fenced IS NOT 1 AND p.phase <> 'prepared' THEN RAISE(ABORT, 'handoff_already_attempted')
    WHEN (CASE NEW.fenced
          WHEN 0 THEN NEW.submission = 'refused'
          WHEN 1 THEN p.phase = 'attempted' AND (
            NEW.submission IN ('refused', 'unknown')
            OR (NEW.submission = 'submitted' AND EXISTS (SELECT 1 FROM messages WHERE id = NEW.handoff)))
        END) IS NOT 1
      THEN RAISE(ABORT, 'handoff_phase_illegal')
    WHEN length(CAST(NEW.native AS BLOB)) > 8192 THEN RAISE(ABORT, 'native_snapshot_capacity')
    WHEN iif(NEW.native IS NULL, NEW.submission = 'submitted',
        typeof(NEW.native) <> 'text' OR NEW.native NOT GLOB '{*}')
      THEN RAISE(ABORT, 'invalid_native_profile')
    WHEN iif(NEW.fenced, coalesce(NEW.ack_requested, NEW.observe) IS NOT NULL,
          (NEW.ack_requested IN (0, 1) AND NEW.observe IN (0, 1)) IS NOT 1)
        OR (NEW.reason IS NOT NULL AND (
          typeof(NEW.reason) <> 'text' OR length(NEW.reason) NOT BETWEEN 1 AND 128
          OR length(CAST(NEW.reason AS BLOB)) <> length(NEW.reason) OR NEW.reason GLOB '*[^a-z0-9_]*'))
        OR (NEW.queue_id IS NOT NULL AND NEW.submission <> 'submitted')
        OR NEW.recipient_status NOT IN ('idle', 'active', 'busy', 'waiting', 'retry', 'not_loaded', 'unknown')
      THEN RAISE(ABORT, 'invalid_handoff')
    -- The process that made the attempt records its outcome, so the boot is the same.
    WHEN EXISTS (
        SELECT 1 FROM handoff_attempts WHERE handoff = NEW.handoff AND (boot <> NEW.boot OR at_ns > NEW.at_ns))
      THEN RAISE(ABORT, 'handoff_clock_unavailable')
  END
  FROM handoff_phase_v AS p WHERE p.handoff = NEW.handoff;
END;

CREATE TRIGGER handoff_outcomes_update_rules BEFORE UPDATE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_outcomes_delete_rules BEFORE DELETE ON handoff_outcomes BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE TRIGGER handoff_outcomes_insert_done AFTER INSERT ON handoff_outcomes BEGIN
  -- It is also the outcome of the message's notice, where there is a message.
  INSERT INTO notice_outcomes (message_id, submission, at, detail, queue_id, recipient_status)
  SELECT id, NEW.notice, NEW.at, coalesce(NEW.detail, NEW.reason), NEW.queue_id, NEW.recipient_status
  FROM messages WHERE id = NEW.handoff;
  -- A receipt that came before it is an acknowledgment from now on.
  INSERT INTO handoff_acks SELECT * FROM handoff_ack_due_v WHERE handoff = NEW.handoff;
  -- Without a submission there is nothing more to wait for.
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

CREATE TRIGGER handoff_receipts_insert_rules BEFORE INSERT ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'invalid_receipt')
  WHERE (CASE NEW.assurance
    WHEN 'token_possession' THEN 1
    WHEN 'operator_confirmed' THEN coalesce(NEW.receipt_id, NEW.proof) IS NULL
  END) IS NOT 1;
  INSERT INTO handoff_uuid_check_v (uuid, code) SELECT NEW.receipt_id, 'invalid_receipt'
  WHERE NEW.assurance = 'token_possession';
  SELECT CASE
    -- An unknown handoff, or another sender's, gets the same answer as a wrong token.
    WHEN NOT EXISTS (
        SELECT 1 FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
        WHERE h.id = NEW.handoff AND h.generation IS NOT NULL AND p.phase IN ('prepared', 'attempted', 'terminal')
          AND (NEW.assurance = 'operator_confirmed' OR p.token_hash = NEW.proof))
      THEN RAISE(ABORT, 'receipt_authority_unavailable')
    -- A repetition, also after the time of the token; or a statement about what is acknowledged already.
    WHEN EXISTS (
          SELECT 1 FROM handoff_receipts
          WHERE handoff = NEW.handoff AND assurance = NEW.assurance AND receipt_id IS NEW.receipt_id)
        OR (NEW.assurance = 'operator_confirmed' AND EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff))
      THEN RAISE(IGNORE)
    WHEN EXISTS (SELECT 1 FROM handoff_receipts WHERE handoff = NEW.handoff AND assurance = NEW.assurance)
        OR EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'receipt_conflict')
  END;
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_attempts WHERE handoff = h.id AND boot = NEW.boot AND at_ns > NEW.at_ns)
      THEN RAISE(ABORT, 'handoff_clock_unavailable')
    WHEN NEW.assurance = 'token_possession' AND (h.boot <> NEW.boot OR NEW.at_ns >= h.authority_expires_ns)
      THEN RAISE(ABORT, 'receipt_authority_expired')
    WHEN NEW.assurance = 'operator_confirmed' AND p.submission <> 'submitted'
      THEN RAISE(ABORT, 'receipt_submission_unconfirmed')
  END
  FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
  WHERE h.id = NEW.handoff;
END;

CREATE TRIGGER handoff_receipts_insert_done AFTER INSERT ON handoff_receipts BEGIN
  INSERT INTO handoff_acks SELECT * FROM handoff_ack_due_v WHERE handoff = NEW.handoff AND assurance = NEW.assurance;
  -- A token can wait for the outcome; a statement is the acknowledgment at once or is refused.
  SELECT RAISE(ABORT, 'receipt_order_unprovable')
  WHERE NEW.assurance = 'operator_confirmed' AND NOT EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff);
END;

CREATE TRIGGER handoff_receipts_update_rules BEFORE UPDATE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_receipts_delete_rules BEFORE DELETE ON handoff_receipts BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

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

CREATE TRIGGER handoff_acks_insert_rules BEFORE INSERT ON handoff_acks BEGIN
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = NEW.handoff) THEN RAISE(ABORT, 'receipt_conflict')
    WHEN NOT EXISTS (
        SELECT 1 FROM handoff_ack_due_v
        WHERE handoff = NEW.handoff
          AND (assurance, late, boot, at_ns, at) IS (NEW.assurance, NEW.late, NEW.boot, NEW.at_ns, NEW.at))
      THEN RAISE(ABORT, 'receipt_order_unprovable')
  END;
END;

CREATE TRIGGER handoff_acks_insert_done AFTER INSERT ON handoff_acks BEGIN
  -- Ends the pending waits. Times of two boots do not compare, so a wait of another boot has failed.
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

CREATE TRIGGER handoff_acks_update_rules BEFORE UPDATE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_acks_delete_rules BEFORE DELETE ON handoff_acks BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

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

CREATE TRIGGER handoff_waits_insert_rules BEFORE INSERT ON handoff_waits BEGIN
  -- Only the sender waits, for the deadline decides what is late. Others are told that there is no such handoff.
  SELECT RAISE(ABORT, 'handoff_id_unknown')
  WHERE NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff AND sender = NEW.peer);
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_uuid_check_v (uuid, code) VALUES (NEW.operation, 'invalid_uuid');
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN (SELECT phase FROM handoff_phase_v WHERE handoff = NEW.handoff) = 'prepared'
      THEN RAISE(ABORT, 'handoff_not_attempted')
    WHEN typeof(NEW.seconds) <> 'integer' OR NEW.seconds NOT BETWEEN 1 AND 60
      THEN RAISE(ABORT, 'wait_timeout_must_be_between_1_and_60')
    WHEN (SELECT max(number) FROM handoff_waits WHERE handoff = NEW.handoff) >= 64
      THEN RAISE(ABORT, 'handoff_wait_capacity')
    WHEN (NEW.goal IN ('acknowledged', 'delivered')) IS NOT 1
        OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM handoff_waits WHERE handoff = NEW.handoff)
        OR EXISTS (SELECT 1 FROM handoff_waits WHERE operation = NEW.operation)
      THEN RAISE(ABORT, 'wait_status_illegal')
  END;
END;

CREATE TRIGGER handoff_waits_insert_done AFTER INSERT ON handoff_waits BEGIN
  INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns, at)
  SELECT handoff, number, status, reason, NEW.boot, NEW.at_ns, NEW.at FROM handoff_wait_start_v
  WHERE handoff = NEW.handoff AND number = NEW.number AND status <> 'pending';
END;

CREATE TRIGGER handoff_waits_update_rules BEFORE UPDATE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_waits_delete_rules BEFORE DELETE ON handoff_waits BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

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

CREATE TRIGGER handoff_wait_ends_insert_rules BEFORE INSERT ON handoff_wait_ends BEGIN
  INSERT INTO handoff_history_check_v (handoff) VALUES (NEW.handoff);
  INSERT INTO handoff_clock_check_v (boot, at_ns, at) VALUES (NEW.boot, NEW.at_ns, NEW.at);
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoff_waits WHERE handoff = NEW.handoff AND number = NEW.number)
      THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN EXISTS (SELECT 1 FROM handoff_wait_ends WHERE handoff = NEW.handoff AND number = NEW.number)
      THEN RAISE(ABORT, 'wait_terminal')
  END;
  SELECT RAISE(ABORT, 'wait_status_illegal')
  FROM handoff_wait_start_v AS s
  WHERE s.handoff = NEW.handoff AND s.number = NEW.number AND iif(
    -- Either it ends at once,
    NEW.status <> 'pending'
      AND (NEW.status, NEW.reason, NEW.boot, NEW.at_ns) IS (s.status, s.reason, s.boot, s.at_ns),
    1,
    -- or in a way in which a pending wait can end.
    CASE NEW.status
      WHEN 'satisfied'
        THEN s.status = 'satisfied' AND NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns < s.deadline_ns
      WHEN 'timed_out_unknown' THEN NEW.reason IS NULL AND NEW.boot = s.boot AND NEW.at_ns >= s.deadline_ns
      WHEN 'stopped' THEN NEW.reason IS 'stopped_by_operator'
      WHEN 'failed'
        THEN NEW.reason IN ('evidence_failed', 'history_unavailable', 'deadline_before_effect', 'invalid_handoff')
    END) IS NOT 1;
END;

CREATE TRIGGER handoff_wait_ends_update_rules BEFORE UPDATE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'wait_terminal');
END;

CREATE TRIGGER handoff_wait_ends_delete_rules BEFORE DELETE ON handoff_wait_ends BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TABLE handoff_tombstones (
  -- Private. The details of a handoff have ended, and only the fence is left.
  handoff TEXT NOT NULL PRIMARY KEY REFERENCES handoffs (id),
  boot TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
) WITHOUT ROWID;

CREATE TRIGGER handoff_tombstones_insert_rules BEFORE INSERT ON handoff_tombstones BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff) THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN EXISTS (SELECT 1 FROM handoff_tombstones WHERE handoff = NEW.handoff) THEN RAISE(IGNORE)
    -- An age is known only within one boot: the clocks of two boots do not compare.
    WHEN EXISTS (
        SELECT 1
        FROM handoffs AS h JOIN handoff_phase_v AS p ON p.handoff = h.id
        WHERE h.id = NEW.handoff AND (
          p.phase = 'quarantined' OR h.boot IS NOT NEW.boot OR typeof(NEW.at_ns) <> 'integer'
          OR NEW.at_ns < h.details_expire_ns))
      THEN RAISE(ABORT, 'handoff_phase_illegal')
  END;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE TRIGGER handoff_tombstones_update_rules BEFORE UPDATE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER handoff_tombstones_delete_rules BEFORE DELETE ON handoff_tombstones BEGIN
  SELECT RAISE(ABORT, 'handoff_fence_retained');
END;

CREATE VIEW handoff_time_check_v (
-- Private, without rows. An INSERT refuses what is no time.
  at -- Unix seconds
) AS
SELECT NULL WHERE false;

CREATE TRIGGER handoff_time_check_v_insert_rules INSTEAD OF INSERT ON handoff_time_check_v BEGIN
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1;
END;

CREATE VIEW handoff_digest_check_v (
-- Private, without rows. An INSERT refuses what is no SHA-256 in 64 hexadecimal digits.
  digest, -- the value
  code -- the code to refuse it with: one of those in the trigger
) AS
SELECT NULL, NULL WHERE false;

CREATE TRIGGER handoff_digest_check_v_insert_rules INSTEAD OF INSERT ON handoff_digest_check_v BEGIN
  SELECT CASE NEW.code
    WHEN 'handoff_clock_unavailable' THEN RAISE(ABORT, 'handoff_clock_unavailable')
    WHEN 'receipt_authority_unavailable' THEN RAISE(ABORT, 'receipt_authority_unavailable')
    ELSE RAISE(ABORT, 'invalid_handoff')
  END
  -- length() of a text stops at U+0000, so its bytes are counted too.
  WHERE (typeof(NEW.digest) = 'text' AND length(NEW.digest) = 64 AND length(CAST(NEW.digest AS BLOB)) = 64
    AND NEW.digest NOT GLOB '*[^0-9a-f]*') IS NOT 1;
END;

CREATE VIEW handoff_clock_check_v (
-- Private, without rows. An INSERT refuses what is no moment of a boot.
  boot, -- which boot
  at_ns, -- nanoseconds since it
  at -- the same moment, to be shown
) AS
SELECT NULL, NULL, NULL WHERE false;

CREATE TRIGGER handoff_clock_check_v_insert_rules INSTEAD OF INSERT ON handoff_clock_check_v BEGIN
  INSERT INTO handoff_digest_check_v (digest, code) VALUES (NEW.boot, 'handoff_clock_unavailable');
  SELECT RAISE(ABORT, 'handoff_clock_unavailable')
  WHERE typeof(NEW.at_ns) <> 'integer' OR NEW.at_ns NOT BETWEEN 0 AND 4611686018427387904;
  INSERT INTO handoff_time_check_v (at) VALUES (NEW.at);
END;

CREATE VIEW handoff_uuid_check_v (
-- Private, without rows. An INSERT refuses what is no UUID of version 4 in lower case.
  uuid, -- the value
  code -- the code to refuse it with: one of those in the trigger
) AS
SELECT NULL, NULL WHERE false;

CREATE TRIGGER handoff_uuid_check_v_insert_rules INSTEAD OF INSERT ON handoff_uuid_check_v BEGIN
  SELECT CASE NEW.code
    WHEN 'invalid_correlation_id' THEN RAISE(ABORT, 'invalid_correlation_id')
    WHEN 'invalid_receipt' THEN RAISE(ABORT, 'invalid_receipt')
    ELSE RAISE(ABORT, 'invalid_uuid')
  END
  WHERE (typeof(NEW.uuid) = 'text' AND length(CAST(NEW.uuid AS BLOB)) = 36
    AND NEW.uuid GLOB '????????-????-4???-[89ab]???-????????????'
    AND replace(NEW.uuid, '-', '') NOT GLOB '*[^0-9a-f]*' AND length(replace(NEW.uuid, '-', '')) = 32) IS NOT 1;
END;

CREATE VIEW handoff_epoch_v AS
-- Private. The active history, if there is one.
SELECT
  handoff_epochs.epoch -- its id
FROM handoff_epochs
WHERE NOT EXISTS (SELECT 1 FROM handoff_quarantines AS q WHERE q.epoch = handoff_epochs.epoch);

CREATE VIEW handoff_phase_v AS
-- Private. How far each handoff has come, computed from the recorded rows.
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
  END AS submission, -- not_attempted, refused, submitted, unknown
  -- A refused handoff reached nobody, so no token can have come from it.
  iif(q.epoch IS NULL AND t.handoff IS NULL AND o.submission IS NOT 'refused', c.hash, NULL)
    AS token_hash, -- the hash of the token that a receipt must present; NULL: no receipt is accepted
  c.handoff IS NOT NULL AND q.epoch IS NULL AND t.handoff IS NULL AND coalesce(o.submission, 'submitted') = 'submitted'
    AS can_be_acked, -- whether such a receipt is an acknowledgment, now or once the submission is recorded
  t.handoff IS NOT NULL AS is_expired, -- whether its details have ended
  coalesce(a.ack_requested, o.ack_requested, 0) AS ack_requested, -- whether an acknowledgment was asked for
  coalesce(a.observe, o.observe, 0) AS observe, -- whether its delivery was to be observed
  o.reason, -- why it was refused, or is unknown
  o.native, -- what the client answered
  a.at AS attempted_at, -- when the fence was committed
  o.at AS finished_at -- when the outcome was recorded
FROM handoffs AS h
LEFT JOIN handoff_attempts AS a ON a.handoff = h.id
LEFT JOIN handoff_capabilities AS c ON c.handoff = h.id
LEFT JOIN handoff_outcomes AS o ON o.handoff = h.id
LEFT JOIN handoff_tombstones AS t ON t.handoff = h.id
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_history_check_v (
-- Private, without rows. An INSERT refuses a handoff that is not there, or of which nothing can be told any more.
  handoff -- which one
) AS
SELECT NULL WHERE false;

CREATE TRIGGER handoff_history_check_v_insert_rules INSTEAD OF INSERT ON handoff_history_check_v BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM handoffs WHERE id = NEW.handoff) THEN RAISE(ABORT, 'handoff_id_unknown')
    WHEN (SELECT phase IN ('tombstone', 'quarantined') FROM handoff_phase_v WHERE handoff = NEW.handoff)
      THEN RAISE(ABORT, 'handoff_history_unavailable')
  END;
END;

CREATE VIEW handoff_first_wait_v AS
-- Private. The wait whose deadline decides what is late: the first one that could begin. One that ended the moment it
-- began (unsupported, too short, in another boot) waited for nothing and does not count.
SELECT
  w.handoff, -- of which handoff
  w.boot, -- the boot of deadline_ns
  w.deadline_ns, -- its deadline
  NOT EXISTS (SELECT 1 FROM handoff_wait_ends AS e WHERE e.handoff = w.handoff AND e.number = w.number)
    AS is_pending -- whether no end of it is recorded
FROM handoff_waits AS w
WHERE w.number = (
  SELECT min(f.number) FROM handoff_waits AS f
  WHERE f.handoff = w.handoff AND NOT EXISTS (
    SELECT 1 FROM handoff_wait_ends AS e
    WHERE e.handoff = f.handoff AND e.number = f.number AND (e.boot, e.at_ns) = (f.boot, f.at_ns)));

CREATE VIEW handoff_ack_due_v AS
-- Private. The receipts that have to become a row of handoff_acks and are none yet.
SELECT
  handoff, -- of which handoff
  assurance, -- token_possession or operator_confirmed
  late, -- 1: at or after the deadline of the first wait
  boot, -- the clock of at_ns
  at_ns, -- when it was accepted
  at -- the same to be shown
FROM (
  SELECT
    r.handoff, r.assurance, r.boot, w.is_pending,
    (w.boot <> r.boot OR iif(o.boot = r.boot, max(r.at_ns, o.at_ns), r.at_ns) >= w.deadline_ns) IS TRUE AS late,
    iif(o.boot = r.boot, max(r.at_ns, o.at_ns), r.at_ns) AS at_ns,
    iif(o.boot = r.boot AND o.at_ns > r.at_ns, o.at, r.at) AS at,
    r.assurance = 'operator_confirmed'
      OR (o.boot = r.boot AND max(r.at_ns, o.at_ns) < h.authority_expires_ns) AS is_accepted
  FROM handoff_receipts AS r
  JOIN handoffs AS h ON h.id = r.handoff
  JOIN handoff_phase_v AS p ON p.handoff = r.handoff AND p.submission = 'submitted'
  JOIN handoff_outcomes AS o ON o.handoff = r.handoff
  LEFT JOIN handoff_first_wait_v AS w ON w.handoff = r.handoff
  WHERE NOT EXISTS (SELECT 1 FROM handoff_acks AS a WHERE a.handoff = r.handoff)
)
-- A statement does not say when the recipient got the message, so it counts only when the first wait is over.
WHERE is_accepted AND (assurance = 'token_possession' OR late OR is_pending IS NOT TRUE);

CREATE VIEW handoff_wait_start_v AS
-- Private. The initial status of a wait that would begin now, computed from the recorded rows.
SELECT
  handoff, -- of which handoff
  number, -- which of its waits
  boot, -- the clock of at_ns
  at_ns, -- when it began
  deadline_ns, -- until when it waits
  CASE start
    WHEN 'pending' THEN 'pending'
    WHEN 'satisfied' THEN 'satisfied'
    WHEN 'stopped_by_operator' THEN 'stopped'
    WHEN 'evidence_unsupported' THEN 'unsupported'
    ELSE 'failed'
  END AS status, -- pending, or how it ends at once: satisfied, stopped, unsupported, failed
  nullif(nullif(start, 'pending'), 'satisfied') AS reason -- why it is stopped, unsupported or failed
FROM (
  SELECT
    w.handoff, w.number, w.boot, w.at_ns, w.deadline_ns,
    CASE
      WHEN w.goal = 'acknowledged' AND k.handoff IS NOT NULL THEN 'satisfied'
      WHEN w.seconds <= 5 THEN 'insufficient_budget'
      -- A send that was refused before its attempt: its reason is that of the wait too.
      WHEN p.attempted_at IS NULL THEN iif(
        p.reason IN ('deadline_before_effect', 'stopped_by_operator', 'insufficient_budget', 'evidence_unsupported',
          'invalid_handoff'), p.reason, 'evidence_failed')
      -- No client reports a delivery. Without a token nothing can be acknowledged.
      WHEN w.goal = 'delivered' OR NOT p.can_be_acked THEN 'evidence_unsupported'
      WHEN w.boot <> h.boot THEN 'history_unavailable'
      WHEN w.at_ns >= h.authority_expires_ns THEN 'evidence_unsupported'
      ELSE 'pending'
    END AS start
  FROM handoff_waits AS w
  JOIN handoffs AS h ON h.id = w.handoff
  JOIN handoff_phase_v AS p ON p.handoff = w.handoff
  LEFT JOIN handoff_acks AS k ON k.handoff = w.handoff
);

DROP VIEW body_limit_v;
CREATE VIEW body_limit_v (
-- Private, a hook of the mailbox. The messages that have a limit of their own: a handoff may be as large as prepared.
  id, -- which message
  bytes -- how large its body may be
) AS
SELECT id, max(bytes, 32000) FROM handoffs;

DROP VIEW open_by_facts_v;
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

CREATE VIEW handoff_waits_v AS
-- Every wait for a handoff, one row each. NULL where there is nothing.
SELECT
  w.handoff AS correlation_id, -- the handoff
  w.number, -- 1, 2, …; the deadline of the first one that could begin decides what is late
  w.operation AS operation_id, -- the wait's own id
  w.goal AS wait_for, -- acknowledged or delivered
  -- A quarantine ends what is pending, and takes back what was satisfied.
  CASE
    WHEN q.epoch IS NOT NULL AND coalesce(e.status, 'satisfied') = 'satisfied' THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS status, -- pending, satisfied, timed_out_unknown, stopped, unsupported, failed
  iif(q.epoch IS NOT NULL AND coalesce(e.status, 'satisfied') = 'satisfied', 'history_unavailable', e.reason)
    AS reason, -- why, where it is stopped, unsupported or failed
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS deadline_at_utc_ms, -- until when; shown only, the clock below decides
  w.boot AS deadline_boot, -- the boot whose clock decides
  w.deadline_ns -- the deadline on that clock; at and after it the wait is over
FROM handoff_waits AS w
JOIN handoffs AS h ON h.id = w.handoff
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number
LEFT JOIN handoff_quarantines AS q ON q.epoch = h.epoch;

CREATE VIEW handoff_v AS
-- Every handoff with what is proven of it, one row each. NULL where there is nothing. A view has no clock:
-- compare the columns authority_… and wait_… with the present time to see whether something pending is over by now.
SELECT
  h.id AS correlation_id, -- its id, and that of its message
  h.epoch AS ledger_epoch, -- the history that it belongs to
  h.sender, -- the peer who hands over
  h.recipient, -- the peer who is to get it
  h.harness, -- the recipient's client
  h.host, -- the SSH destination; NULL: this machine
  h.generation AS target_generation, -- the one process it is for; NULL where the client has no such thing
  p.phase, -- prepared, attempted, terminal, tombstone, quarantined
  CASE
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN p.phase IN ('attempted', 'terminal') AND p.submission <> 'refused' AND e.status = 'timed_out_unknown'
      THEN 'timed_out_unknown'
    WHEN p.submission = 'not_attempted' THEN 'validated'
    ELSE p.submission
  END AS state, -- validated, refused, submitted, unknown, timed_out_unknown, acknowledged
  p.submission, -- not_attempted, refused, submitted, unknown
  p.reason, -- why it was refused, or is unknown
  iif(p.observe, 'unsupported', 'not_requested') AS observation, -- no route supplies it
  CASE
    WHEN k.handoff IS NOT NULL THEN 'acknowledged'
    WHEN NOT p.ack_requested THEN 'not_requested'
    ELSE iif(p.can_be_acked, 'pending', 'unsupported')
  END AS ack, -- not_requested, unsupported, pending, acknowledged
  k.assurance AS ack_assurance, -- token_possession or operator_confirmed
  CAST(round(k.at * 1000) AS INTEGER) AS ack_received_at_utc_ms, -- when it was accepted
  k.late AS is_ack_late, -- at or past the deadline of the first wait
  r.at AS ack_arrived_at, -- when a token was presented that is no acknowledgment: proves that it arrived
  coalesce(w.goal, 'none') AS wait_for, -- the latest wait, like all wait_…
  CASE
    WHEN w.handoff IS NULL THEN 'not_requested'
    WHEN p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied' THEN 'failed'
    ELSE coalesce(e.status, 'pending')
  END AS wait, -- not_requested, and those of handoff_waits_v
  w.operation AS wait_operation_id, -- as in handoff_waits_v, like all that follows with wait_…
  CAST(round(w.deadline_at * 1000) AS INTEGER) AS wait_deadline_at_utc_ms, -- until when; shown only
  iif(w.handoff IS NOT NULL AND p.phase = 'quarantined' AND coalesce(e.status, 'satisfied') = 'satisfied',
    'history_unavailable', e.reason) AS wait_reason, -- why, where it is stopped, unsupported or failed
  w.boot AS wait_boot, -- the boot whose clock decides
  w.deadline_ns AS wait_deadline_ns, -- the deadline on that clock
  h.boot AS authority_boot, -- the boot within which a receipt can be accepted
  h.authority_expires_ns, -- and until when; NULL: never
  iif(p.phase = 'terminal', p.native, NULL) AS native_json, -- what the client answered
  h.at AS prepared_at, -- when it was prepared, in Unix seconds
  p.attempted_at, -- when the fence was committed
  p.finished_at -- when the outcome was recorded
FROM handoffs AS h
JOIN handoff_phase_v AS p ON p.handoff = h.id
-- A quarantine and a tombstone end what was acknowledged, a tombstone also what was waited for.
LEFT JOIN handoff_acks AS k ON k.handoff = h.id AND p.phase = 'terminal'
LEFT JOIN handoff_receipts AS r
  ON r.handoff = h.id AND r.assurance = 'token_possession' AND k.handoff IS NULL
    AND p.phase IN ('attempted', 'terminal')
LEFT JOIN handoff_waits AS w
  ON w.handoff = h.id AND NOT p.is_expired
    AND w.number = (SELECT max(l.number) FROM handoff_waits AS l WHERE l.handoff = h.id)
LEFT JOIN handoff_wait_ends AS e ON e.handoff = w.handoff AND e.number = w.number;
