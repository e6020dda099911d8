-- Reads. What a receipt for a handoff has to match; private, never to be shown.
SELECT h.epoch AS ledger_epoch, h.generation AS target_generation, c.hash
FROM handoffs AS h JOIN handoff_capabilities AS c ON c.handoff = h.id
WHERE h.id = :id;
