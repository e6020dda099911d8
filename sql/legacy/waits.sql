-- Schema 1 and early schema 2 had no registrations of waits.
CREATE TABLE waits (token TEXT PRIMARY KEY, message_id TEXT NOT NULL, actor TEXT NOT NULL, until REAL NOT NULL);
