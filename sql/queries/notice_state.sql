-- Reads. What speaks against a notice right now.
SELECT
  EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id) AS is_acknowledged,
  EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id) AS is_cancelled,
  (SELECT p.retired_at IS NOT NULL FROM peer_v AS p WHERE p.name = m.recipient) AS is_retired,
  EXISTS (SELECT 1 FROM wait_returns AS w WHERE w.message_id = m.id) AS is_returned,
  EXISTS (
    SELECT 1 FROM waits AS w
    WHERE w.message_id = m.in_reply_to AND w.until > (julianday('now') - 2440587.5) * 86400.0
  ) AS is_awaited
FROM messages AS m
WHERE m.id = :id;
