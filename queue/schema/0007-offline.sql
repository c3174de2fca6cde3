-- Since when the service is out of reach, or asks to wait. It is kept over restarts.
ALTER TABLE accounts ADD COLUMN offline_at INTEGER;
