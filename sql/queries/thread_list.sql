-- Reads. A conversation after a cursor, oldest first: thread_v, from the seq of what began it.
SELECT v.*
FROM (
  SELECT :root AS seq WHERE :root > :cursor
  UNION ALL
  SELECT seq FROM thread_mail WHERE root = :root AND seq > :cursor
  ORDER BY seq
  LIMIT :limit
) AS t
JOIN message_v AS v ON v.seq = t.seq
ORDER BY t.seq;
