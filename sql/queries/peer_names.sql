-- Reads. The names of the peers that are not retired.
SELECT name FROM peer_v WHERE retired_at IS NULL;
