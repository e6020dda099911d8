-- v3-from-1: schema 3 migrated from v1 or v2-early-from-1 by 0.6.0 to 0.16.0.
-- The rows are invented. seq 7 is missing and sqlite_sequence is ahead, as if rows had been deleted by hand.
PRAGMA foreign_keys=OFF;
BEGIN;
CREATE TABLE messages (
                    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
                    sender TEXT NOT NULL REFERENCES peers(name),
                    recipient TEXT NOT NULL REFERENCES peers(name),
                    in_reply_to TEXT UNIQUE REFERENCES messages(id),
                    body TEXT NOT NULL, created_at REAL NOT NULL, ack_at REAL,
                    submission TEXT NOT NULL CHECK(submission IN
                        ('not_submitted', 'submission_unknown', 'submitted')),
                    notification_started_at REAL, notification_finished_at REAL,
                    notification_detail TEXT
                , wait_returned_at REAL);
CREATE TABLE "peers" (
    name TEXT PRIMARY KEY, harness TEXT NOT NULL,
    session_id TEXT, workspace TEXT, socket TEXT, url TEXT,
    delivery TEXT NOT NULL DEFAULT 'native' CHECK(delivery IN ('native', 'pull')),
    UNIQUE(harness, session_id),
    CHECK ((delivery='native' AND session_id IS NOT NULL AND workspace IS NOT NULL)
        OR (delivery='pull' AND session_id IS NULL AND workspace IS NULL
            AND socket IS NULL AND url IS NULL)));
CREATE TABLE waits (
        token TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES messages(id),
        actor TEXT NOT NULL, until REAL NOT NULL);
CREATE TABLE retired_peers (
        name TEXT PRIMARY KEY REFERENCES peers(name), retired_at REAL NOT NULL);
INSERT INTO peers VALUES('builder', 'codex', '8a8c1d0e-52b5-4b6e-9a53-3c1f2f6b7a01', '/srv/work/builder', NULL, NULL, 'native');
INSERT INTO peers VALUES('reviewer', 'claude', '0f5a2c77-1b8e-4d4a-8f06-6f0e3d1c9b02', '/srv/work/prüf stand', NULL, NULL, 'native');
INSERT INTO peers VALUES('tester', 'codex', 'c3b9e6f4-77aa-4c0d-b1d2-90e8a7f6d503', '/srv/work/tester', '/srv/run/codex.sock', NULL, 'native');
INSERT INTO peers VALUES('former', 'claude', '8a8c1d0e-52b5-4b6e-9a53-3c1f2f6b7a01', '/srv/work/old ''place''', NULL, NULL, 'native');
INSERT INTO peers VALUES('muse', 'opencode', 'ses_7Kq.x-Y', '/srv/work/muse', NULL, 'http://LocalHost:4096/base', 'native');
INSERT INTO peers VALUES('helper', 'generic', NULL, NULL, NULL, NULL, 'pull');
INSERT INTO peers VALUES('quiet', 'generic', NULL, NULL, NULL, NULL, 'pull');
INSERT INTO peers VALUES('aide', 'codex', NULL, NULL, NULL, NULL, 'pull');
-- unanswered question, nobody notified, with a leftover wait
INSERT INTO messages VALUES(1, '6d0c2f5e-0a51-4f3b-8d34-1e6f0a7b2c01', 'builder', 'reviewer', NULL, 'Is the lexer table complete?', 1760000001.4358654, NULL, 'not_submitted', NULL, NULL, NULL, NULL);
-- question acknowledged, not answered
INSERT INTO messages VALUES(2, '6d0c2f5e-0a52-4f3b-8d34-1e6f0a7b2c02', 'builder', 'reviewer', NULL, '  Indented, with a no-break space.', 1760000002.631678, 1760000003.25, 'submitted', 1760000002.6751955, 1760000002.8214045, 'claude_socket_bytes_written', NULL);
-- answered question, submitted with a queue receipt
INSERT INTO messages VALUES(3, '6d0c2f5e-0a53-4f3b-8d34-1e6f0a7b2c03', 'reviewer', 'builder', NULL, 'May I merge the second patch?', 1760000004.3117335, NULL, 'submitted', 1760000004.3239036, 1760000004.4634824, 'codex_cli_queued:5f0d7c34-9a11-4b0e-8c1d-2e3f4a5b6c03', NULL);
-- answer, acknowledged
INSERT INTO messages VALUES(4, '6d0c2f5e-0a54-4f3b-8d34-1e6f0a7b2c04', 'builder', 'reviewer', '6d0c2f5e-0a53-4f3b-8d34-1e6f0a7b2c03', 'Yes, merge it.', 1760000004.608092, 1760000005.911139, 'submitted', 1760000004.619502, 1760000004.7524724, 'claude_socket_bytes_written', NULL);
-- answered question
INSERT INTO messages VALUES(5, '6d0c2f5e-0a55-4f3b-8d34-1e6f0a7b2c05', 'builder', 'reviewer', NULL, 'Grüße — „prüfst“ du das? 🔍 אב', 1760000006.0, NULL, 'submission_unknown', 1760000006.0631623, 1760000006.182972, 'codex_cli_unconfirmed_receipt', NULL);
-- answer, not acknowledged, returned by the asker's wait, its notice skipped
INSERT INTO messages VALUES(6, '6d0c2f5e-0a56-4f3b-8d34-1e6f0a7b2c06', 'reviewer', 'builder', '6d0c2f5e-0a55-4f3b-8d34-1e6f0a7b2c05', 'Checked, all fine.', 1760000007.3592741, NULL, 'not_submitted', 1760000007.3602, 1760000007.9, 'returned_by_recipient_wait', 1760000007.7992172);
-- submitted with an app-server receipt that is not a UUID; an id of version 1
INSERT INTO messages VALUES(8, 'c232ab00-9414-11ec-b3c8-9f6bdeced846', 'reviewer', 'tester', NULL, 'Run the slow suite tonight.', 1760000008.5, NULL, 'submitted', 1760000008.5110002, 1760000008.6, 'codex_queued:q-17/ü', NULL);
-- claimed, sender died: no finish, no detail
INSERT INTO messages VALUES(9, '6d0c2f5e-0a59-4f3b-8d34-1e6f0a7b2c09', 'reviewer', 'builder', NULL, 'Did you see the crash report?', 1760000009.7580142, NULL, 'submission_unknown', 1760000009.7746634, NULL, NULL, NULL);
-- attempted and refused: retired recipient
INSERT INTO messages VALUES(10, '6d0c2f5e-0a5a-4f3b-8d34-1e6f0a7b2c0a', 'builder', 'former', NULL, 'Where is the old log?', 1760000010.0568914, NULL, 'not_submitted', 1760000010.079072, 1760000010.2000525, 'recipient_retired', NULL);
-- an outcome without a claim
INSERT INTO messages VALUES(11, '6d0c2f5e-0a5b-4f3b-8d34-1e6f0a7b2c0b', 'former', 'builder', NULL, 'It is in the archive.', 1760000011.25, NULL, 'submitted', NULL, 1760000011.5, 'claude_socket_bytes_written', NULL);
-- a detail without times; the nil UUID
INSERT INTO messages VALUES(12, '00000000-0000-0000-0000-000000000000', 'builder', 'helper', NULL, 'Please poll your inbox.', 1760000012.0, NULL, 'not_submitted', NULL, NULL, 'pull_only', NULL);
-- a detail of arbitrary text; the highest UUID
INSERT INTO messages VALUES(13, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'muse', 'builder', NULL, 'x', 1760000013.0, NULL, 'submission_unknown', 1760000013.1, 1760000013.2, CAST(x'636166c3a920e2809e71756f7465e2809c202773696e676c65272022646f75626c6522206261636b5c736c6173683b202d2d0d0a0974616220011b5b33316d7265641b5b306d207fc285e280a820e280ae6f766572e281a620f09f93ac20efbfbf207b7d202573202428782920607960203c2f73797374656d2d72656d696e6465723e' AS TEXT), NULL);
-- a body with U+0000 inside, an unknown outcome without a claim, a detail with U+0000; the id differs from the next one only in its last digit
INSERT INTO messages VALUES(14, '6d0c2f5e-0a5e-4f3b-8d34-1e6f0a7b2c0e', 'reviewer', 'quiet', NULL, CAST(x'6265666f7265006166746572' AS TEXT), 1760000014.125, NULL, 'submission_unknown', NULL, NULL, CAST(x'72656365697074007461696c' AS TEXT), NULL);
-- a body of CR LF lines
INSERT INTO messages VALUES(15, '6d0c2f5e-0a5e-4f3b-8d34-1e6f0a7b2c0f', 'aide', 'builder', NULL, CAST(x'6669727374206c696e650d0a0d0a7365636f6e64206c696e650d0a' AS TEXT), 1760000016.0, NULL, 'not_submitted', NULL, NULL, NULL, NULL);
INSERT INTO waits VALUES('2f6a1c3e-8b7d-4e5f-9a01-b2c3d4e5f601', '6d0c2f5e-0a51-4f3b-8d34-1e6f0a7b2c01', 'builder', 1760000046.225682);
INSERT INTO retired_peers VALUES('former', 1760000009.9);
INSERT INTO retired_peers VALUES('quiet', 1760000020.0);
UPDATE sqlite_sequence SET seq=18 WHERE name='messages';
PRAGMA user_version=3;
COMMIT;
