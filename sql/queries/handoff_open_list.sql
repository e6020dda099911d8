-- Reads. The actor's open handoffs up to a cursor: they become open mail later than their seq says, when they are known
-- to be submitted.
SELECT seq, id, sender, kind
FROM inbox_v
WHERE recipient = :actor AND seq <= :cursor AND EXISTS (SELECT 1 FROM handoffs AS h WHERE h.id = inbox_v.id)
ORDER BY seq;
