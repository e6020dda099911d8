-- Writes. Declares the active history a restored copy: nothing in it proves or allows anything any more.
INSERT INTO handoff_quarantines (epoch) VALUES ((SELECT epoch FROM handoff_epoch_v)) RETURNING epoch AS ledger_epoch;
