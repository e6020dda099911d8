-- Reads. The actor's handoffs (those prepared before :before), newest first, as seen at :now_ns of :boot (both NULL
-- where there is no clock).
SELECT
  correlation_id, ledger_epoch, recipient, harness, host, target_generation, phase,
  iif(
    phase IN ('attempted', 'terminal') AND state IN ('submitted', 'unknown') AND wait = 'pending'
      AND wait_boot = :boot AND :now_ns >= wait_deadline_ns,
    'timed_out_unknown', state) AS state,
  submission, reason,
  iif(ack = 'pending' AND (authority_boot <> :boot OR :now_ns >= authority_expires_ns), 'unsupported', ack) AS ack,
  ack_assurance, is_ack_late, prepared_at, attempted_at, finished_at
FROM handoff_v
WHERE sender = :actor
  AND (:before IS NULL OR (prepared_at, correlation_id) < (SELECT c.at, c.id FROM handoffs AS c WHERE c.id = :before))
ORDER BY prepared_at DESC, correlation_id DESC
LIMIT :limit;
