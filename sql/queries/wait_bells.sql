-- Reads. The doorbells of those who wait for the answer to a request.
SELECT token FROM waits WHERE message_id = :id AND until > (julianday('now') - 2440587.5) * 86400.0;
