-- Writes. The fence: spends the one attempt of a handoff, if it is still what was prepared.
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, home, context, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  :id, :actor, :recipient, :host, :home, :context, :generation, :digest, :ack_requested, :observe, :boot, :now_ns
);
