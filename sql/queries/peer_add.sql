-- Writes. Registers a peer; an identical registration changes nothing.
INSERT INTO peers (name, harness, delivery, session_id, workspace, home, socket, url)
VALUES (:name, :harness, :delivery, :session_id, :workspace, :home, :socket, :url);
