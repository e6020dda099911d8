-- Reads. The peer registered for a client's session.
SELECT v.* FROM peer_v AS v WHERE v.harness = :harness AND v.session_id = :session_id;
