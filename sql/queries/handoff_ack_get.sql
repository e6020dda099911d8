-- Reads. What a token that was presented for a handoff is: committed (the acknowledgment), pending (until the outcome
-- is recorded), or arrived (the outcome stays unknown, and the token only proves that the handoff arrived).
SELECT CASE
  WHEN EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = :id) THEN 'committed'
  ELSE iif(phase = 'attempted', 'pending', 'arrived')
END AS classification
FROM handoff_phase_v
WHERE handoff = :id;
