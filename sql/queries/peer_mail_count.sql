-- Reads. How much open mail the actor has, how many of it are requests to answer, and how many own requests are open.
SELECT
  (SELECT count(*) FROM inbox_v WHERE recipient = :actor) AS open,
  (SELECT count(*) FROM inbox_v WHERE recipient = :actor AND kind = 'request') AS to_answer,
  (SELECT count(*) FROM messages AS m CROSS JOIN open_mail AS i ON i.recipient = m.recipient AND i.seq = m.seq
    WHERE m.sender = :actor AND m.in_reply_to IS NULL AND m.kind IS NOT 'note') AS unanswered;
