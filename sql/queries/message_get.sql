-- Reads. One message by its id.
SELECT
  seq, id, sender, recipient, in_reply_to, body, created_at, ack_at, submission, notification_started_at,
  notification_finished_at, notification_detail, wait_returned_at, recipient_status, state
FROM message_v
WHERE id = :id;
