-- Writes. Acknowledges a message; repeating it changes nothing.
INSERT INTO acks (message_id, peer) VALUES (:id, :actor);
