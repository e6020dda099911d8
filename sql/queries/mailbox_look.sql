-- Reads. A number that changes whenever another connection has committed to the mailbox.
PRAGMA data_version;
