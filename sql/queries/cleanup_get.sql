-- Reads. What is to be done about the notice of a message once that is acknowledged or cancelled: `status` is skipped
-- or unsupported (`detail` says why), pending (the notice is still being submitted), due, or what the last try said.
SELECT
  CASE
    WHEN detail = 'client_has_no_notification_removal' THEN 'unsupported'
    WHEN detail IS NOT NULL THEN 'skipped'
    WHEN submission IS NULL THEN 'pending'
    ELSE coalesce(
      (SELECT t.status FROM notice_cleanups AS t WHERE t.message_id = :id ORDER BY t.seq DESC LIMIT 1), 'due')
  END AS status,
  detail,
  queue_id
FROM (
  SELECT
    CASE
      WHEN p.delivery = 'pull' THEN 'pull_only'
      WHEN coalesce(a.at, x.at) IS NULL THEN 'message_not_acknowledged_by_recipient'
      WHEN o.submission = 'submitted' AND NOT h.can_withdraw THEN 'client_has_no_notification_removal'
      WHEN iif(o.message_id IS NULL, c.message_id, o.queue_id) IS NULL THEN 'no_confirmed_queue_receipt'
    END AS detail,
    o.submission,
    o.queue_id
  FROM messages AS m
  JOIN peers AS p ON p.name = m.recipient
  LEFT JOIN harnesses AS h ON h.name = p.harness
  LEFT JOIN acks AS a ON a.message_id = m.id
  LEFT JOIN cancellations AS x ON x.message_id = m.id
  LEFT JOIN notice_claims AS c ON c.message_id = m.id
    AND c.attempt = (SELECT max(n.attempt) FROM notice_claims AS n WHERE n.message_id = m.id)
  LEFT JOIN notice_outcomes AS o ON o.message_id = m.id AND o.attempt = coalesce(c.attempt, 1)
  WHERE m.id = :id
);
