-- Writes. Records where a peer's session is now; what it is already changes nothing.
INSERT INTO peer_addresses (peer, session_id, workspace, home, socket, url)
VALUES (:name, :session_id, :workspace, :home, :socket, :url);
