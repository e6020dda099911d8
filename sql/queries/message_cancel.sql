-- Writes. Takes a request back; repeating it changes nothing.
INSERT INTO cancellations (message_id, peer) VALUES (:id, :actor);
