-- Entries that are held and have no identifier: the service may be asked what
-- they are. The triggers keep the table, whoever changes an entry. What a person
-- or a damaged file holds back is not asked about.
CREATE TABLE lookups (
  entry   INTEGER PRIMARY KEY REFERENCES entries (id) ON UPDATE CASCADE,
  account TEXT NOT NULL,
  ask_at  INTEGER,                      -- when to ask; NULL is never, 0 as soon as may be
  asked   INTEGER NOT NULL DEFAULT 0    -- how often it was, since its evidence last changed
) STRICT;
CREATE INDEX lookups_ask ON lookups (account, ask_at);

CREATE TRIGGER lookups_end AFTER UPDATE OF id, state, reason, item_key ON entries
WHEN old.state = 'held' AND old.item_key = '' AND (new.state <> 'held' OR new.item_key <> ''
  OR new.reason NOT IN ('unresolved', 'bulk', 'backdated', 'review', 'future'))
BEGIN
  DELETE FROM lookups WHERE entry = new.id OR entry = old.id;
END;
CREATE TRIGGER lookups_again AFTER UPDATE OF state, reason, item_key, media ON entries
WHEN new.state = 'held' AND new.item_key = '' AND new.media IS NOT NULL
  AND (new.reason = 'unresolved' OR new.reason = 'bulk' OR new.reason = 'backdated' OR new.reason = 'review' OR new.reason = 'future')
  AND (old.state <> 'held' OR old.item_key <> '' OR new.reason <> old.reason OR new.media IS NOT old.media)
BEGIN
  INSERT INTO lookups (entry, account, ask_at) VALUES (new.id, new.account, 0)
    ON CONFLICT (entry) DO UPDATE SET ask_at = 0, asked = 0;
END;

INSERT INTO lookups (entry, account, ask_at) SELECT id, account, 0 FROM entries
  WHERE (state = 'sending' OR state = 'held' OR state = 'in_doubt' OR state = 'rejected')
    AND state = 'held' AND item_key = '' AND media IS NOT NULL
    AND reason IN ('unresolved', 'bulk', 'backdated', 'review', 'future');
