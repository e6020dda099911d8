-- Reads. Whether what was presented for a handoff is an acknowledgment yet: committed or pending.
SELECT iif(EXISTS (SELECT 1 FROM handoff_acks WHERE handoff = :id), 'committed', 'pending') AS classification;
