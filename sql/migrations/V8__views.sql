-- The views: what people and programs read. The manual of each stands inside it, where .schema shows it.

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

PRAGMA user_version = 8;
