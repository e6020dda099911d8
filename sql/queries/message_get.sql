-- Reads. One message by its id.
SELECT v.* FROM message_v AS v WHERE v.id = :id;
