-- Every connection runs this before its first statement. FULL: what was committed survives a loss of power.
PRAGMA foreign_keys = ON;
PRAGMA recursive_triggers = ON;
PRAGMA synchronous = FULL;
