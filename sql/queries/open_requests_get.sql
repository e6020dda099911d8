-- Reads. What the one who is asked by a request has asked its sender (:actor) and has no answer to: the oldest ones.
SELECT i.id
FROM messages AS m
JOIN inbox_v AS i ON i.recipient = m.sender AND i.sender = m.recipient AND i.kind = 'request'
WHERE m.id = :id AND m.sender = :actor
ORDER BY i.seq
LIMIT 20;
