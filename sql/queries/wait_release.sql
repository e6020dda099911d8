-- Writes. Removes a registration.
DELETE FROM waits WHERE token = :token;
