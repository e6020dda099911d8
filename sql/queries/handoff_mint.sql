-- Writes. Records the hash of the token that a receipt must present; between the fence and its message.
INSERT INTO handoff_capabilities (handoff, hash) VALUES (:id, :hash);
