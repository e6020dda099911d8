-- Writes. Starts a wait of :seconds in all, counted from :now_ns.
INSERT INTO handoff_waits (handoff, number, peer, goal, seconds, boot, at_ns)
VALUES (
  :id, (SELECT coalesce(max(number), 0) + 1 FROM handoff_waits WHERE handoff = :id), :actor, :goal, :seconds, :boot,
  :now_ns
)
RETURNING operation AS operation_id, deadline_ns;
