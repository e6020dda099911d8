-- Writes. Prepares a handoff; the ledger makes its id.
INSERT INTO handoffs (
  epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  (SELECT epoch FROM handoff_epoch_v), :actor, :recipient, (SELECT harness FROM peers WHERE name = :recipient),
  (SELECT session_id FROM peers WHERE name = :recipient), :host, :home, :context, :generation, :digest, :chars, :bytes,
  :framed_chars, :framed_bytes, :boot, :now_ns
)
RETURNING id;
