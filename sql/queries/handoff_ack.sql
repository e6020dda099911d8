-- Writes. Presents a receipt. A row: it is new. No row: it was presented before.
INSERT INTO handoff_receipts (handoff, assurance, receipt_id, proof, boot, at_ns)
VALUES (
  (SELECT id FROM handoffs WHERE id = :id AND epoch = :epoch AND generation = :generation), 'token_possession',
  :receipt_id, :proof, :boot, :now_ns
)
RETURNING handoff;
