-- Writes. Saves a request or a note. A row: it is new. No row: it was saved before, word for word.
INSERT INTO messages (id, sender, recipient, kind, about, batch, sender_source, sender_session, body)
VALUES (:id, :actor, :recipient, :kind, :about, :batch, :source, :session, :body)
RETURNING id;
