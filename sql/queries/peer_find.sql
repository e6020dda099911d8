-- Reads. The peer that a client's session has now.
SELECT v.*
FROM session_v AS s
JOIN peer_v AS v ON v.name = s.name
WHERE s.session_id = :session_id AND s.harness = :harness;
