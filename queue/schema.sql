-- The outbox. Times are milliseconds since 1970 in UTC; NULL in a column named …_at means
-- "not yet". Rows of events and entries are never deleted or renumbered. A damaged table
-- is copied by ranges of its rowid; a table WITHOUT ROWID must have a number as the first
-- column of its primary key. The counters are recalculated.

-- Properties of the database: installation (random id, never changes), clean (whether the
-- last run was stopped cleanly), copied (when this backup was made), recovered (copied
-- from a damaged file), notice:N.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT;

-- Events as the sources reported them. The same id with another body is a conflict.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  source_kind  TEXT NOT NULL,
  event_id     TEXT NOT NULL,
  body         TEXT NOT NULL,    -- the event as JSON, with the fields in the order of the Go struct
  committed_at INTEGER NOT NULL,
  UNIQUE (source_kind, event_id)
) STRICT;

-- Requests to the service, one per row. An event has one for each account and part.
CREATE TABLE entries (
  id                INTEGER PRIMARY KEY,
  event             INTEGER NOT NULL,
  account           TEXT NOT NULL,
  part              INTEGER NOT NULL,
  kind              TEXT NOT NULL,
  state             TEXT NOT NULL CHECK (state = 'pending' OR state = 'sending' OR state = 'delivered' OR state = 'held'
    OR state = 'in_doubt' OR state = 'rejected' OR state = 'dropped' OR state = 'merged'),
  reason            TEXT NOT NULL DEFAULT '',    -- a code
  cause             TEXT,                        -- an explanation of the reason: a message in JSON
  media             TEXT,                        -- JSON; NULL for a list
  reported          TEXT,                        -- the item as its source reported it, if media is the result of a lookup or correction; JSON
  correction        INTEGER,                     -- the correction that was applied
  list              TEXT,                        -- JSON; lists only
  item_key          TEXT NOT NULL DEFAULT '',    -- entries with the same key are sent in order; '' without an identifier
  priority          INTEGER,
  watched_at        INTEGER,                     -- viewings only, like watched
  watched           TEXT,                        -- the instant with its text; JSON
  class             TEXT NOT NULL DEFAULT '',
  lane              INTEGER NOT NULL DEFAULT 0,  -- 0 live; 1 backfill: sent when nothing live is due
  attempts          INTEGER NOT NULL DEFAULT 0,
  revision          INTEGER NOT NULL DEFAULT 0,
  after             INTEGER REFERENCES entries (id),
  next_at           INTEGER NOT NULL,
  planned_at        INTEGER NOT NULL,            -- when next_at was set; if that is in the future, the clock has been set back
  remote_id         TEXT,
  created_at        INTEGER NOT NULL,
  decided           TEXT NOT NULL,               -- the steps from when it was created: a JSON array of code and args
  touched           INTEGER NOT NULL DEFAULT 0,  -- by a person: 1 decided, 2 edited
  settled_at        INTEGER,
  words             TEXT NOT NULL DEFAULT '',    -- search words: folded, each after a blank
  minutes           INTEGER,                     -- length; NULL if unknown
  root              TEXT,                        -- the key of the film or series for the statistics; NULL if the entry does not count
  happened_at       INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(watched_at, created_at)) VIRTUAL
) STRICT;

-- The partial indexes and the CHECK of the state use OR instead of IN, because with IN
-- every INSERT builds a temporary table of the list. SQLite uses a partial index only for a
-- query with the same condition.

-- Pending entries of a lane, the oldest first.
CREATE INDEX entries_due ON entries (account, lane, next_at, id) WHERE state = 'pending';
-- All entries about an item: older ones, and those of other sources.
CREATE INDEX entries_item ON entries (item_key, account, happened_at, id) WHERE item_key <> '';
-- Episodes known by their TMDB id only: another source may know season and number.
CREATE INDEX entries_numbered ON entries (account, happened_at, id) WHERE item_key GLOB 'episode:*' AND item_key NOT GLOB '*:*:*';
CREATE INDEX entries_event ON entries (event);
-- Unfinished entries: the oldest pending one, those that need a person, and those that a
-- crash interrupted.
CREATE INDEX entries_open ON entries (state)
  WHERE (state = 'pending' OR state = 'sending' OR state = 'held' OR state = 'in_doubt' OR state = 'rejected');

-- Entries that wait for their list.
CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;
-- Entries that a correction may change.
CREATE INDEX entries_reported ON entries (state, id) WHERE media IS NOT NULL AND (reported IS NOT NULL OR item_key = '');
CREATE INDEX entries_correction ON entries (correction) WHERE correction IS NOT NULL;
-- The diary, in chronological order.
CREATE INDEX entries_happened ON entries (happened_at);
-- The statistics.
CREATE INDEX entries_watched ON entries (watched_at, root, minutes, event) WHERE root IS NOT NULL;

-- Titles of items by key: "movie:603", "tv:1396", "episode:1396:1:2".
CREATE TABLE titles (
  key     TEXT PRIMARY KEY,
  title   TEXT NOT NULL,
  year    INTEGER,
  minutes INTEGER,               -- length according to TMDB
  poster  TEXT                   -- the path of its picture at TMDB, '' if it has no picture; NULL before TMDB was asked
) STRICT;

-- Further sightings of an entry's playback; the first one is entries.event.
CREATE TABLE witnesses (
  event INTEGER NOT NULL REFERENCES events (id),
  entry INTEGER NOT NULL REFERENCES entries (id),
  PRIMARY KEY (event, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX witnesses_entry ON witnesses (entry);

-- Every request, numbered within its entry.
CREATE TABLE attempts (
  entry    INTEGER NOT NULL REFERENCES entries (id),
  number   INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  ended_at INTEGER,
  sent     INTEGER NOT NULL DEFAULT 1,   -- 0: it is certain that no byte was sent
  status   INTEGER NOT NULL DEFAULT 0,
  code     TEXT NOT NULL DEFAULT '',
  answer   TEXT NOT NULL DEFAULT '',
  cause    TEXT,                         -- why there was no response: a message in JSON
  owner    TEXT NOT NULL DEFAULT '',     -- the user id of the key that was used; '' if unknown
  PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

-- Entries in doubt, with the results of their read-backs. An entry that is sent again with
-- the same Idempotency-Key keeps its row.
CREATE TABLE doubts (
  entry    INTEGER PRIMARY KEY REFERENCES entries (id),
  account  TEXT NOT NULL,
  since    INTEGER NOT NULL,             -- when it was first in doubt
  at       INTEGER NOT NULL,             -- when the last byte of its last request had been sent, at the latest
  look_at  INTEGER,                      -- when to read it back next; NULL means never
  planned_at INTEGER NOT NULL DEFAULT 0, -- when look_at was set
  taken    INTEGER NOT NULL DEFAULT 0,   -- number of read-backs
  absent   INTEGER                       -- start of the first read-back that should have found it and did not; NULL if none
) STRICT;
CREATE INDEX doubts_look ON doubts (account, look_at) WHERE look_at IS NOT NULL;

-- The ids of the service's lists before a list was created.
CREATE TABLE lists_before (
  entry INTEGER PRIMARY KEY REFERENCES entries (id),
  ids   TEXT NOT NULL                    -- a JSON array
) STRICT;

-- Decisions about an entry after it was created (see entries.decided). Package
-- daemon/locale renders the codes.
CREATE TABLE steps (
  entry      INTEGER NOT NULL REFERENCES entries (id),
  number     INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  code       TEXT NOT NULL,
  from_state TEXT NOT NULL DEFAULT '',   -- the state before the step, if it changed the state; reason likewise
  reason     TEXT NOT NULL DEFAULT '',
  args       TEXT,                       -- JSON
  cause      TEXT,                       -- a message in JSON
  PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

-- The state of each account, as JSON.
CREATE TABLE accounts (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

-- The stored state of each source; only the source reads it.
CREATE TABLE source_state (
  source TEXT NOT NULL,
  key    TEXT NOT NULL,
  value  BLOB NOT NULL,
  PRIMARY KEY (source, key)
) STRICT;

-- Number of entries in each state, by account.
CREATE TABLE counters (
  account TEXT NOT NULL,
  state   TEXT NOT NULL,
  current INTEGER NOT NULL,
  ever    INTEGER NOT NULL,  -- how many have ever entered the state
  PRIMARY KEY (account, state)
) STRICT, WITHOUT ROWID;

-- Held entries without an identifier that a service may be asked to identify. Entries held
-- by a person are not looked up.
CREATE TABLE lookups (
  entry      INTEGER PRIMARY KEY REFERENCES entries (id),
  account    TEXT NOT NULL,
  ask_at     INTEGER,                      -- when to ask; NULL means never, 0 means now
  planned_at INTEGER NOT NULL DEFAULT 0,   -- when ask_at was set
  asked      INTEGER NOT NULL DEFAULT 0,   -- number of lookups since its item last changed
  candidates TEXT                          -- possible items from the last lookup: a JSON array
) STRICT;
CREATE INDEX lookups_ask ON lookups (account, ask_at);

-- A person's corrections of what a film or series is. They are applied before any lookup.
CREATE TABLE corrections (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,  -- the strongest clue of what the source reported; package resolve creates it
  body TEXT NOT NULL          -- JSON: the clue, the item, and since when
) STRICT;
-- Pauses of an account in which viewings are dropped: from since, before until. A row
-- outlives its pause, because viewings may be reported later.
CREATE TABLE silences (
  id      INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  since   INTEGER NOT NULL,
  until   INTEGER NOT NULL
) STRICT;
