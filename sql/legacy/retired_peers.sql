-- Before schema 3 no peer could be retired.
CREATE TABLE retired_peers (name TEXT PRIMARY KEY, retired_at REAL NOT NULL);
