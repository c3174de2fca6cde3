-- The user's pause may end by itself, and may drop what is watched meanwhile.
ALTER TABLE accounts ADD COLUMN paused_until INTEGER;
ALTER TABLE accounts ADD COLUMN paused_drops INTEGER NOT NULL DEFAULT 0;

-- What an account does not want of what was watched in a pause: from since, and
-- before until. It outlives the pause, for much is told late.
CREATE TABLE silences (
  id      INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  since   INTEGER NOT NULL,
  until   INTEGER NOT NULL
) STRICT;

-- Waves that a person has not decided about; see status.
CREATE INDEX entries_wave ON entries (event) WHERE state = 'held' AND reason = 'wave';

-- The service is asked what the entries of a wave are, as it is for bulk.
DROP TRIGGER lookups_end;
CREATE TRIGGER lookups_end AFTER UPDATE OF id, state, reason, item_key ON entries
WHEN old.state = 'held' AND old.item_key = '' AND (new.state <> 'held' OR new.item_key <> ''
  OR new.reason NOT IN ('unresolved', 'bulk', 'backdated', 'review', 'future', 'wave'))
BEGIN
  DELETE FROM lookups WHERE entry = new.id OR entry = old.id;
END;
DROP TRIGGER lookups_again;
CREATE TRIGGER lookups_again AFTER UPDATE OF state, reason, item_key, media ON entries
WHEN new.state = 'held' AND new.item_key = '' AND new.media IS NOT NULL
  AND (new.reason = 'unresolved' OR new.reason = 'bulk' OR new.reason = 'backdated' OR new.reason = 'review' OR new.reason = 'future'
    OR new.reason = 'wave')
  AND (old.state <> 'held' OR old.item_key <> '' OR new.reason <> old.reason OR new.media IS NOT old.media)
BEGIN
  INSERT INTO lookups (entry, account, ask_at) VALUES (new.id, new.account, 0)
    ON CONFLICT (entry) DO UPDATE SET ask_at = 0, asked = 0;
END;
