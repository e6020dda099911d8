-- Writes. Removes the registrations of waits whose time is over (they were killed).
DELETE FROM waits WHERE until < (julianday('now') - 2440587.5) * 86400.0 RETURNING token;
