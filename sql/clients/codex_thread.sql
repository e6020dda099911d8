-- Reads Codex's state database: one thread by its id (?1).
-- A column that this layout lacks comes back as NULL: a name not found in `threads` is looked for in the query around
-- it, where `lacking` has it. id, cwd, source and archived are needed; without them the layout is unknown.
SELECT t.id, t.cwd, t.source, t.archived,
  (SELECT thread_source FROM threads AS i WHERE i.id = t.id) AS thread_source,
  (SELECT attached_thread_parent_id FROM threads AS i WHERE i.id = t.id) AS attached_thread_parent_id,
  (SELECT ephemeral FROM threads AS i WHERE i.id = t.id) AS ephemeral
FROM threads AS t, (SELECT NULL AS thread_source, NULL AS attached_thread_parent_id, NULL AS ephemeral) AS lacking
WHERE t.id = ?1;
