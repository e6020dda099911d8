-- The rules of addresses: a peer's row stays, its newest address counts. script.rs explains the notation.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/'),
  ('y', 'codex', '10000000-0000-4000-8000-000000000002', '/'),
  ('z', 'claude', '10000000-0000-4000-8000-000000000001', '/');
INSERT INTO peers (name, harness, session_id, workspace, url)
VALUES ('o', 'opencode', 'ses_1', '/', 'http://127.0.0.1:4096');

-- A registration is the first address.
-- prints: 1|x|10000000-0000-4000-8000-000000000001|/||||
-- prints: 2|y|10000000-0000-4000-8000-000000000002|/||||
-- prints: 3|z|10000000-0000-4000-8000-000000000001|/||||
-- prints: 4|o|ses_1|/|||http://127.0.0.1:4096|
SELECT seq, peer, session_id, workspace, home, socket, url, host FROM peer_address_v ORDER BY seq;

-- refuses: unknown_peer
INSERT INTO peer_addresses (peer, session_id, workspace)
VALUES ('nobody', '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES (NULL, '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES (x'78', '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses DEFAULT VALUES;

-- refuses: pull_peer_has_no_native_address
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('a', '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses (peer) VALUES ('a');

-- An address has the form that its client demands, as at the registration.
-- refuses: invalid_uuid
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', 'ses_2', '/');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', NULL, '/');
INSERT INTO peer_addresses (peer, session_id, workspace)
VALUES ('x', upper('10000000-0000-4000-8000-00000000000a'), '/');

-- refuses: workspace_must_be_a_directory
INSERT INTO peer_addresses (peer, session_id) VALUES ('x', '10000000-0000-4000-8000-000000000003');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000003', 'a');

-- refuses: url_is_only_for_opencode
INSERT INTO peer_addresses (peer, session_id, workspace, url)
VALUES ('x', '10000000-0000-4000-8000-000000000001', '/', 'http://127.0.0.1:4096');

-- refuses: claude_socket_is_discovered_from_live_identity
INSERT INTO peer_addresses (peer, session_id, workspace, socket)
VALUES ('z', '10000000-0000-4000-8000-000000000001', '/', '/socket');

-- refuses: home_is_only_for_codex_and_claude
INSERT INTO peer_addresses (peer, session_id, workspace, home) VALUES ('o', 'ses_1', '/', '/home');

-- refuses: opencode_uses_a_server_url_not_a_socket
INSERT INTO peer_addresses (peer, session_id, workspace, socket) VALUES ('o', 'ses_1', '/', '/socket');

-- refuses: invalid_opencode_session_id
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('o', '10000000-0000-4000-8000-000000000003', '/');

-- A session has one name of its client at a time.
-- refuses: session_already_has_a_peer_name
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000002', '/');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('y', '10000000-0000-4000-8000-000000000001', '/');

-- refuses: invalid_value
INSERT INTO peer_addresses (peer, session_id, workspace, host)
VALUES ('x', '10000000-0000-4000-8000-000000000003', '/', '');
INSERT INTO peer_addresses (peer, session_id, workspace, host)
VALUES ('x', '10000000-0000-4000-8000-000000000003', '/', x'68');

-- refuses: invalid_seq
INSERT INTO peer_addresses (seq, peer, session_id, workspace)
VALUES (4, 'x', '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses (seq, peer, session_id, workspace)
VALUES (0, 'x', '10000000-0000-4000-8000-000000000003', '/');
INSERT INTO peer_addresses (seq, peer, session_id, workspace)
VALUES (9223372036854775807, 'x', '10000000-0000-4000-8000-000000000003', '/');

-- refuses: invalid_time
INSERT INTO peer_addresses (peer, session_id, workspace, at)
VALUES ('x', '10000000-0000-4000-8000-000000000003', '/', NULL);
INSERT INTO peer_addresses (peer, session_id, workspace, at)
VALUES ('x', '10000000-0000-4000-8000-000000000003', '/', 9e999);

-- The present address once more.
-- changes nothing
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000001', '/');
INSERT INTO peer_addresses (peer, session_id, workspace, url) VALUES ('o', 'ses_1', '/', 'http://127.0.0.1:4096');

-- A move; what a row leaves out is NULL.
INSERT INTO peer_addresses (peer, session_id, workspace, home, socket, host)
VALUES ('x', '10000000-0000-4000-8000-000000000003', '/tmp', '/home', '/socket', 'laptop');
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('o', 'ses_2', '/');

-- prints: o|opencode|native|ses_2|/||||
-- prints: x|codex|native|10000000-0000-4000-8000-000000000003|/tmp|/home|/socket||
SELECT * FROM peer_v WHERE name IN ('o', 'x') ORDER BY name;

-- What a registration said is no present address any more.
-- refuses: peer_already_has_a_different_address
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'codex', '10000000-0000-4000-8000-000000000001', '/');

-- The session that was left is free for another name; the one that is held isn't.
-- refuses: session_already_has_a_peer_name
INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('v', 'codex', '10000000-0000-4000-8000-000000000003', '/');

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('w', 'codex', '10000000-0000-4000-8000-000000000001', '/');

-- refuses: session_already_has_a_peer_name
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000001', '/');

-- refuses: record_is_permanent
UPDATE peer_addresses SET workspace = '/';
UPDATE peer_addresses SET seq = seq;
DELETE FROM peer_addresses;
DELETE FROM peer_addresses WHERE peer = 'x';

-- Mail stays with the name.
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000001', 'a', 'x', 'Before the move.');
INSERT INTO notice_claims (message_id, address)
SELECT '10000000-0000-4000-8000-000000000001', max(seq) FROM peer_addresses WHERE peer = 'x';
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000004', '/');

-- prints: x|1|laptop
SELECT i.recipient, i.seq, a.host
FROM inbox_v AS i JOIN notice_claims AS c ON c.message_id = i.id JOIN peer_address_v AS a ON a.seq = c.address;

-- A retired peer doesn't move.
INSERT INTO peer_retirements (peer, action) VALUES ('x', 'retired');

-- refuses: peer_retired
INSERT INTO peer_addresses (peer, session_id, workspace) VALUES ('x', '10000000-0000-4000-8000-000000000005', '/');
