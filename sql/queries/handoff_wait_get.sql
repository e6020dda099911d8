-- Reads. How a wait stands.
SELECT status, reason FROM handoff_waits_v WHERE correlation_id = :id AND operation_id = :operation;
