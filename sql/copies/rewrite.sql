-- Writes. Gives a copy another size of pages.
VACUUM;
