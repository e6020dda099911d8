-- Reads. All that a file of unknown origin has, in the words that made it.
SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name;
