-- Reads. What a handoff is bound to, how far it has come, and whether it could get authority at :now_ns of :boot.
SELECT
  h.epoch AS ledger_epoch, h.sender, h.recipient, h.harness, h.target, h.host, h.home, h.context, h.generation,
  h.digest, h.chars, h.bytes, p.phase,
  h.harness = 'claude' AND h.host IS NULL AND h.generation IS NOT NULL AND h.boot = :boot
    AND :now_ns < h.at_ns + 86400000000000 AS is_receipt_capable
FROM handoffs AS h
JOIN handoff_phase_v AS p ON p.handoff = h.id
WHERE h.id = :id;
