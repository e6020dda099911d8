-- Reads. What became of a request: its answer, and whether it was taken back.
SELECT
  r.id AS answer_id,
  EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id) AS is_cancelled
FROM messages AS m
LEFT JOIN messages AS r ON r.in_reply_to = m.id
WHERE m.id = :id;
