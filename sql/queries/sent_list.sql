-- Reads. What the actor sent before a cursor, newest first.
SELECT v.* FROM message_v AS v WHERE v.sender = :actor AND v.seq < :cursor ORDER BY v.seq DESC LIMIT :limit;
