-- Writes. Saves the message of a handoff, behind its fence.
INSERT INTO messages (id, sender, recipient, body) VALUES (:id, :actor, :recipient, :body);
