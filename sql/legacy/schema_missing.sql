-- Reads. The tables and columns that every release of harness-talk wrote and this file lacks: with a row it is no
-- mailbox, or a broken one.
WITH needed (tab, col) AS (
  VALUES ('peers', 'name'), ('peers', 'harness'), ('peers', 'session_id'), ('peers', 'workspace'), ('peers', 'socket'),
    ('messages', 'seq'), ('messages', 'id'), ('messages', 'sender'), ('messages', 'recipient'),
    ('messages', 'in_reply_to'), ('messages', 'body'), ('messages', 'created_at'), ('messages', 'ack_at'),
    ('messages', 'submission'), ('messages', 'notification_started_at'), ('messages', 'notification_finished_at'),
    ('messages', 'notification_detail')
)
SELECT tab || '.' || col AS missing FROM needed
WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info(tab) AS t WHERE t.name = col);
