-- Writes. Claims the one notice of a message. No row: nothing is to be attempted.
INSERT INTO notice_claims (message_id) VALUES (:id) RETURNING message_id;
