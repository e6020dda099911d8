-- Reads. All peers, or those that are not retired, by name.
SELECT name, harness, delivery, session_id, workspace, home, socket, url, retired_at
FROM peer_v
WHERE :all OR retired_at IS NULL
ORDER BY name;
