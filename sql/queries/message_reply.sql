-- Writes. Saves the answer to a request. A row: it is new. No row: it was saved before, word for word.
INSERT INTO messages (id, sender, recipient, in_reply_to, sender_source, sender_session, body)
VALUES (
  :id, :actor, (SELECT sender FROM messages WHERE id = :request), :request, :source, :session, :body
)
RETURNING id;
