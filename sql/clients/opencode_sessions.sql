-- Reads OpenCode's database: its sessions, the latest used first.
-- A column that this layout lacks comes back as NULL: a name not found in `session` is looked for in the query around
-- it, where `lacking` has it. id and directory are needed; without them the layout is unknown.
SELECT s.id, s.directory,
  (SELECT parent_id FROM session AS i WHERE i.id = s.id) AS parent_id,
  (SELECT time_archived FROM session AS i WHERE i.id = s.id) AS time_archived
FROM session AS s, (SELECT NULL AS parent_id, NULL AS time_archived, NULL AS time_updated) AS lacking
ORDER BY (SELECT time_updated FROM session AS i WHERE i.id = s.id) DESC;
