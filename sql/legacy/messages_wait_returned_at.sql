-- Schema 1 and early schema 2 did not record what a wait returned.
ALTER TABLE messages ADD COLUMN wait_returned_at REAL;
