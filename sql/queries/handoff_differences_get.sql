-- Reads. Which parts of a handoff differ from what was prepared, in words. The rules of handoff_attempts compare them.
SELECT ltrim(
  iif(sender IS :actor, '', ', the sender')
    || iif(recipient IS :recipient, '', ', the recipient')
    || iif(host IS :host, '', ', the host')
    || iif(home IS :home, '', ', the home of Codex')
    || iif(generation IS :generation, '', ', the process of the session')
    || iif(digest IS :digest, '', ', the message'),
  ', ') AS differences
FROM handoffs
WHERE id = :id;
