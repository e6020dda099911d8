-- Reads. The requests of a batch, in the order in which they were saved.
SELECT id, recipient FROM messages WHERE batch = :id ORDER BY seq;
