-- Writes. Refuses a prepared handoff before any effect; that spends it too.
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, reason, boot, at_ns)
VALUES (:id, 'refused', 0, :ack_requested, :observe, :reason, :boot, :now_ns);
