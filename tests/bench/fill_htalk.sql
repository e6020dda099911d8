-- Fills a mailbox of htalk with `mail`, by the documented inserts. It is made for measuring: a loss of power may
-- have it.
PRAGMA synchronous = OFF;
PRAGMA cache_size = -200000;
BEGIN;
INSERT INTO messages (id, sender, recipient, in_reply_to, body)
SELECT id, sender, recipient, in_reply_to, body FROM mail ORDER BY n;
INSERT INTO acks (message_id, peer) SELECT id, recipient FROM mail WHERE is_read;
COMMIT;
