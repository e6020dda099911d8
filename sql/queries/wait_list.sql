-- Reads. The doorbells of all who wait.
SELECT token FROM waits;
