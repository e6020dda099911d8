-- Writes. Saves a request. A row: it is new. No row: it was saved before, word for word.
INSERT INTO messages (id, sender, recipient, body) VALUES (:id, :actor, :recipient, :body) RETURNING id;
