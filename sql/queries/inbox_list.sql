-- Reads. The actor's open mail after a cursor, oldest first: inbox_v, with the columns in the order of message_v.
SELECT v.*
FROM open_mail AS i
JOIN message_v AS v ON v.seq = i.seq
WHERE i.recipient = :actor AND i.seq > :cursor
ORDER BY i.seq
LIMIT :limit;
