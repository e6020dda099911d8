-- Reads Codex's state database: the unarchived threads, the youngest first (ids are UUIDs of version 7).
-- For columns that this layout lacks see codex_thread.sql.
SELECT t.id, t.cwd, t.source, t.archived,
  (SELECT thread_source FROM threads AS i WHERE i.id = t.id) AS thread_source,
  (SELECT attached_thread_parent_id FROM threads AS i WHERE i.id = t.id) AS attached_thread_parent_id,
  (SELECT ephemeral FROM threads AS i WHERE i.id = t.id) AS ephemeral
FROM threads AS t, (SELECT NULL AS thread_source, NULL AS attached_thread_parent_id, NULL AS ephemeral) AS lacking
WHERE t.archived = 0
ORDER BY t.id DESC;
