-- The rules of peers and of their retirement. One ordered trigger a table and event: several BEFORE triggers on one
-- event fire in no promised order. The first rule that is broken gives the code.

INSERT INTO error_codes (code, exit, meaning, next_step) VALUES
  ('invalid_peer_name', 2, 'A peer name is 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or a digit.',
    'Choose another name and repeat peer add.'),
  ('invalid_harness_id', 2, 'A harness label is 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or a digit.',
    'Choose another label and repeat peer add.'),
  ('unsupported_harness', 2, 'Only codex, claude and opencode sessions can be notified.',
    'Register any other program with --delivery pull.'),
  ('unsupported_delivery', 2, 'Delivery is native or pull.', 'Repeat with --delivery native or --delivery pull.'),
  ('pull_peer_has_no_native_address', 2,
    'A pull peer fetches its mail and has no session, workspace, home, socket or URL.',
    'Leave those options out, or register the peer with native delivery.'),
  ('invalid_uuid', 2, 'An id is a UUID; in show, ack, wait and reply at least its first 8 hexadecimal digits.',
    'Copy the id from inbox, sent or peer discover and repeat.'),
  ('invalid_opencode_session_id', 2, 'An OpenCode session id is ses followed by 1 to 253 of A-Z, a-z, 0-9, _, . and -.',
    'Copy the session id from peer discover and repeat.'),
  ('workspace_must_be_a_directory', 2, 'A native peer has an existing directory as its workspace.',
    'Repeat with --workspace naming the directory in which the session works.'),
  ('home_is_only_for_codex_and_claude', 2,
    'Only Codex and Claude Code keep their sessions in a configuration directory.',
    'Leave --home out.'),
  ('claude_socket_is_discovered_from_live_identity', 2,
    'The socket of a Claude Code session is looked up anew for each notice.',
    'Leave --socket out.'),
  ('opencode_uses_a_server_url_not_a_socket', 2, 'An OpenCode session is reached by the URL of its server.',
    'Leave --socket out and use --url.'),
  ('url_is_only_for_opencode', 2, 'Only OpenCode sessions are reached by a URL.', 'Leave --url out.'),
  ('peer_already_has_a_different_address', 2,
    'This name is registered with another address, and registrations never change.',
    'Look at it with peer list, and choose another name for the new address.'),
  ('session_already_has_a_peer_name', 2, 'This session is registered under another name.',
    'Use the registered name.'),
  ('peer_is_immutable', 2, 'A registered peer is never changed.', 'Register another name, and retire this one.'),
  ('record_is_permanent', 2, 'What was recorded is never changed or deleted.', 'Leave the record as it is.'),
  ('unknown_peer', 2, 'No peer of this name is registered.',
    'Look at the registered names with the recovery command peers; register a missing one with peer add.'),
  ('invalid_time', 2, 'A time is a finite number of Unix seconds.', 'Leave the time out: it has a default.'),
  ('invalid_seq', 2, 'A sequence number exceeds all earlier ones and stays below 2^53.',
    'Leave seq out: it has a default.');

CREATE TRIGGER peers_insert_rules BEFORE INSERT ON peers BEGIN
  -- GLOB stops at U+0000, hence the comparison of bytes with characters: a valid name is ASCII throughout.
  SELECT RAISE(ABORT, 'invalid_peer_name')
  WHERE typeof(NEW.name) <> 'text' OR length(CAST(NEW.name AS BLOB)) NOT BETWEEN 1 AND 64
    OR length(CAST(NEW.name AS BLOB)) <> length(NEW.name)
    OR NEW.name GLOB '*[^a-z0-9_-]*' OR NEW.name GLOB '[_-]*';
  SELECT RAISE(ABORT, 'unsupported_delivery') WHERE NEW.delivery IS NULL OR NEW.delivery NOT IN ('native', 'pull');
  SELECT RAISE(ABORT, 'unsupported_harness')
  WHERE NEW.delivery = 'native' AND (NEW.harness IS NULL OR NEW.harness NOT IN ('codex', 'claude', 'opencode'));
  SELECT RAISE(ABORT, 'invalid_harness_id')
  WHERE typeof(NEW.harness) <> 'text' OR length(CAST(NEW.harness AS BLOB)) NOT BETWEEN 1 AND 64
    OR length(CAST(NEW.harness AS BLOB)) <> length(NEW.harness)
    OR NEW.harness GLOB '*[^a-z0-9_-]*' OR NEW.harness GLOB '[_-]*';
  SELECT RAISE(ABORT, 'pull_peer_has_no_native_address')
  WHERE NEW.delivery = 'pull' AND coalesce(NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url) IS NOT NULL;

  -- From here on the peer is a native one.
  SELECT RAISE(ABORT, 'claude_socket_is_discovered_from_live_identity')
  WHERE NEW.harness = 'claude' AND NEW.socket IS NOT NULL;
  SELECT RAISE(ABORT, 'opencode_uses_a_server_url_not_a_socket')
  WHERE NEW.harness = 'opencode' AND NEW.socket IS NOT NULL;
  SELECT RAISE(ABORT, 'url_is_only_for_opencode') WHERE NEW.harness <> 'opencode' AND NEW.url IS NOT NULL;
  SELECT RAISE(ABORT, 'home_is_only_for_codex_and_claude') WHERE NEW.harness = 'opencode' AND NEW.home IS NOT NULL;
  SELECT RAISE(ABORT, 'invalid_uuid')
  WHERE NEW.delivery = 'native' AND NEW.harness IN ('codex', 'claude') AND (
    typeof(NEW.session_id) <> 'text' OR length(CAST(NEW.session_id AS BLOB)) <> 36
    OR NEW.session_id NOT GLOB '????????-????-????-????-????????????'
    OR replace(NEW.session_id, '-', '') GLOB '*[^0-9a-f]*' OR length(replace(NEW.session_id, '-', '')) <> 32);
  SELECT RAISE(ABORT, 'invalid_opencode_session_id')
  WHERE NEW.delivery = 'native' AND NEW.harness = 'opencode' AND (
    typeof(NEW.session_id) <> 'text' OR length(CAST(NEW.session_id AS BLOB)) NOT BETWEEN 4 AND 256
    OR length(CAST(NEW.session_id AS BLOB)) <> length(NEW.session_id)
    OR NEW.session_id NOT GLOB 'ses*' OR NEW.session_id GLOB '*[^A-Za-z0-9_.-]*');
  SELECT RAISE(ABORT, 'workspace_must_be_a_directory')
  WHERE NEW.delivery = 'native' AND (typeof(NEW.workspace) <> 'text' OR NEW.workspace NOT GLOB '/*');

  SELECT RAISE(IGNORE) FROM peers
  WHERE name = NEW.name
    AND (harness, delivery, session_id, workspace, home, socket, url)
      IS (NEW.harness, NEW.delivery, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
  SELECT RAISE(ABORT, 'peer_already_has_a_different_address') FROM peers WHERE name = NEW.name;
  SELECT RAISE(ABORT, 'session_already_has_a_peer_name') FROM peers
  WHERE harness = NEW.harness AND session_id = NEW.session_id;
END;

CREATE TRIGGER peers_update_rules BEFORE UPDATE ON peers BEGIN
  SELECT RAISE(ABORT, 'peer_is_immutable');
END;

CREATE TRIGGER peers_delete_rules BEFORE DELETE ON peers BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE VIEW peer_v AS
-- The registered peers, one row each.
SELECT
  p.name, -- how commands call the peer
  p.harness, -- the program: codex, claude and opencode can be notified, any other label only pulls
  p.delivery, -- native (its client is told of new mail) or pull (it looks for itself)
  p.session_id, -- the client's own id of the session; NULL for pull
  p.workspace, -- the directory in which the session works; NULL for pull
  p.home, -- the client's configuration directory, where it is not the usual one
  p.socket, -- a Codex app server's socket, where one was named
  p.url, -- an OpenCode server's URL
  ( SELECT iif(t.action = 'retired', t.at, NULL) FROM peer_retirements AS t
    WHERE t.peer = p.name ORDER BY t.seq DESC LIMIT 1
  ) AS retired_at -- since when no new request goes to or from this peer; NULL while it takes part
FROM peers AS p;

CREATE TRIGGER peer_retirements_insert_rules BEFORE INSERT ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'unknown_peer') WHERE NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer);
  SELECT RAISE(IGNORE) FROM peer_v
  WHERE name = NEW.peer AND NEW.action = iif(retired_at IS NULL, 'restored', 'retired');
  -- An unnamed seq is -1 here and checked after the insert.
  SELECT RAISE(ABORT, 'invalid_seq')
  WHERE NEW.seq <> -1
    AND (NEW.seq >= 9007199254740992 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM peer_retirements));
  SELECT RAISE(ABORT, 'invalid_time')
  WHERE typeof(NEW.at) NOT IN ('real', 'integer') OR abs(NEW.at) > 1.7976931348623157e308;
END;

CREATE TRIGGER peer_retirements_insert_done AFTER INSERT ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER peer_retirements_update_rules BEFORE UPDATE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_retirements_delete_rules BEFORE DELETE ON peer_retirements BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

PRAGMA user_version = 5;
