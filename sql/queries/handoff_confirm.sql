-- Writes. The sender states that the recipient has it. No row: it is acknowledged already.
INSERT INTO handoff_receipts (handoff, assurance, boot, at_ns)
VALUES (
  (SELECT id FROM handoffs WHERE id = :id AND epoch = :epoch AND generation = :generation AND sender = :actor),
  'operator_confirmed', :boot, :now_ns
)
RETURNING handoff;
