-- Reads. The tables of a file of unknown origin.
SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name;
