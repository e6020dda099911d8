-- Reads. What is to be done about the notice of an acknowledged or cancelled message.
SELECT status, detail, queue_id FROM cleanup_v WHERE message_id = :id;
