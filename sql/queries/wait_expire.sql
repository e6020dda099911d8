-- Writes. Removes the registrations of waits that ended long ago without doing so themselves (they were killed).
DELETE FROM waits WHERE until < (julianday('now') - 2440587.5) * 86400.0 - 60 RETURNING token;
