-- The rules of peers. script.rs explains the notation.

-- A name is 1 to 64 of a-z, 0-9, _ and -, and begins with a letter or a digit.
-- refuses: invalid_peer_name
INSERT INTO peers (name, harness, delivery) VALUES (NULL, 'test', 'pull');
INSERT INTO peers (harness, delivery) VALUES ('test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('A', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('dB', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d e', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (' d', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d ', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d.e', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d/e', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('_d', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('-d', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (-1, 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (1.5, 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('*', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('[d]', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('é', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('dé', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('ｄ', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d' || char(10), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d' || char(160), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d' || char(8203), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (char(0), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d' || char(0), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (char(0) || 'd', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d' || char(0) || 'e', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (x'64', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (x'', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (CAST(x'64ff' AS TEXT), 'test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES (printf('%.65c', 'd'), 'test', 'pull');
INSERT INTO peers DEFAULT VALUES;

-- refuses: unsupported_delivery
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', NULL);
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', '');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'push');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'Pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'pull ');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'pull' || char(0));
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', x'70756c6c');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 1);

-- Delivery is native where nothing else is said, and only three programs can be notified.
-- refuses: unsupported_harness
INSERT INTO peers (name, harness) VALUES ('d', 'test');
INSERT INTO peers (name, harness) VALUES ('d', NULL);
INSERT INTO peers (name, harness) VALUES ('d', '');
INSERT INTO peers (name, harness) VALUES ('d', 'Codex');
INSERT INTO peers (name, harness) VALUES ('d', 'codex' || char(0));
INSERT INTO peers (name, harness) VALUES ('d', x'636f646578');

-- A pull peer takes any label of the form of a name.
-- refuses: invalid_harness_id
INSERT INTO peers (name, harness, delivery) VALUES ('d', NULL, 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', '', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'Test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'te st', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', '_test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', '-test', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'tést', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test' || char(0), 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', x'74657374', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('d', printf('%.65c', 'd'), 'pull');

-- refuses: pull_peer_has_no_native_address
INSERT INTO peers (name, harness, delivery, session_id) VALUES ('d', 'test', 'pull', 's');
INSERT INTO peers (name, harness, delivery, session_id) VALUES ('d', 'test', 'pull', '');
INSERT INTO peers (name, harness, delivery, workspace) VALUES ('d', 'test', 'pull', '/');
INSERT INTO peers (name, harness, delivery, home) VALUES ('d', 'codex', 'pull', '/');
INSERT INTO peers (name, harness, delivery, socket) VALUES ('d', 'codex', 'pull', '/socket');
INSERT INTO peers (name, harness, delivery, url) VALUES ('d', 'opencode', 'pull', 'http://127.0.0.1:4096');
INSERT INTO peers (name, harness, delivery, url) VALUES ('d', 'opencode', 'pull', x'');

-- Each program has its own kind of address.
-- refuses: claude_socket_is_discovered_from_live_identity
INSERT INTO peers (name, harness, session_id, workspace, socket)
VALUES ('d', 'claude', '10000000-0000-4000-8000-000000000001', '/', '/socket');
INSERT INTO peers (name, harness, session_id, workspace, socket)
VALUES ('d', 'claude', '10000000-0000-4000-8000-000000000001', '/', '');

-- refuses: opencode_uses_a_server_url_not_a_socket
INSERT INTO peers (name, harness, session_id, workspace, socket) VALUES ('d', 'opencode', 'ses_1', '/', '/socket');

-- refuses: url_is_only_for_opencode
INSERT INTO peers (name, harness, session_id, workspace, url)
VALUES ('d', 'codex', '10000000-0000-4000-8000-000000000001', '/', 'http://127.0.0.1:4096');
INSERT INTO peers (name, harness, session_id, workspace, url)
VALUES ('d', 'claude', '10000000-0000-4000-8000-000000000001', '/', '');

-- refuses: home_is_only_for_codex_and_claude
INSERT INTO peers (name, harness, session_id, workspace, home) VALUES ('d', 'opencode', 'ses_1', '/', '/home');

-- A new client is a row: what its address has it says there.
-- refuses: unsupported_harness
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('n', 'newcomer', 'ses_9', '/');

BEGIN;
INSERT INTO harnesses (name, session_form, has_home, has_socket, has_url, can_withdraw)
VALUES ('newcomer', 'ses', 1, 1, 0, 0);
INSERT INTO peers (name, harness, session_id, workspace, home, socket)
VALUES ('n', 'newcomer', 'ses_9', '/', '/home', '/socket');

-- refuses: url_is_only_for_opencode
INSERT INTO peers (name, harness, session_id, workspace, url) VALUES ('d', 'newcomer', 'ses_8', '/', 'http://[::1]:1');

-- refuses: invalid_opencode_session_id
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'newcomer', '10000000-0000-4000-8000-000000000001', '/');

ROLLBACK;

-- Codex and Claude sessions: a UUID in its stored spelling.
-- refuses: invalid_uuid
INSERT INTO peers (name, harness, workspace) VALUES ('d', 'codex', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'codex', NULL, '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'codex', '', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'codex', 7, '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '10000000-0000-4000-8000-00000000000', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '10000000-0000-4000-8000-0000000000011', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '1000000000004000800000000000000a', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '1000000-00000-4000-8000-00000000000a', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-00000000000A', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-00000000000g', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '-0000000-0000-4000-8000-00000000000a', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-0000000000' || char(178), '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-00000000000' || char(0), '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-00000000000a' || char(0), '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000' || char(0) || '0000-4000-8000-00000000000a', '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', CAST('10000000-0000-4000-8000-00000000000a' AS BLOB), '/');

-- refuses: invalid_opencode_session_id
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', NULL, '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'SES_1', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'xses_1', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses 1', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_é', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1' || char(0), '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses' || char(0) || '/..', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', x'7365735f31', '/');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses' || printf('%.254c', 'x'), '/');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'opencode', '10000000-0000-4000-8000-000000000001', '/');

-- That the workspace exists is htalk's to see; that it is an absolute path is not.
-- refuses: workspace_must_be_a_directory
INSERT INTO peers (name, harness, session_id) VALUES ('d', 'opencode', 'ses_1');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', NULL);
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', '');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', 'relative');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', '~');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', ' /');
INSERT INTO peers (name, harness, session_id, workspace) VALUES ('d', 'opencode', 'ses_1', x'2f');

-- Nothing of a statement stays when one of its rows is refused.
-- refuses: invalid_peer_name
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'pull'), ('e', 'test', 'pull'), ('E', 'test', 'pull');

-- refuses: peer_already_has_a_different_address
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'pull'), ('d', 'other', 'pull');

-- What is allowed: the longest forms, digits, numbers that become text, and an address of each kind.
INSERT INTO peers (name, harness, delivery) VALUES (printf('%.64c', 'd'), printf('%.64c', 'h'), 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('0_-', '9', 'pull'), (7, 8, 'pull'), ('codex', 'codex', 'pull');
INSERT INTO peers (name, harness, session_id, workspace, home, socket)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/w', '/home', '/socket');
INSERT INTO peers (name, harness, session_id, workspace, home)
VALUES ('l', 'claude', '10000000-0000-4000-8000-000000000001', '/w', '/home');
INSERT INTO peers (name, harness, delivery, session_id, workspace, url)
VALUES ('o', 'opencode', 'native', 'ses' || printf('%.253c', '.'), '/w', 'http://127.0.0.1:4096');

-- prints: text|text
SELECT typeof(name), typeof(harness) FROM peers WHERE name = '7';

-- An identical registration changes nothing.
-- changes nothing
INSERT INTO peers (name, harness, delivery) VALUES ('a', 'test', 'pull');
INSERT INTO peers (name, harness, delivery) SELECT name, harness, delivery FROM peers WHERE name IN ('a', 'b', 'c');
INSERT INTO peers (name, harness, session_id, workspace, home, socket)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/w', '/home', '/socket');
INSERT INTO peers SELECT * FROM peers WHERE true;

-- A different one is refused.
-- refuses: peer_already_has_a_different_address
INSERT INTO peers (name, harness, delivery) VALUES ('a', 'other', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('a', 'codex', 'pull');
INSERT INTO peers (name, harness, delivery) VALUES ('x', 'codex', 'pull');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('a', 'codex', '10000000-0000-4000-8000-000000000009', '/w');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/w');
INSERT INTO peers (name, harness, session_id, workspace, home, socket)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000002', '/w', '/home', '/socket');
INSERT INTO peers (name, harness, session_id, workspace, home, socket)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/W', '/home', '/socket');
INSERT INTO peers (name, harness, delivery) SELECT name, 'other', delivery FROM peers WHERE name IN ('a', 'b', 'c');
INSERT INTO peers (name, harness, delivery) VALUES ('a', 'other', 'pull')
ON CONFLICT (name) DO UPDATE SET harness = excluded.harness;

-- refuses: session_already_has_a_peer_name
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '10000000-0000-4000-8000-000000000001', '/w');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'opencode', 'ses' || printf('%.253c', '.'), '/elsewhere');
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'claude', '10000000-0000-4000-8000-000000000001', '/w')
ON CONFLICT (name) DO UPDATE SET name = excluded.name;
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('d', 'codex', '10000000-0000-4000-8000-000000000005', '/'),
  ('e', 'codex', '10000000-0000-4000-8000-000000000005', '/');

-- refuses: peer_is_immutable
UPDATE peers SET name = 'd' WHERE name = 'a';
UPDATE peers SET name = 'b' WHERE name = 'a';
UPDATE peers SET name = name;
UPDATE peers SET harness = 'other' WHERE name = 'a';
UPDATE peers SET delivery = 'native' WHERE name = 'a';
UPDATE peers SET delivery = NULL WHERE name = 'a';
UPDATE peers SET session_id = '10000000-0000-4000-8000-000000000001' WHERE harness = 'codex';
UPDATE peers SET session_id = NULL, workspace = NULL WHERE name = 'x';
UPDATE peers SET workspace = '/elsewhere' WHERE name = 'l';
UPDATE peers SET home = NULL WHERE name = 'l';
UPDATE peers SET socket = NULL, url = 'http://127.0.0.1:1' WHERE name = 'x';

-- changes nothing
UPDATE peers SET name = 'd' WHERE name = 'nobody';
DELETE FROM peers WHERE name = 'nobody';

-- refuses: record_is_permanent
DELETE FROM peers;
DELETE FROM peers WHERE name = 'a';

-- There is no hidden key to collide with.
-- fails: table peers has no column named rowid
INSERT INTO peers (rowid, name, harness, delivery) VALUES (1, 'd', 'test', 'pull');

-- fails: table peers has no column named _rowid_
REPLACE INTO peers (_rowid_, name, harness, delivery) VALUES (1, 'd', 'test', 'pull');

-- fails: cannot modify peer_v because it is a view
INSERT INTO peer_v (name, harness, delivery) VALUES ('d', 'test', 'pull');

-- A refused statement leaves its transaction as it was.
BEGIN;
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'test', 'pull');

-- refuses: peer_already_has_a_different_address
INSERT INTO peers (name, harness, delivery) VALUES ('d', 'other', 'pull');

COMMIT;

-- prints: d|test|pull||||||
SELECT name, harness, delivery, session_id, workspace, home, socket, url, retired_at FROM peer_v WHERE name = 'd';
