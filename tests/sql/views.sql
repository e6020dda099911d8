-- The documented views: their columns, and what they say of one request in each of its states. script.rs explains the
-- notation.

-- prints: name,harness,delivery,session_id,workspace,home,socket,url,retired_at
SELECT group_concat(name) FROM pragma_table_info('peer_v');

-- prints: seq,id,sender,recipient,in_reply_to,kind,about,body,created_at,ack_at,cancelled_at,submission,\
-- prints: notification_started_at,notification_finished_at,notification_detail,wait_returned_at,recipient_status,\
-- prints: sender_source,sender_session,state
SELECT group_concat(name) FROM pragma_table_info('message_v');

-- prints: recipient,seq,id,sender,in_reply_to,kind,about,body,created_at,ack_at,cancelled_at,submission,\
-- prints: notification_started_at,notification_finished_at,notification_detail,wait_returned_at,recipient_status,\
-- prints: sender_source,sender_session,state
SELECT group_concat(name) FROM pragma_table_info('inbox_v');

-- prints: seq,id,sender,recipient,in_reply_to,kind,about,body,created_at,ack_at,cancelled_at,submission,\
-- prints: notification_started_at,notification_finished_at,notification_detail,wait_returned_at,recipient_status,\
-- prints: sender_source,sender_session,state,\
-- prints: reply_id,reply_body
SELECT group_concat(name) FROM pragma_table_info('sent_v');

-- prints: seq,request_id,asker,answerer,request_body,answer_id,answer_body,saved_at,notice_claimed_at,\
-- prints: notice_finished_at,notice_submission,notice_detail,acknowledged_at,cancelled_at,\
-- prints: answered_at,answer_acknowledged_at
SELECT group_concat(name) FROM pragma_table_info('conversation_v');

-- prints: seq,id,sender,recipient,in_reply_to,kind,about,body,created_at,ack_at,cancelled_at,submission,\
-- prints: notification_started_at,notification_finished_at,notification_detail,wait_returned_at,recipient_status,\
-- prints: sender_source,sender_session,state,\
-- prints: root_id
SELECT group_concat(name) FROM pragma_table_info('thread_v');

-- prints: seq,peer,session_id,workspace,home,socket,url,host,at
SELECT group_concat(name) FROM pragma_table_info('peer_address_v');

-- prints: batch,message_id,recipient,answer_id
SELECT group_concat(name) FROM pragma_table_info('batch_v');

-- prints: message_id,waiter,awaited,until
SELECT group_concat(name) FROM pragma_table_info('waiting_v');

-- prints: message_id,peer,action,verb,target_id,options
SELECT group_concat(name) FROM pragma_table_info('recovery_v');

-- A new mailbox holds no mail; a peer that nobody wrote to has none.
-- prints: a|test|pull||||||
-- prints: b|test|pull||||||
-- prints: c|test|pull||||||
SELECT * FROM peer_v ORDER BY name;

-- prints: 0|0|0|0|0
SELECT (SELECT count(*) FROM message_v), (SELECT count(*) FROM inbox_v), (SELECT count(*) FROM sent_v),
  (SELECT count(*) FROM conversation_v), (SELECT count(*) FROM recovery_v);

-- Saved.
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000009', '/');
INSERT INTO messages (id, sender, recipient, body, created_at)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'A question.', 1000.5);

-- prints: 1|10000000-0000-4000-8000-000000000001|a|x|A question.|||1000.5|||not_submitted|||||
SELECT * FROM conversation_v;

-- prints: 1|10000000-0000-4000-8000-000000000001|a|x||request||A question.|1000.5|||not_submitted||||||||saved
SELECT * FROM message_v;

-- prints: x|1|10000000-0000-4000-8000-000000000001|a||request||A question.|1000.5|||not_submitted||||||||saved
SELECT * FROM inbox_v;

-- prints: a|show|show|10000000-0000-4000-8000-000000000001
-- prints: a|wait|wait|10000000-0000-4000-8000-000000000001
-- prints: x|ack_after_reading|ack|10000000-0000-4000-8000-000000000001
-- prints: x|reply|reply|10000000-0000-4000-8000-000000000001
-- prints: x|reply_with_message|reply|10000000-0000-4000-8000-000000000001
-- prints: x|show|show|10000000-0000-4000-8000-000000000001
SELECT peer, action, verb, target_id FROM recovery_v ORDER BY peer, action;

-- Its notice is claimed, and its recipient acknowledges it meanwhile.
INSERT INTO notice_claims (message_id, at) VALUES ('10000000-0000-4000-8000-000000000001', 1001.5);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000001', 'x', 1002.5);

-- prints: 1001.5||submission_unknown||1002.5||
SELECT notice_claimed_at, notice_finished_at, notice_submission, notice_detail, acknowledged_at, answered_at,
  answer_acknowledged_at FROM conversation_v;

-- prints: a|show|show
-- prints: a|wait|wait
-- prints: x|reply|reply
-- prints: x|reply_with_message|reply
-- prints: x|retry_notification_cleanup|ack
-- prints: x|show|show
SELECT peer, action, verb FROM recovery_v ORDER BY peer, action;

-- The outcome is known: nothing was submitted, so there is nothing to take back.
INSERT INTO notice_outcomes (message_id, submission, at, detail, recipient_status)
VALUES ('10000000-0000-4000-8000-000000000001', 'not_submitted', 1003.5, 'recipient_not_loaded', 'not_loaded');

-- prints: 1|10000000-0000-4000-8000-000000000001|a|x||request||A question.|1000.5|1002.5||not_submitted|1001.5|1003.5|\
-- prints: recipient_not_loaded||not_loaded|||saved
SELECT * FROM message_v;

-- prints: a|show
-- prints: a|wait
-- prints: x|reply
-- prints: x|reply_with_message
-- prints: x|show
SELECT peer, action FROM recovery_v ORDER BY peer, action;

-- An acknowledged question is open until it is answered.
-- prints: x|1|1002.5
SELECT recipient, seq, ack_at FROM inbox_v;

-- Answered.
INSERT INTO messages (id, in_reply_to, sender, recipient, body, created_at)
VALUES ('10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'x', 'a', 'An answer.', 1004.5);

-- prints: 1|10000000-0000-4000-8000-000000000001|a|x|A question.|10000000-0000-4000-8000-000000000002|An answer.|\
-- prints: 1000.5|1001.5|1003.5|not_submitted|recipient_not_loaded|1002.5||1004.5|
SELECT * FROM conversation_v;

-- prints: a|2|10000000-0000-4000-8000-000000000002|x|10000000-0000-4000-8000-000000000001|answer||An answer.|1004.5|||\
-- prints: not_submitted||||||||saved
SELECT * FROM inbox_v;

-- prints: 2|x|saved||
-- prints: 1|a|reply_received|10000000-0000-4000-8000-000000000002|An answer.
SELECT seq, sender, state, reply_id, reply_body FROM sent_v ORDER BY seq DESC;

-- prints: 10000000-0000-4000-8000-000000000001|a|ack_after_reading|ack|10000000-0000-4000-8000-000000000002
-- prints: 10000000-0000-4000-8000-000000000001|a|show|show|10000000-0000-4000-8000-000000000001
-- prints: 10000000-0000-4000-8000-000000000001|a|show_reply|show|10000000-0000-4000-8000-000000000002
-- prints: 10000000-0000-4000-8000-000000000001|x|show|show|10000000-0000-4000-8000-000000000001
-- prints: 10000000-0000-4000-8000-000000000002|a|ack_after_reading|ack|10000000-0000-4000-8000-000000000002
-- prints: 10000000-0000-4000-8000-000000000002|a|show|show|10000000-0000-4000-8000-000000000002
-- prints: 10000000-0000-4000-8000-000000000002|x|show|show|10000000-0000-4000-8000-000000000002
SELECT message_id, peer, action, verb, target_id FROM recovery_v ORDER BY message_id, peer, action;

-- Returned by a wait, and acknowledged.
INSERT INTO wait_returns (message_id, at) VALUES ('10000000-0000-4000-8000-000000000002', 1005.5);
INSERT INTO acks (message_id, peer, at) VALUES ('10000000-0000-4000-8000-000000000002', 'a', 1006.5);

-- prints: 1004.5|1006.5
SELECT answered_at, answer_acknowledged_at FROM conversation_v;

-- prints: 1005.5|1006.5
SELECT wait_returned_at, ack_at FROM message_v WHERE seq = 2;

-- prints nothing
SELECT * FROM inbox_v;

-- prints: a|show
-- prints: a|show
-- prints: a|show_reply
-- prints: x|show
-- prints: x|show
SELECT peer, action FROM recovery_v ORDER BY peer, action;

-- A third peer can do nothing about it.
-- prints nothing
SELECT * FROM recovery_v WHERE peer IN ('b', 'c');

-- Views are for reading.
-- fails: cannot modify inbox_v because it is a view
DELETE FROM inbox_v;

-- fails: cannot modify conversation_v because it is a view
UPDATE conversation_v SET answer_body = 'Changed.';

-- fails: cannot modify sent_v because it is a view
INSERT INTO sent_v (sender, recipient, body) VALUES ('a', 'b', 'x');

-- fails: cannot modify recovery_v because it is a view
DELETE FROM recovery_v;
