-- Writes. Records that a send was interrupted before these recipients' turn: nothing was attempted.
INSERT INTO notice_outcomes (message_id, submission, detail)
SELECT m.id, 'not_submitted', :detail
FROM messages AS m
JOIN peers AS p ON p.name = m.recipient AND p.delivery = 'native'
WHERE m.batch = :batch
  AND NOT EXISTS (SELECT 1 FROM notice_claims AS c WHERE c.message_id = m.id)
  AND NOT EXISTS (SELECT 1 FROM notice_outcomes AS o WHERE o.message_id = m.id)
  AND NOT EXISTS (SELECT 1 FROM acks AS a WHERE a.message_id = m.id)
  AND NOT EXISTS (SELECT 1 FROM cancellations AS x WHERE x.message_id = m.id);
