-- Reads. One peer by its name.
SELECT name, harness, delivery, session_id, workspace, home, socket, url, retired_at FROM peer_v WHERE name = :name;
