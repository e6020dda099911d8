-- Writes. Claims another notice of a message, where that is allowed.
INSERT INTO notice_claims (message_id, attempt, address)
SELECT
  id,
  coalesce((SELECT attempt FROM nudge_v WHERE message_id = :id), 0),
  (SELECT max(seq) FROM peer_addresses WHERE peer = recipient)
FROM messages
WHERE id = :id
RETURNING attempt;
