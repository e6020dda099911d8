-- Writes. Records a try to take a notice back.
INSERT INTO notice_cleanups (message_id, status, detail) VALUES (:id, :status, :detail);
