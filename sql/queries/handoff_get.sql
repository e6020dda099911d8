-- Reads. The public object of a handoff, as seen at :now_ns of :boot (both NULL where there is no clock).
-- Each part is computed once: flattened into one another they would be compiled at each mention.
WITH stored AS MATERIALIZED (SELECT v.* FROM handoff_v AS v WHERE v.correlation_id = :id),
seen AS MATERIALIZED (
  SELECT
    correlation_id, ledger_epoch, sender, recipient, phase, state, submission, reason, observation, ack_assurance,
    ack_received_at_utc_ms, is_ack_late, ack_arrived_at, wait_for, wait_operation_id, wait_deadline_at_utc_ms,
    target_generation, native_json, ack = 'pending' AND authority_boot = :boot AND :now_ns < authority_expires_ns
      AND (submission = 'submitted' OR wait = 'pending') AS is_live, -- an acknowledgment can come
    iif(ack = 'pending' AND (authority_boot <> :boot OR :now_ns >= authority_expires_ns), 'unsupported', ack) AS ack,
    CASE
      WHEN wait = 'pending' AND wait_boot <> :boot THEN 'failed'
      WHEN wait = 'pending' AND :now_ns >= wait_deadline_ns THEN 'timed_out_unknown'
      ELSE wait
    END AS wait,
    iif(wait = 'pending' AND wait_boot <> :boot, 'history_unavailable', wait_reason) AS wait_reason,
    phase IN ('attempted', 'terminal') AND state IN ('submitted', 'unknown') AND wait = 'pending'
      AND wait_boot = :boot AND :now_ns >= wait_deadline_ns AS is_over
  FROM stored
)
SELECT
  sender, recipient, phase, reason, native_json,
  json_object(
    'schema_version', 1, 'correlation_id', correlation_id, 'ledger_epoch', ledger_epoch,
    'state', iif(is_over, 'timed_out_unknown', state), 'submission', json_object('status', submission),
    'observation', json_object('status', observation, 'injection_observed', json('false')),
    'ack', json_patch('{}', json_object(
      'status', ack, 'assurance', ack_assurance, 'received_at_utc_ms', ack_received_at_utc_ms,
      'late', json(CASE is_ack_late WHEN 1 THEN 'true' WHEN 0 THEN 'false' END), 'arrived_at', ack_arrived_at)),
    'wait', json_patch('{}', json_object(
      'for', wait_for, 'status', wait, 'operation_id', wait_operation_id,
      'deadline_at_utc_ms', wait_deadline_at_utc_ms, 'reason', wait_reason)),
    'target_generation', target_generation, 'decision_owner', 'sender_operator',
    'retry', json_object('allowed', json('false'), 'reason', 'receiver_dedup_unavailable'),
    'next_actions', json('[' || ltrim(iif(is_live, ',"keep_waiting"', '')
      || iif(submission IN ('submitted', 'unknown'), ',"reconcile"', '')
      || iif(wait = 'pending', ',"stop_waiting"', ''), ',') || ']')) AS handoff_json
FROM seen;
