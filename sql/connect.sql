-- Every connection runs this before its first statement. FULL: what was committed survives a loss of power.
PRAGMA foreign_keys = ON;
PRAGMA recursive_triggers = ON;
PRAGMA synchronous = FULL;
-- A log that one large change has made long is cut off when it begins anew.
PRAGMA journal_size_limit = 1000000;
