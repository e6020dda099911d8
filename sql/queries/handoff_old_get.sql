-- Reads. Whether there is a handoff whose time for details is over at :now_ns of :boot.
SELECT EXISTS (
  SELECT 1
  FROM handoffs AS h
  WHERE h.epoch = (SELECT epoch FROM handoff_epoch_v) AND h.boot = :boot AND h.details_expire_ns <= :now_ns
    AND NOT EXISTS (SELECT 1 FROM handoff_tombstones AS d WHERE d.handoff = h.id)
) AS is_there;
