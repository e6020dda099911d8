-- Reads. Whether the details of a handoff are to end: it is 30 days old by the clock of one boot.
SELECT EXISTS (
  SELECT 1
  FROM handoffs AS h
  WHERE h.epoch = (SELECT epoch FROM handoff_epoch_v) AND h.boot = :boot AND h.at_ns <= :now_ns - 2592000000000000
    AND NOT EXISTS (SELECT 1 FROM handoff_tombstones AS d WHERE d.handoff = h.id)
) AS is_there;
