-- Writes. Begins the history of handoffs.
INSERT INTO handoff_epochs DEFAULT VALUES RETURNING epoch AS ledger_epoch;
