-- Reads. How many requests a batch has, and how many of them lie after a cursor.
SELECT count(*) AS total, count(*) FILTER (WHERE seq > :cursor) AS remaining
FROM messages
WHERE batch = :id AND sender = :actor;
