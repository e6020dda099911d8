-- Reads. What the actor sent before a cursor, newest first.
SELECT
  seq, id, sender, recipient, in_reply_to, body, created_at, ack_at, submission, notification_started_at,
  notification_finished_at, notification_detail, wait_returned_at, recipient_status, state
FROM sent_v
WHERE sender = :actor AND seq < :cursor
ORDER BY seq DESC
LIMIT :limit;
