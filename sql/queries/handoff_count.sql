-- Reads. How many handoffs the actor has, how many of them were prepared before :before (NULL: all), and whether
-- that is one of them.
SELECT
  count(*) AS total,
  count(*) FILTER (
    WHERE :before IS NULL OR (h.at, h.id) < (SELECT c.at, c.id FROM handoffs AS c WHERE c.id = :before)) AS remaining,
  coalesce(max(h.id = :before), 0) AS is_known
FROM handoffs AS h
WHERE h.sender = :actor;
