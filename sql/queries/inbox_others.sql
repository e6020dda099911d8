-- Reads. How much other open mail the recipient of a message has.
SELECT count(*) AS others
FROM messages AS m
JOIN open_mail AS i ON i.recipient = m.recipient AND i.seq <> m.seq
WHERE m.id = :id;
