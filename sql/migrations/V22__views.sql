-- The views: what people and programs read. The manual of each stands inside it, where .schema shows it.

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
  c.at AS notification_started_at, -- when the one notice was claimed
  o.at AS notification_finished_at, -- when its outcome was recorded
  o.detail AS notification_detail, -- the receipt, or the reason
  w.at AS wait_returned_at, -- an answer: when a waiting asker got it
  o.recipient_status, -- the state of the recipient's session seen at the notice
  CASE WHEN r.id IS NOT NULL THEN 'reply_received' WHEN x.at IS NOT NULL THEN 'cancelled' ELSE 'saved' END
    AS state -- saved; a request: reply_received once it is answered, cancelled once it is taken back
FROM messages AS m
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id
LEFT JOIN wait_returns AS w ON w.message_id = m.id
LEFT JOIN messages AS r ON r.in_reply_to = m.id;

CREATE VIEW inbox_v AS
-- The open mail: requests neither answered nor cancelled (acknowledged or not), and unacknowledged answers and notes.
-- The columns are those of message_v. A peer's inbox: SELECT * FROM inbox_v WHERE recipient = 'NAME' ORDER BY seq;
SELECT * FROM open_mail JOIN message_v USING (recipient, seq);

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

CREATE VIEW withdrawal_v AS
-- Private. The notices that can still be taken back, or could: their messages are acknowledged or cancelled. One row a
-- message.
SELECT
  m.id AS message_id, -- the message
  CASE WHEN o.message_id IS NULL THEN 'pending' ELSE coalesce(
    (SELECT t.status FROM notice_cleanups AS t WHERE t.message_id = m.id ORDER BY t.seq DESC LIMIT 1), 'due')
  END AS status, -- pending (the notice is still being submitted), due, or what the last try said
  o.queue_id -- the client's id of the queued notice
FROM messages AS m
LEFT JOIN notice_claims AS c ON c.message_id = m.id
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id
WHERE (o.queue_id IS NOT NULL OR (o.message_id IS NULL AND c.message_id IS NOT NULL))
  AND (EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
    OR EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id));

CREATE VIEW cleanup_v AS
-- Private. What is to be done about the notice of a message once it is acknowledged or cancelled, one row a message.
SELECT
  m.id AS message_id, -- the message
  iif(p.delivery = 'native' AND coalesce(a.at, x.at) IS NOT NULL AND o.submission IS 'submitted'
      AND NOT h.can_withdraw,
    'unsupported', coalesce((SELECT w.status FROM withdrawal_v AS w WHERE w.message_id = m.id), 'skipped')
  ) AS status, -- unsupported, else as in withdrawal_v, else skipped
  CASE
    WHEN p.delivery = 'pull' THEN 'pull_only'
    WHEN coalesce(a.at, x.at) IS NULL THEN 'message_not_acknowledged_by_recipient'
    WHEN o.submission IS 'submitted' AND NOT h.can_withdraw THEN 'client_has_no_notification_removal'
    WHEN EXISTS (SELECT 1 FROM withdrawal_v AS w WHERE w.message_id = m.id) THEN NULL
    ELSE 'no_confirmed_queue_receipt'
  END AS detail, -- why, for skipped and unsupported
  o.queue_id -- as in withdrawal_v
FROM messages AS m
JOIN peers AS p ON p.name = m.recipient
LEFT JOIN harnesses AS h ON h.name = p.harness
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id;

CREATE VIEW recovery_v AS
-- What a peer can do about a message it sent or received: one row an action, `htalk --as PEER VERB TARGET_ID`.
WITH choices (action, verb, is_for_sender, is_on_answer) AS (
  VALUES
    ('show', 'show', 1, 0), ('show', 'show', 0, 0), ('wait', 'wait', 1, 0), ('show_reply', 'show', 1, 1),
    ('ack_after_reading', 'ack', 1, 1), ('ack_after_reading', 'ack', 0, 0),
    ('retry_notification_cleanup', 'ack', 0, 0), ('retry_notification_cleanup', 'cancel', 1, 0)
)
SELECT
  m.id AS message_id, -- the message
  iif(choices.is_for_sender, m.sender, m.recipient) AS peer, -- who can do it
  choices.action, -- the name of the action
  choices.verb, -- the command
  iif(choices.is_on_answer, r.id, m.id) AS target_id -- what to call it on
FROM choices
JOIN messages AS m
LEFT JOIN messages AS r ON r.in_reply_to = m.id
LEFT JOIN cancellations AS x ON x.message_id = m.id
WHERE (r.id IS NOT NULL OR NOT choices.is_on_answer) AND CASE choices.action
  WHEN 'wait' THEN m.in_reply_to IS NULL AND m.kind IS NOT 'note' AND r.id IS NULL AND x.at IS NULL
  WHEN 'ack_after_reading'
    THEN NOT EXISTS (SELECT 1 FROM acks WHERE message_id = iif(choices.is_on_answer, r.id, m.id))
  WHEN 'retry_notification_cleanup'
    THEN iif(choices.is_for_sender, x.at IS NOT NULL, EXISTS (SELECT 1 FROM acks WHERE message_id = m.id))
      AND EXISTS (SELECT 1 FROM withdrawal_v AS w WHERE w.message_id = m.id AND w.status NOT IN ('removed', 'absent'))
  ELSE 1
END;

PRAGMA user_version = 22;
