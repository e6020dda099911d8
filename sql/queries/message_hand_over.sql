-- Writes. Saves the message of a handoff, behind its fence.
INSERT INTO messages (id, sender, recipient, sender_source, sender_session, body)
VALUES (:id, :actor, :recipient, :source, :session, :body);
