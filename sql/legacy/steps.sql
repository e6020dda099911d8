-- Reads. Which of the scripts in this folder an old mailbox needs to get the tables and columns of V3, in order. Its
-- version does not tell: schema 2 was written with and without the table waits and the column wait_returned_at.
SELECT 'peers_url' AS step, 1 AS place
WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('peers') WHERE name = 'url')
UNION ALL
SELECT 'peers_delivery', 2 WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('peers') WHERE name = 'delivery')
UNION ALL
SELECT 'messages_wait_returned_at', 3
WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('messages') WHERE name = 'wait_returned_at')
UNION ALL
SELECT 'waits', 4 WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('waits'))
UNION ALL
SELECT 'retired_peers', 5 WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('retired_peers'))
ORDER BY place;
