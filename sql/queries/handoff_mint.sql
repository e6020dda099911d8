-- Writes. Records what a receipt must prove to know; between the fence and its message.
INSERT INTO handoff_capabilities (handoff, hash) VALUES (:id, :hash);
