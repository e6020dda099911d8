-- Reads. The tables and views of a file of unknown origin.
SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name;
