-- Schema 1 knew no OpenCode.
ALTER TABLE peers ADD COLUMN url TEXT;
