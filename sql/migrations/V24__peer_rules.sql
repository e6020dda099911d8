-- The rules of peers and of their retirement. One ordered trigger a table and event: several BEFORE triggers on one
-- event fire in no promised order. The first rule that is broken gives the code.

INSERT INTO error_codes (code, kind, meaning, next_step) VALUES
  ('invalid_peer_name', 'usage', 'A peer name is 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or a digit.',
    'Repeat with 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit.'),
  ('invalid_harness_id', 'usage',
    'A harness label is 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or a digit.',
    'Repeat with a label of 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit.'),
  ('unsupported_harness', 'usage', 'Only codex, claude and opencode sessions can be notified.',
    'Register any other program with --delivery pull.'),
  ('unsupported_delivery', 'usage', 'Delivery is native or pull.',
    'Repeat with --delivery native or --delivery pull.'),
  ('pull_peer_has_no_native_address', 'usage',
    'A pull peer fetches its mail and has no session, workspace, home, socket or URL.',
    'Leave out --session, --workspace, --home, --socket and --url, or leave out --delivery pull.'),
  ('invalid_uuid', 'usage', 'An id is a UUID; in show, ack, wait and reply at least its first 8 hexadecimal digits.',
    'Copy the id from inbox, sent or peer discover; of a message the first 8 of its digits will do.'),
  ('invalid_opencode_session_id', 'usage',
    'An OpenCode session id is ses followed by 1 to 253 of A-Z, a-z, 0-9, _, . and -.',
    'Copy the id from peer discover: ses, then 1 to 253 of A-Z, a-z, 0-9, _, . and -.'),
  ('workspace_must_be_a_directory', 'usage', 'A native peer has an existing directory as its workspace.',
    'Repeat with --workspace naming the directory in which the session works.'),
  ('home_is_only_for_codex_and_claude', 'usage',
    'Only Codex and Claude Code keep their sessions in a configuration directory.',
    'Leave --home out.'),
  ('claude_socket_is_discovered_from_live_identity', 'usage',
    'The socket of a Claude Code session is looked up anew for each notice.',
    'Leave --socket out.'),
  ('opencode_uses_a_server_url_not_a_socket', 'usage', 'An OpenCode session is reached by the URL of its server.',
    'Leave --socket out and use --url.'),
  ('url_is_only_for_opencode', 'usage', 'Only OpenCode sessions are reached by a URL.', 'Leave --url out.'),
  ('peer_already_has_a_different_address', 'refused',
    'This name is registered with another address.',
    'Look at it with peer list. If the same peer is elsewhere now, use peer move; else choose another name.'),
  ('session_already_has_a_peer_name', 'refused', 'This session is registered under another name.',
    'Use the registered name; it stands in registered_peer.'),
  ('peer_is_immutable', 'refused', 'A registered peer is never changed.',
    'Register another name, and retire this one.'),
  ('record_is_permanent', 'refused', 'What was recorded is never changed or deleted.', 'Leave the record as it is.'),
  ('unknown_peer', 'caller', 'No peer of this name is registered.',
    'Look at the registered names with the recovery command peers; register a missing one with peer add.'),
  ('invalid_value', 'refused', 'A private table or column takes only the values that htalk writes.',
    'Use the command of htalk that writes it.'),
  ('invalid_time', 'refused', 'A time is a finite number of Unix seconds.', 'Leave the time out: it has a default.'),
  ('invalid_seq', 'refused', 'A sequence number exceeds all earlier ones; one that is named stays below 2^52.',
    'Leave seq out: it has a default.');

CREATE TABLE harnesses (
  -- Private. The clients whose sessions can be notified, and what the address of such a session has (1: yes, 0: no).
  name TEXT NOT NULL PRIMARY KEY, -- as in peers.harness
  session_form TEXT NOT NULL, -- what its session ids look like: uuid, ses
  has_home INTEGER NOT NULL, -- a configuration directory
  has_socket INTEGER NOT NULL, -- the socket of a server
  has_url INTEGER NOT NULL, -- the URL of a server
  can_withdraw INTEGER NOT NULL -- whether it takes an accepted notice back
) WITHOUT ROWID;

INSERT INTO harnesses (name, session_form, has_home, has_socket, has_url, can_withdraw) VALUES
  ('claude', 'uuid', 1, 0, 0, 0),
  ('codex', 'uuid', 1, 1, 0, 1),
  ('opencode', 'ses', 0, 0, 1, 0);

CREATE VIEW address_form_v AS
-- Private. No rows: an INSERT asks whether an address has the form that its client demands, and does nothing else.
SELECT
  NULL AS harness, -- the client
  NULL AS session_id, -- the parts of the address, as in peers
  NULL AS workspace, -- likewise
  NULL AS home, -- likewise
  NULL AS socket, -- likewise
  NULL AS url -- likewise
WHERE false;

-- A code names the clients for which it is right today.
CREATE TRIGGER address_form_insert_rules INSTEAD OF INSERT ON address_form_v BEGIN
  SELECT CASE
    WHEN NEW.socket IS NOT NULL AND NOT has_socket
      THEN iif(has_url, RAISE(ABORT, 'opencode_uses_a_server_url_not_a_socket'),
        RAISE(ABORT, 'claude_socket_is_discovered_from_live_identity'))
    WHEN NEW.url IS NOT NULL AND NOT has_url THEN RAISE(ABORT, 'url_is_only_for_opencode')
    WHEN NEW.home IS NOT NULL AND NOT has_home THEN RAISE(ABORT, 'home_is_only_for_codex_and_claude')
    WHEN session_form = 'uuid' AND (typeof(NEW.session_id) = 'text' AND length(CAST(NEW.session_id AS BLOB)) = 36
        AND NEW.session_id GLOB replace('########-####-####-####-############', '#', '[0-9a-f]')) IS NOT 1
      THEN RAISE(ABORT, 'invalid_uuid')
    WHEN session_form = 'ses' AND (typeof(NEW.session_id) = 'text' AND length(NEW.session_id) BETWEEN 4 AND 256
        AND NEW.session_id GLOB 'ses*' AND trim(NEW.session_id,
          'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_opencode_session_id')
    WHEN typeof(NEW.workspace) <> 'text' OR NEW.workspace NOT GLOB '/*'
      THEN RAISE(ABORT, 'workspace_must_be_a_directory')
  END
  FROM harnesses WHERE name = NEW.harness;
END;

CREATE VIEW session_v AS
-- Private. Which session has which name now, one row a native peer. It is looked up by its session_id.
SELECT
  a.session_id, -- the client's own id of the session
  p.harness, -- the client
  p.name, -- the peer
  a.seq -- the peer's newest address
FROM peer_addresses AS a
JOIN peers AS p ON p.name = a.peer
WHERE a.seq = (SELECT max(n.seq) FROM peer_addresses AS n WHERE n.peer = a.peer);

CREATE TRIGGER peers_insert_rules BEFORE INSERT ON peers BEGIN
  -- GLOB stops at U+0000; trim() leaves it, and all else that is not allowed.
  SELECT CASE
    WHEN (typeof(NEW.name) = 'text' AND length(NEW.name) <= 64 AND NEW.name GLOB '[a-z0-9]*'
        AND trim(NEW.name, 'abcdefghijklmnopqrstuvwxyz0123456789_-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_peer_name')
    WHEN (NEW.delivery IN ('native', 'pull')) IS NOT 1 THEN RAISE(ABORT, 'unsupported_delivery')
    WHEN NEW.delivery = 'native' AND NOT EXISTS (SELECT 1 FROM harnesses WHERE name = NEW.harness)
      THEN RAISE(ABORT, 'unsupported_harness')
    WHEN (typeof(NEW.harness) = 'text' AND length(NEW.harness) <= 64 AND NEW.harness GLOB '[a-z0-9]*'
        AND trim(NEW.harness, 'abcdefghijklmnopqrstuvwxyz0123456789_-') = '') IS NOT 1
      THEN RAISE(ABORT, 'invalid_harness_id')
    WHEN NEW.delivery = 'pull' AND coalesce(NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url) IS NOT NULL
      THEN RAISE(ABORT, 'pull_peer_has_no_native_address')
  END;

  INSERT INTO address_form_v (harness, session_id, workspace, home, socket, url)
  SELECT NEW.harness, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url WHERE NEW.delivery = 'native';

  SELECT RAISE(IGNORE) FROM peer_v
  WHERE name = NEW.name
    AND (harness, delivery, session_id, workspace, home, socket, url)
      IS (NEW.harness, NEW.delivery, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM peers WHERE name = NEW.name)
      THEN RAISE(ABORT, 'peer_already_has_a_different_address')
    WHEN EXISTS (SELECT 1 FROM session_v WHERE harness = NEW.harness AND session_id = NEW.session_id)
      THEN RAISE(ABORT, 'session_already_has_a_peer_name')
  END;
END;

-- Its address is the first of its addresses.
CREATE TRIGGER peers_insert_address AFTER INSERT ON peers WHEN NEW.delivery = 'native' BEGIN
  INSERT INTO peer_addresses (peer, session_id, workspace, home, socket, url)
  VALUES (NEW.name, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url);
END;

CREATE TRIGGER peers_update_rules BEFORE UPDATE ON peers BEGIN
  SELECT RAISE(ABORT, 'peer_is_immutable');
END;

CREATE TRIGGER peers_delete_rules BEFORE DELETE ON peers BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_addresses_insert_rules BEFORE INSERT ON peer_addresses BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer) THEN RAISE(ABORT, 'unknown_peer')
    WHEN EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer AND delivery <> 'native')
      THEN RAISE(ABORT, 'pull_peer_has_no_native_address')
    WHEN EXISTS (SELECT 1 FROM peer_v WHERE name = NEW.peer AND retired_at IS NOT NULL)
      THEN RAISE(ABORT, 'peer_retired')
  END;

  INSERT INTO address_form_v (harness, session_id, workspace, home, socket, url)
  SELECT harness, NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url FROM peers WHERE name = NEW.peer;

  -- What is the newest address already changes nothing.
  SELECT RAISE(IGNORE) FROM peer_addresses
  WHERE seq = (SELECT max(seq) FROM peer_addresses WHERE peer = NEW.peer)
    AND (session_id, workspace, home, socket, url, host)
      IS (NEW.session_id, NEW.workspace, NEW.home, NEW.socket, NEW.url, NEW.host);
  SELECT CASE
    WHEN EXISTS (
        SELECT 1 FROM session_v AS s JOIN peers AS p ON p.name = NEW.peer AND p.harness = s.harness
        WHERE s.session_id = NEW.session_id AND s.name <> NEW.peer)
      THEN RAISE(ABORT, 'session_already_has_a_peer_name')
    WHEN typeof(NEW.host) NOT IN ('null', 'text') OR NEW.host = '' THEN RAISE(ABORT, 'invalid_value')
    -- A seq that was not named is -1 here; the real one is checked after the insert.
    WHEN NEW.seq <> -1
        AND (NEW.seq >= 4503599627370496 OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM peer_addresses))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
END;

CREATE TRIGGER peer_addresses_insert_done AFTER INSERT ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'invalid_seq') WHERE NEW.seq < 1;
END;

CREATE TRIGGER peer_addresses_update_rules BEFORE UPDATE ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE TRIGGER peer_addresses_delete_rules BEFORE DELETE ON peer_addresses BEGIN
  SELECT RAISE(ABORT, 'record_is_permanent');
END;

CREATE VIEW peer_v AS
-- The registered peers with their present addresses, one row each.
SELECT
  p.name, -- how commands call the peer
  p.harness, -- the program: codex, claude and opencode can be notified, any other label only pulls
  p.delivery, -- native (its client is told of new mail) or pull (it looks for itself)
  a.session_id, -- the client's own id of the session; NULL for pull
  a.workspace, -- the directory in which the session works; NULL for pull
  a.home, -- the client's configuration directory, where it is not the usual one
  a.socket, -- a Codex app server's socket, where one was named
  a.url, -- an OpenCode server's URL
  ( SELECT iif(t.action = 'retired', t.at, NULL) FROM peer_retirements AS t
    WHERE t.peer = p.name ORDER BY t.seq DESC LIMIT 1
  ) AS retired_at -- since when no new request goes to or from this peer; NULL while it takes part
FROM peers AS p
LEFT JOIN peer_addresses AS a ON a.seq = (SELECT max(n.seq) FROM peer_addresses AS n WHERE n.peer = p.name);

CREATE VIEW peer_address_v AS
-- Where the session of each native peer is and was. A peer's addresses, the present one first:
-- SELECT * FROM peer_address_v WHERE peer = 'NAME' ORDER BY seq DESC;
SELECT
  seq, -- grows with every address
  peer, -- whose address it is
  session_id, -- the client's own id of the session
  workspace, -- the directory in which the session works
  home, -- the client's configuration directory, where it is not the usual one
  socket, -- a Codex app server's socket, where one was named
  url, -- an OpenCode server's URL
  host, -- the machine of the session; NULL: that of the mailbox
  at -- since when, in Unix seconds; NULL where harness-talk did not record it
FROM peer_addresses;

CREATE TRIGGER peer_retirements_insert_rules BEFORE INSERT ON peer_retirements BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM peers WHERE name = NEW.peer) THEN RAISE(ABORT, 'unknown_peer')
    WHEN NEW.action NOT IN ('retired', 'restored') THEN RAISE(ABORT, 'invalid_value')
    WHEN NEW.action = iif((SELECT retired_at FROM peer_v WHERE name = NEW.peer) IS NULL, 'restored', 'retired')
      THEN RAISE(IGNORE)
    -- A seq that was not named is -1 here; the real one is checked after the insert.
    WHEN NEW.seq <> -1 AND (NEW.seq >= 4503599627370496 OR NEW.seq <= (SELECT max(seq) FROM peer_retirements))
      THEN RAISE(ABORT, 'invalid_seq')
    WHEN (NEW.at BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) IS NOT 1
      THEN RAISE(ABORT, 'invalid_time')
  END;
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

PRAGMA user_version = 24;
