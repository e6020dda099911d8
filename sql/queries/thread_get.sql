-- Reads. The message that began the conversation of a message, by its seq.
SELECT coalesce(t.root, m.seq) AS root
FROM messages AS m
LEFT JOIN thread_mail AS t ON t.seq = m.seq
WHERE m.id = :id;
