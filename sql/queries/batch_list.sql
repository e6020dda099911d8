-- Reads. The requests of a batch after a cursor, oldest first.
SELECT v.*
FROM messages AS m
JOIN message_v AS v ON v.seq = m.seq
WHERE m.batch = :id AND m.sender = :actor AND m.seq > :cursor
ORDER BY m.seq
LIMIT :limit;
