-- Before schema 3 every peer was a native one.
ALTER TABLE peers ADD COLUMN delivery TEXT NOT NULL DEFAULT 'native';
