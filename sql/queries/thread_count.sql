-- Reads. How many messages a conversation has, and how many of them lie after a cursor.
SELECT 1 + count(*) AS total, (:root > :cursor) + count(*) FILTER (WHERE seq > :cursor) AS remaining
FROM thread_mail
WHERE root = :root;
