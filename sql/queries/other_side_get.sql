-- Reads. The other side of a message's conversation; of a message of others, its sender.
SELECT iif(sender = :actor, recipient, sender) AS name FROM messages WHERE id = :id;
