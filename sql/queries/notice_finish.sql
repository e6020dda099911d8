-- Writes. Records the outcome of a claimed notice.
INSERT INTO notice_outcomes (message_id, attempt, submission, detail, queue_id, recipient_status)
VALUES (:id, :attempt, :submission, :detail, :queue_id, :recipient_status);
