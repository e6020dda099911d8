-- Writes. Claims the one notice of a message. No row: nothing is to be attempted.
INSERT INTO notice_claims (message_id, address)
SELECT id, (SELECT max(seq) FROM peer_addresses WHERE peer = recipient) FROM messages WHERE id = :id
RETURNING attempt;
