-- Reads. The peer registered for a client's session.
SELECT name, harness, delivery, session_id, workspace, home, socket, url, retired_at
FROM peer_v
WHERE harness = :harness AND session_id = :session_id;
