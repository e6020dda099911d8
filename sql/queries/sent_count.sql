-- Reads. How much the actor sent, and how much of it lies before a cursor.
SELECT count(*) AS total, count(*) FILTER (WHERE seq < :cursor) AS remaining FROM messages WHERE sender = :actor;
