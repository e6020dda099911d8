-- The rules of preparing a handoff, and of the ledger's histories. script.rs explains the notation. printf('%064d', n)
-- stands for a digest, a hash or the id of a boot.

INSERT INTO peers (name, harness, session_id, workspace)
VALUES ('x', 'claude', '30000000-0000-4000-8000-000000000001', '/'),
  ('y', 'codex', '30000000-0000-4000-8000-000000000002', '/'),
  ('z', 'opencode', 'ses_1', '/');

-- refuses: handoff_history_unavailable
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoff_quarantines (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoff_quarantines (epoch) VALUES (NULL);
INSERT INTO handoff_quarantines DEFAULT VALUES;

-- refuses: invalid_uuid
INSERT INTO handoff_epochs (epoch) VALUES (NULL);
INSERT INTO handoff_epochs (epoch) VALUES (1);
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-1000-8000-000000000001');
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-00000000000A');

-- refuses: invalid_time
INSERT INTO handoff_epochs (epoch, at) VALUES ('20000000-0000-4000-8000-000000000001', 9e999);

INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');

-- refuses: handoff_already_initialized
INSERT INTO handoff_epochs (epoch) VALUES ('20000000-0000-4000-8000-000000000001');
INSERT INTO handoff_epochs DEFAULT VALUES;

-- refuses: record_is_permanent
UPDATE handoff_epochs SET at = 0;
UPDATE handoff_epochs SET epoch = '20000000-0000-4000-8000-000000000002';
DELETE FROM handoff_epochs;

-- refuses: invalid_correlation_id
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  NULL, '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude', '30000000-0000-4000-8000-000000000001', NULL,
  NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-1000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-00000000000A', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001' || char(0), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- What can never be sent is not prepared: nothing, too many characters, too many bytes, too large with its frame.
-- refuses: handoff_message_must_be_1_to_1000000_characters
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 0, 0, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 1000001, 1000001, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 1000000, 4000001, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 4, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), NULL, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 'x', 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: handoff_frame_too_large
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 1000001, 1000001,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, NULL, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 0, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', NULL, NULL, NULL, NULL, printf('%064d', 7), 5, 5, 32769, 32769,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', 'h', NULL, NULL, NULL, printf('%064d', 7), 5, 5, 32000, 32769,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h', NULL, NULL, 'gen-1', printf('%064d', 7), 90001, 90001, 90400, 90400,
  printf('%064d', 1), 1000
);

-- refuses: unknown_peer
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'nobody', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'nobody', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', NULL, 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: sender_and_recipient_must_differ
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'x', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- A pull peer, an unsupported client, another session or program than the peer's, and what would be an option to ssh.
-- refuses: handoff_route_unsupported
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'b', 'test', NULL, NULL, NULL,
  NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'z', 'opencode', 'ses_1',
  NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000009', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'codex',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, NULL, printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', '-oProxyCommand=x', NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400,
  400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h;x', NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h x', NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', '', NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h' || char(0), NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'hé', NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', char(92), NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: unsupported_target_generation
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: target_generation_unavailable
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, NULL, printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: invalid_target_generation
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, '', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, printf('%0257d', 1), printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'a' || char(0), printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'a' || char(10), printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'a' || char(127), printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'a' || char(133), printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, x'61', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: native_context_capacity
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, json_object('a', printf('%04090d', 1)), 'gen-1',
  printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
);

-- refuses: invalid_handoff
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, '[]', 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, '{', 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, x'7b7d', 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', NULL, 5, 5, 400, 400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%063d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', upper(printf('%063d', 7) || 'a'), 5, 5, 400,
  400, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%063d', 7) || char(0), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'relative', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: handoff_clock_unavailable
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, NULL, 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, '1', 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), NULL
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), -1
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 'x'
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 9223372036854775807
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1.5
);

-- refuses: invalid_time
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns, at
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000, NULL
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns, at
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000, 9e999
);

INSERT INTO peer_retirements (peer, action) VALUES ('x', 'retired');

-- refuses: peer_retired
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

INSERT INTO peer_retirements (peer, action) VALUES ('x', 'restored');
INSERT INTO messages (id, sender, recipient, body)
VALUES ('10000000-0000-4000-8000-000000000099', 'a', 'b', 'An ordinary message.');

INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000002', '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', NULL, '/home/c', '{}', NULL, printf('%064d', 7), 5, 5, 32768, 32768,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000003', '20000000-0000-4000-8000-000000000001', 'a', 'y', 'codex',
  '30000000-0000-4000-8000-000000000002', 'me@[::1%eth0]:22', NULL, NULL, NULL, printf('%064d', 7), 1000, 1000,
  30000, 32768, printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000004', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', 'h', NULL, NULL, NULL, printf('%064d', 7), 90000, 360000, 1000000, 4000000,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000005', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 1000000, 4000000, 400, 400,
  printf('%064d', 1), 1000
);

-- An id is issued once, and never that of a message.
-- refuses: handoff_id_reused
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000099', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- prints: validated|not_attempted|prepared|not_requested|not_requested|none|not_requested
SELECT state, submission, phase, ack, observation, wait_for, wait FROM handoff_v
WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- Preparing saves no message and tells nobody.
-- prints: 0|0|0
SELECT (SELECT count(*) FROM messages WHERE recipient = 'x'), (SELECT count(*) FROM inbox_v WHERE recipient = 'x'),
  (SELECT count(*) FROM notice_claims);

-- refuses: handoff_binding_conflict
UPDATE handoffs SET digest = printf('%064d', 8);
UPDATE handoffs SET generation = 'gen-2' WHERE id = '10000000-0000-4000-8000-000000000001';
UPDATE handoffs SET id = '10000000-0000-4000-8000-000000000006' WHERE id = '10000000-0000-4000-8000-000000000001';
UPDATE handoffs SET at_ns = at_ns;

-- refuses: handoff_fence_retained
DELETE FROM handoffs;
DELETE FROM handoffs WHERE id = '10000000-0000-4000-8000-000000000001';

-- 32 MiB hold 1,023 handoffs with their details.
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, generation, digest, chars, bytes, framed_chars, framed_bytes,
  boot, at_ns
)
SELECT
  '10000000-0000-4000-8000-' || printf('%012d', value), '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400, printf('%064d', 1), 1000
FROM generate_series(101, 1118) WHERE true;

-- prints: 1023
SELECT count(*) FROM handoffs;

-- refuses: handoff_ledger_capacity
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000006', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- After 30 days of one boot only the fence is left, and there is room again.
-- refuses: handoff_phase_illegal
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), 2592000000000999);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 2), 2592000000001000);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', NULL, 2592000000001000);
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), NULL);

-- refuses: handoff_id_unknown
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000006', printf('%064d', 1), 2592000000001000);

INSERT INTO handoff_tombstones (handoff, boot, at_ns)
SELECT id, printf('%064d', 1), 2592000000001000 FROM handoffs WHERE id < '10000000-0000-4000-8000-000000000002';

-- changes nothing
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', printf('%064d', 1), 2592000000001000);

-- refuses: handoff_fence_retained
DELETE FROM handoff_tombstones;

-- refuses: record_is_permanent
UPDATE handoff_tombstones SET at = 0;

INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000006', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- refuses: handoff_ledger_capacity
INSERT INTO handoffs (
  id, epoch, sender, recipient, harness, target, host, home, context, generation, digest, chars, bytes, framed_chars,
  framed_bytes, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000007', '20000000-0000-4000-8000-000000000001', 'a', 'x', 'claude',
  '30000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'gen-1', printf('%064d', 7), 5, 5, 400, 400,
  printf('%064d', 1), 1000
);

-- prints: unknown|unknown|tombstone
SELECT state, submission, phase FROM handoff_v WHERE correlation_id = '10000000-0000-4000-8000-000000000001';

-- Expired, a handoff still can't be sent, refused or waited for.
-- refuses: handoff_history_unavailable
INSERT INTO handoff_attempts (
  handoff, sender, recipient, host, generation, digest, ack_requested, observe, boot, at_ns
)
VALUES (
  '10000000-0000-4000-8000-000000000001', 'a', 'x', NULL, 'gen-1', printf('%064d', 7), 1, 0,
  printf('%064d', 1), 2000
);
INSERT INTO handoff_waits (handoff, number, goal, seconds, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 1, 'acknowledged', 30, printf('%064d', 1), 3000);
INSERT INTO handoff_outcomes (handoff, submission, fenced, ack_requested, observe, boot, at_ns)
VALUES ('10000000-0000-4000-8000-000000000001', 'refused', 0, 0, 0, printf('%064d', 1), 3000);
