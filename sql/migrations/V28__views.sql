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
  c.at AS notification_started_at, -- when the notice was claimed; of several attempts the newest counts
  o.at AS notification_finished_at, -- when its outcome was recorded
  o.detail AS notification_detail, -- the receipt, or the reason
  w.at AS wait_returned_at, -- an answer: when a waiting asker got it
  o.recipient_status, -- the state of the recipient's session seen at the notice
  m.sender_source, -- what named the sender: option, HTALK_PEER, native_session; NULL: plain SQL, or an earlier release
  m.sender_session, -- the session of a client that spoke, where one was recognised
  CASE WHEN r.id IS NOT NULL THEN 'reply_received' WHEN x.at IS NOT NULL THEN 'cancelled' ELSE 'saved' END
    AS state -- saved; a request: reply_received once it is answered, cancelled once it is taken back
FROM messages AS m
LEFT JOIN acks AS a ON a.message_id = m.id
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
  AND c.attempt = (SELECT max(n.attempt) FROM notice_claims AS n WHERE n.message_id = m.id)
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id AND o.attempt = coalesce(c.attempt, 1)
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

CREATE VIEW nudge_v AS
-- Private. The open messages of whose notice another attempt may be made, one row each: the newest attempt was
-- definitely not submitted, or a send to several recipients did not come to this one.
SELECT
  m.id AS message_id, -- the message
  coalesce(o.attempt + 1, 1) AS attempt -- the number of the attempt
FROM messages AS m
JOIN open_mail AS i ON i.recipient = m.recipient AND i.seq = m.seq
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id
  AND o.attempt = (SELECT max(n.attempt) FROM notice_outcomes AS n WHERE n.message_id = m.id)
WHERE CASE
    WHEN EXISTS (SELECT 1 FROM notice_claims AS c WHERE c.message_id = m.id AND c.attempt > coalesce(o.attempt, 0))
      THEN 0
    WHEN o.attempt IS NULL THEN EXISTS (SELECT 1 FROM batches AS b WHERE b.id = m.batch AND b.has_notices)
    ELSE o.submission = 'not_submitted'
  END
  AND NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  AND EXISTS (SELECT 1 FROM peers AS p WHERE p.name = m.recipient AND p.delivery = 'native');

CREATE TABLE actions (
  -- Private. What can be done about a message, by whom, in the order in which recovery_v offers it (1: yes, 0: no).
  place INTEGER NOT NULL PRIMARY KEY,
  action TEXT NOT NULL, -- as in recovery_v
  verb TEXT NOT NULL, -- the command
  options TEXT, -- as in recovery_v
  is_for_sender INTEGER NOT NULL, -- by the sender of the message, else by its recipient
  is_on_answer INTEGER NOT NULL -- the command is called on the answer to the message
);

INSERT INTO actions (action, verb, options, is_for_sender, is_on_answer) VALUES
  ('show', 'show', NULL, 1, 0),
  ('show', 'show', NULL, 0, 0),
  ('wait', 'wait', NULL, 1, 0),
  ('show_reply', 'show', NULL, 1, 1),
  ('reply', 'reply', '--message-file -', 0, 0),
  ('reply_with_message', 'reply', '--message TEXT', 0, 0),
  ('nudge', 'nudge', NULL, 1, 0),
  ('ack_after_reading', 'ack', NULL, 1, 1),
  ('ack_after_reading', 'ack', NULL, 0, 0),
  ('retry_notification_cleanup', 'ack', NULL, 0, 0),
  ('retry_notification_cleanup', 'cancel', NULL, 1, 0);

CREATE VIEW recovery_v AS
-- What a peer can do about a message it sent or received: one row an action, `htalk --as PEER VERB TARGET_ID OPTIONS`.
SELECT
  m.id AS message_id, -- the message
  iif(can.is_for_sender, m.sender, m.recipient) AS peer, -- who can do it
  can.action, -- the name of the action
  can.verb, -- the command
  iif(can.is_on_answer, r.id, m.id) AS target_id, -- what to call it on
  can.options -- what follows that: options with their values, between blanks; TEXT stands for a text; or NULL
FROM messages AS m
JOIN actions AS can
LEFT JOIN messages AS r ON r.in_reply_to = m.id
LEFT JOIN acks AS a ON a.message_id = iif(can.is_on_answer, r.id, m.id)
LEFT JOIN cancellations AS x ON x.message_id = m.id
LEFT JOIN notice_claims AS c ON c.message_id = m.id
  AND c.attempt = (SELECT max(n.attempt) FROM notice_claims AS n WHERE n.message_id = m.id)
LEFT JOIN notice_outcomes AS o ON o.message_id = m.id AND o.attempt = coalesce(c.attempt, 1)
WHERE (r.id IS NOT NULL OR NOT can.is_on_answer) AND CASE
  WHEN can.action IN ('wait', 'reply', 'reply_with_message')
    THEN m.in_reply_to IS NULL AND m.kind IS NOT 'note' AND r.id IS NULL AND x.at IS NULL
  WHEN can.action = 'nudge' THEN EXISTS (SELECT 1 FROM nudge_v AS n WHERE n.message_id = m.id)
  WHEN can.action = 'ack_after_reading' THEN a.at IS NULL
  -- What a client has in its queue, or may have there soon, and the last try did not take out of it.
  WHEN can.action = 'retry_notification_cleanup' THEN iif(can.is_for_sender, x.at, a.at) IS NOT NULL
    AND iif(o.message_id IS NULL, c.message_id, o.queue_id) IS NOT NULL
    AND coalesce((SELECT t.status FROM notice_cleanups AS t WHERE t.message_id = m.id ORDER BY t.seq DESC LIMIT 1), '')
      NOT IN ('removed', 'absent')
  ELSE 1
END;

PRAGMA user_version = 28;
