-- Reads. The active history of handoffs; no row: there is none.
SELECT epoch AS ledger_epoch FROM handoff_epoch_v;
