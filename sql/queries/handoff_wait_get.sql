-- Reads. One wait for a handoff, as the handoff's object shows it.
SELECT wait_for AS "for", status, operation_id, deadline_at_utc_ms, reason
FROM handoff_waits_v
WHERE correlation_id = :id AND operation_id = :operation;
