-- Writes. Registers a wait of the actor for the answer to its request.
INSERT INTO waits (token, message_id, peer, until)
VALUES (:token, :id, :actor, (julianday('now') - 2440587.5) * 86400.0 + :seconds);
