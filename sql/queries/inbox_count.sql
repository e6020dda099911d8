-- Reads. How much open mail the actor has, and how much of it lies after a cursor.
SELECT count(*) AS total, count(*) FILTER (WHERE seq > :cursor) AS remaining FROM open_mail WHERE recipient = :actor;
