-- Writes. Records what came of the one attempt (:submission is refused, submitted or unknown).
INSERT INTO handoff_outcomes (
  handoff, submission, fenced, reason, native, detail, queue_id, recipient_status, boot, at_ns
)
VALUES (:id, :submission, 1, :reason, :native, :detail, :queue_id, :recipient_status, :boot, :now_ns);
