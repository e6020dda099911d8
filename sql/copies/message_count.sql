-- Reads. How many messages a copy holds.
SELECT count(*) FROM messages;
