-- Reads. Up to two of the actor's messages whose id begins with :prefix (lower case, with hyphens).
-- In the alphabet g follows every hexadecimal digit.
SELECT id FROM messages WHERE id >= :prefix AND id < :prefix || 'g' AND :actor IN (sender, recipient) LIMIT 2;
