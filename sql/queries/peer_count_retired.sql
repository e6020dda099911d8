-- Reads. How many peers are retired.
SELECT count(*) AS retired FROM peer_v WHERE retired_at IS NOT NULL;
