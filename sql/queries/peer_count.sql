-- Reads. How many peers there are (:all, or only those that are not retired), how many of them come after a name, and
-- how many are retired.
SELECT
  count(*) FILTER (WHERE :all OR retired_at IS NULL) AS total,
  count(*) FILTER (WHERE (:all OR retired_at IS NULL) AND name > :after) AS remaining,
  count(retired_at) AS retired
FROM peer_v;
