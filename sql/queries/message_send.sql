-- Writes. Saves a request or a note. A row: it is new. No row: it was saved before, word for word.
INSERT INTO messages (id, sender, recipient, kind, about, batch, body)
VALUES (:id, :actor, :recipient, :kind, :about, :batch, :body)
RETURNING id;
