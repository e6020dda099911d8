-- Reads. The answer to a request.
SELECT v.* FROM message_v AS v WHERE v.in_reply_to = :id;
