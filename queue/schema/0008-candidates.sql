-- What an entry without an identifier may be, by the last answers: a list in JSON.
ALTER TABLE lookups ADD COLUMN candidates TEXT;

-- Answers about other words mean nothing any more.
CREATE TRIGGER lookups_forget AFTER UPDATE OF media ON entries
WHEN new.media IS NOT old.media
BEGIN
  UPDATE lookups SET candidates = NULL WHERE entry = new.id;
END;
