-- Fills a mailbox of harness-talk (schema 3) with `mail`, as its own commands would have left the rows.
PRAGMA synchronous = OFF;
PRAGMA cache_size = -200000;
BEGIN;
INSERT INTO messages (
  id, sender, recipient, in_reply_to, body, created_at, ack_at, submission, notification_detail
)
SELECT
  id, sender, recipient, in_reply_to, body, 1.7e9 + n, iif(is_read, 1.7e9 + n + 1, NULL), 'not_submitted', 'pull_only'
FROM mail
ORDER BY n;
COMMIT;
