-- The outbox. Times are milliseconds since 1970 in UTC; a column named …_at
-- that is NULL has not happened. Rows of events and entries are never renumbered:
-- whoever trims old ones keeps the newest, so that no id is given twice.
-- seal() is this program's own function: a checksum of its arguments.

-- What the database knows about itself: installation (random, never changes),
-- run (raised at each opening; leases of earlier runs are void), clean (whether
-- the last run ended in order), trimmed (how many events were trimmed), notice:N.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- What sources reported, unchanged. That an event is one by (source_kind,
-- event_id) is held by dedupe, which outlives it: a second index would cost
-- every commit one page more. So would an index of the entries by event: those
-- of one event are made at once, and the event knows which ids they have.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  source_kind  TEXT NOT NULL,
  event_id     TEXT NOT NULL,
  body         TEXT NOT NULL,    -- the viewing as canonical JSON
  entry        INTEGER,          -- the first of the entries made of it; NULL for a further sighting
  parts        INTEGER NOT NULL, -- how many they are: the ids from entry on
  committed_at INTEGER NOT NULL,
  sum          INTEGER NOT NULL  -- seal of the columns before it, without id
) STRICT;

-- What is asked of the service: one row is one request. It is one by (event,
-- account, part).
CREATE TABLE entries (
  id                INTEGER PRIMARY KEY,
  event             INTEGER NOT NULL,
  account           TEXT NOT NULL,
  part              INTEGER NOT NULL,
  kind              TEXT NOT NULL,
  state             TEXT NOT NULL CHECK (state = 'pending' OR state = 'sending' OR state = 'delivered' OR state = 'held'
    OR state = 'in_doubt' OR state = 'rejected' OR state = 'dropped' OR state = 'merged'),
  reason            TEXT NOT NULL DEFAULT '',
  media             TEXT,                        -- JSON; NULL for a list
  list              TEXT,                        -- JSON; lists only
  item_key          TEXT NOT NULL DEFAULT '',    -- entries of one key leave in order; '' is no key
  priority          INTEGER,
  watched_at        INTEGER,                     -- viewings only, as the next three
  watched_text      TEXT,
  watched_offset    INTEGER,                     -- seconds east of UTC
  watched_precision TEXT,
  class             TEXT NOT NULL DEFAULT '',
  lane              INTEGER NOT NULL DEFAULT 0,  -- 0 live; 1 backfill: leaves when nothing live is due
  attempts          INTEGER NOT NULL DEFAULT 0,
  revision          INTEGER NOT NULL DEFAULT 0,
  after             INTEGER REFERENCES entries (id),
  next_at           INTEGER NOT NULL,
  lease             INTEGER NOT NULL DEFAULT 0,  -- token; 0 is none
  lease_until       INTEGER NOT NULL DEFAULT 0,
  remote_id         TEXT,
  created_at        INTEGER NOT NULL,
  decided           TEXT NOT NULL,               -- the rules' sentences at that time, a JSON array
  settled_at        INTEGER,
  sum               INTEGER NOT NULL,            -- seal of what is sent; see entries_sealed
  behind            INTEGER NOT NULL DEFAULT 0,  -- 1: seen to wait for an elder; see entries_turn
  happened_at       INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(watched_at, created_at)) VIRTUAL
) STRICT;

-- The indexes of parts of the table, and the check of the state, say OR where IN
-- would read better: for IN every INSERT fills a table of its own with the list.
-- A query finds such an index only by the same words.

-- Leases: what is due in a lane, the oldest first. Finished rows are not in it,
-- nor are those that a lease has found behind an elder.
CREATE INDEX entries_due ON entries (account, lane, next_at, id) WHERE state = 'pending' AND behind = 0;
-- Order: the elders of an entry about the same item.
CREATE INDEX entries_unfinished ON entries (account, item_key, happened_at, id)
  WHERE (state = 'pending' OR state = 'sending' OR state = 'in_doubt') AND item_key <> '';
-- Lists of what needs a person, and what a crash left under way.
CREATE INDEX entries_open ON entries (state)
  WHERE (state = 'sending' OR state = 'held' OR state = 'in_doubt' OR state = 'rejected');

-- Entries that wait for another.
CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;

-- Whoever changes what is sent, the sum follows, unless it was wrong before:
-- a damaged row must not look whole again.
CREATE TRIGGER entries_sealed AFTER UPDATE OF event, account, part, kind, media, list, item_key, priority,
  watched_at, watched_text, watched_offset, watched_precision, class, revision, created_at ON entries
WHEN old.sum IS seal(old.event, old.account, old.part, old.kind, old.media, old.list, old.item_key, old.priority,
  old.watched_at, old.watched_text, old.watched_offset, old.watched_precision, old.class, old.revision, old.created_at)
BEGIN
  UPDATE entries SET sum = seal(event, account, part, kind, media, list, item_key, priority,
    watched_at, watched_text, watched_offset, watched_precision, class, revision, created_at) WHERE id = new.id;
END;

-- The next one's turn: when an entry keeps back those behind it no longer, the
-- eldest of them is looked at again.
CREATE TRIGGER entries_turn AFTER UPDATE OF state, account, item_key, watched_at ON entries
WHEN old.item_key <> '' AND old.state IN ('pending', 'sending', 'in_doubt')
  AND (new.state NOT IN ('pending', 'sending', 'in_doubt') OR new.account <> old.account
    OR new.item_key <> old.item_key OR new.watched_at IS NOT old.watched_at)
BEGIN
  UPDATE entries SET behind = 0 WHERE behind = 1 AND id = (
    SELECT id FROM entries WHERE account = old.account AND item_key = old.item_key AND item_key <> ''
      AND (state = 'pending' OR state = 'sending' OR state = 'in_doubt') ORDER BY happened_at, id LIMIT 1);
END;
-- What has changed itself is looked at again.
CREATE TRIGGER entries_again AFTER UPDATE OF state, account, item_key, watched_at ON entries
WHEN new.behind = 1
BEGIN
  UPDATE entries SET behind = 0 WHERE id = new.id;
END;

-- Further sightings of what an entry tells; the first is entries.event.
CREATE TABLE witnesses (
  event INTEGER NOT NULL REFERENCES events (id),
  entry INTEGER NOT NULL REFERENCES entries (id),
  PRIMARY KEY (event, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX witnesses_entry ON witnesses (entry);

-- Every event ever taken, for good: it outlives the event and its entries.
CREATE TABLE dedupe (
  key     TEXT PRIMARY KEY,      -- kind of source, colon, event id
  content BLOB NOT NULL,
  event   INTEGER NOT NULL,
  entry   INTEGER                -- the first entry it became, or became part of
) STRICT, WITHOUT ROWID;

-- Every request, numbered within its entry.
CREATE TABLE attempts (
  entry    INTEGER NOT NULL REFERENCES entries (id),
  number   INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  ended_at INTEGER,
  sent     INTEGER NOT NULL DEFAULT 1,   -- 0: certain that nothing left
  status   INTEGER NOT NULL DEFAULT 0,
  code     TEXT NOT NULL DEFAULT '',
  answer   TEXT NOT NULL DEFAULT '',
  error    TEXT NOT NULL DEFAULT '',
  owner    TEXT NOT NULL DEFAULT '',     -- whose key it was sent with, where the service tells
  PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

-- Entries that may have arrived, and what was seen when they were looked for.
-- One that is sent again with the same Idempotency-Key keeps its row meanwhile.
CREATE TABLE doubts (
  entry    INTEGER PRIMARY KEY REFERENCES entries (id),
  account  TEXT NOT NULL,
  since    INTEGER NOT NULL,             -- when it was first in doubt
  at       INTEGER NOT NULL,             -- the last byte of its last request had left by then
  look_at  INTEGER,                      -- when it is looked for next; NULL is never
  taken    INTEGER NOT NULL DEFAULT 0,   -- how often it was
  readings TEXT NOT NULL DEFAULT '[]'    -- the newest of what was seen, JSON; the sender's
) STRICT;
CREATE INDEX doubts_look ON doubts (account, look_at) WHERE look_at IS NOT NULL;
CREATE TRIGGER doubts_end AFTER UPDATE OF state ON entries
  WHEN NEW.state NOT IN ('sending', 'in_doubt') AND (OLD.state = 'in_doubt' OR NEW.state <> 'pending')
  BEGIN DELETE FROM doubts WHERE entry = NEW.id; END;

-- The service's lists as they were before one was to be created.
CREATE TABLE lists_before (
  entry INTEGER PRIMARY KEY REFERENCES entries (id),
  ids   TEXT NOT NULL                    -- a JSON array
) STRICT;

-- What was decided about an entry after it was made (see entries.decided).
CREATE TABLE steps (
  entry  INTEGER NOT NULL REFERENCES entries (id),
  number INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  what   TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  name           TEXT PRIMARY KEY,
  base_url       TEXT NOT NULL DEFAULT '',
  proven         INTEGER NOT NULL DEFAULT 0,
  paused         TEXT NOT NULL DEFAULT '',
  problem        TEXT NOT NULL DEFAULT '',
  hint           TEXT NOT NULL DEFAULT '',
  paused_at      INTEGER,
  probe_at       INTEGER,
  probe_step     INTEGER NOT NULL DEFAULT 0,
  delivered_at   INTEGER,
  owner          TEXT NOT NULL DEFAULT '',  -- the service's id of the user whose key it is
  keeps          TEXT NOT NULL DEFAULT '',  -- how the service keeps times, as far as it is known
  support        TEXT NOT NULL DEFAULT '{}',-- which optional endpoints it has, and when that was asked
  moved_at       INTEGER                    -- when the address was changed
) STRICT, WITHOUT ROWID;

-- The sources' own memory; read by nobody else.
CREATE TABLE source_state (
  source TEXT NOT NULL,
  key    TEXT NOT NULL,
  value  BLOB NOT NULL,
  PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

-- Entries in each state now, and how many have ever come into it; the latter
-- stays when old rows are trimmed. Nearly all begin as pending: so for pending,
-- current is what is to be added to the newest id, and a commit that only adds
-- such entries need not touch this table.
CREATE TABLE counters (
  state   TEXT PRIMARY KEY,
  current INTEGER NOT NULL DEFAULT 0,
  total   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO counters (state) VALUES
  ('pending'), ('sending'), ('delivered'), ('held'), ('in_doubt'), ('rejected'), ('dropped'), ('merged');

-- What is written once to make the write-ahead log large, and taken back.
CREATE TABLE ballast (data BLOB NOT NULL) STRICT;
