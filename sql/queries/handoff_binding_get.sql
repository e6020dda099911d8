-- Reads. What a handoff is bound to, how far it has come, and whether a token could be given at :now_ns of :boot.
SELECT
  h.epoch AS ledger_epoch, h.sender, h.recipient, h.harness, h.target, h.host, h.home, h.context, h.generation,
  h.digest, h.chars, h.bytes, p.phase,
  (h.boot = :boot AND :now_ns < h.authority_expires_ns) IS TRUE AS is_receipt_capable
FROM handoffs AS h
JOIN handoff_phase_v AS p ON p.handoff = h.id
WHERE h.id = :id;
