-- Writes. Ends the details of the handoffs whose time for them is over at :now_ns of :boot.
INSERT INTO handoff_tombstones (handoff, boot, at_ns)
SELECT h.id, :boot, :now_ns
FROM handoffs AS h
WHERE h.epoch = (SELECT epoch FROM handoff_epoch_v) AND h.boot = :boot AND h.details_expire_ns <= :now_ns
  AND NOT EXISTS (SELECT 1 FROM handoff_tombstones AS d WHERE d.handoff = h.id);
