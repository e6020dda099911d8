-- Writes. Ends the waits for a handoff that are over: past their deadline, or begun in another boot.
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
SELECT
  correlation_id, number, iif(deadline_boot = :boot, 'timed_out_unknown', 'failed'),
  iif(deadline_boot = :boot, NULL, 'history_unavailable'), :boot, :now_ns
FROM handoff_waits_v
WHERE correlation_id = :id AND status = 'pending' AND (deadline_boot <> :boot OR deadline_ns <= :now_ns);
