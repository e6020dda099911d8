-- Writes. Records that a waiting asker got the answer; only the first time counts.
INSERT INTO wait_returns (message_id) VALUES (:id);
