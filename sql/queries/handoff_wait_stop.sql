-- Writes. Ends a wait that its operator interrupted, unless it has ended meanwhile.
INSERT INTO handoff_wait_ends (handoff, number, status, reason, boot, at_ns)
SELECT correlation_id, number, 'stopped', 'stopped_by_operator', :boot, :now_ns
FROM handoff_waits_v
WHERE correlation_id = :id AND operation_id = :operation AND status = 'pending';
