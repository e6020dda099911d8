-- Reads. The actor's open mail after a cursor, oldest first.
SELECT
  seq, id, sender, recipient, in_reply_to, body, created_at, ack_at, submission, notification_started_at,
  notification_finished_at, notification_detail, wait_returned_at, recipient_status, state
FROM inbox_v
WHERE recipient = :actor AND seq > :cursor
ORDER BY seq
LIMIT :limit;
