-- Reads. Up to two of the actor's handoffs, sent or got, whose id begins with :prefix (lower case, with hyphens).
-- In the alphabet g follows every hexadecimal digit.
SELECT id FROM handoffs WHERE id >= :prefix AND id < :prefix || 'g' AND :actor IN (sender, recipient) LIMIT 2;
