-- What a person has said that a film or series is. It is asked before anybody
-- else about each entry without an identifier.
CREATE TABLE corrections (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,  -- by which evidence is found; package identity makes it
  body TEXT NOT NULL          -- JSON: what was told of it, what it is, and since when that was said
) STRICT;

-- Entries that have their identity from a correction, by its key: they follow the
-- next one, also when this one was forgotten. Another identity ends it.
CREATE TABLE corrected (
  entry INTEGER PRIMARY KEY REFERENCES entries (id) ON UPDATE CASCADE,
  key   TEXT NOT NULL
) STRICT;
CREATE INDEX corrected_by ON corrected (key);
CREATE TRIGGER corrected_end AFTER UPDATE OF media ON entries
BEGIN
  DELETE FROM corrected WHERE entry = new.id;
END;
