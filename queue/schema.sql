-- The outbox. Times are milliseconds since 1970 in UTC; a column named …_at
-- that is NULL has not happened. Rows of events and entries are never deleted or
-- renumbered. A damaged table is copied by its numbers: one WITHOUT ROWID has a number
-- as the first column of its key. The counters are counted anew.

-- What the database knows about itself: installation (random, never changes), clean
-- (whether the last run ended in order), copied (when it was made as a copy), recovered
-- (it was copied from a damaged file), notice:N.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT;

-- What sources reported, unchanged. The same id with another body is a conflict.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  source_kind  TEXT NOT NULL,
  event_id     TEXT NOT NULL,
  body         TEXT NOT NULL,    -- the viewing as canonical JSON
  committed_at INTEGER NOT NULL,
  UNIQUE (source_kind, event_id)
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
  reason            TEXT NOT NULL DEFAULT '',    -- a code
  cause             TEXT,                        -- what more there is to say of it, a message in JSON
  media             TEXT,                        -- JSON; NULL for a list
  reported          TEXT,                        -- what the source said of it, where somebody else has found more; JSON
  correction        INTEGER,                     -- which one gave it its identity
  list              TEXT,                        -- JSON; lists only
  item_key          TEXT NOT NULL DEFAULT '',    -- entries of one key leave in order; '' is no key
  priority          INTEGER,
  watched_at        INTEGER,                     -- viewings only, as the next
  watched           TEXT,                        -- the same with the evidence of it; JSON
  class             TEXT NOT NULL DEFAULT '',
  lane              INTEGER NOT NULL DEFAULT 0,  -- 0 live; 1 backfill: leaves when nothing live is due
  attempts          INTEGER NOT NULL DEFAULT 0,
  revision          INTEGER NOT NULL DEFAULT 0,
  after             INTEGER REFERENCES entries (id),
  next_at           INTEGER NOT NULL,
  planned_at        INTEGER NOT NULL,            -- when next_at was planned; where that lies ahead, the clock has been set back
  remote_id         TEXT,
  created_at        INTEGER NOT NULL,
  decided           TEXT NOT NULL,               -- the steps of that time, a JSON array of code and args
  touched           INTEGER NOT NULL DEFAULT 0,  -- by a person: 1 decided about, 2 changed
  settled_at        INTEGER,
  words             TEXT NOT NULL DEFAULT '',    -- what it is found by: folded, each after a blank
  minutes           INTEGER,                     -- how long it is; NULL where nobody has said so
  root              TEXT,                        -- the film or series that was watched, by number or else by title; NULL where nothing was
  happened_at       INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(watched_at, created_at)) VIRTUAL
) STRICT;

-- The indexes of parts of the table, and the check of the state, say OR where IN
-- would read better: for IN every INSERT fills a table of its own with the list.
-- A query finds such an index only by the same words.

-- What is to be sent in a lane, the oldest first.
CREATE INDEX entries_due ON entries (account, lane, next_at, id) WHERE state = 'pending';
-- All entries about an item: its older ones, and those that another source saw.
CREATE INDEX entries_item ON entries (item_key, account, happened_at, id) WHERE item_key <> '';
-- Episodes that are known by their own number alone: another source may know the place.
CREATE INDEX entries_numbered ON entries (account, happened_at, id) WHERE item_key GLOB 'episode:*' AND item_key NOT GLOB '*:*:*';
CREATE INDEX entries_event ON entries (event);
-- What is not finished: the oldest that waits, lists of what needs a person, and what
-- a crash left under way.
CREATE INDEX entries_open ON entries (state)
  WHERE (state = 'pending' OR state = 'sending' OR state = 'held' OR state = 'in_doubt' OR state = 'rejected');

-- Entries that wait for another.
CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;
-- What a correction may reach.
CREATE INDEX entries_reported ON entries (state, id) WHERE media IS NOT NULL AND (reported IS NOT NULL OR item_key = '');
CREATE INDEX entries_correction ON entries (correction) WHERE correction IS NOT NULL;
-- The diary: the order in which all happened.
CREATE INDEX entries_happened ON entries (happened_at);
-- The statistics.
CREATE INDEX entries_watched ON entries (watched_at, root, minutes, event) WHERE root IS NOT NULL;

-- What items are called, by their numbers: "movie:603", "tv:1396", "episode:1396:1:2".
CREATE TABLE titles (
  key     TEXT PRIMARY KEY,
  title   TEXT NOT NULL,
  year    INTEGER,
  minutes INTEGER,               -- how long it is, by TMDB
  poster  TEXT                   -- the path of its picture at TMDB, '' where it has none; NULL before TMDB was asked
) STRICT;

-- Further sightings of what an entry tells; the first is entries.event.
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
  sent     INTEGER NOT NULL DEFAULT 1,   -- 0: certain that nothing left
  status   INTEGER NOT NULL DEFAULT 0,
  code     TEXT NOT NULL DEFAULT '',
  answer   TEXT NOT NULL DEFAULT '',
  cause    TEXT,                         -- why there was no answer, a message in JSON
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
  planned_at INTEGER NOT NULL DEFAULT 0, -- when look_at was planned
  taken    INTEGER NOT NULL DEFAULT 0,   -- how often it was
  absent   INTEGER                       -- when it could first have been seen and was not; NULL is never
) STRICT;
CREATE INDEX doubts_look ON doubts (account, look_at) WHERE look_at IS NOT NULL;

-- The service's lists as they were before one was to be created.
CREATE TABLE lists_before (
  entry INTEGER PRIMARY KEY REFERENCES entries (id),
  ids   TEXT NOT NULL                    -- a JSON array
) STRICT;

-- What was decided about an entry after it was made (see entries.decided). The
-- package daemon/locale has the texts of the codes.
CREATE TABLE steps (
  entry      INTEGER NOT NULL REFERENCES entries (id),
  number     INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  code       TEXT NOT NULL,
  from_state TEXT NOT NULL DEFAULT '',   -- the entry was in it before the step changed that, for this reason
  reason     TEXT NOT NULL DEFAULT '',
  args       TEXT,                       -- JSON
  cause      TEXT,                       -- a message in JSON
  PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

-- How each account stands: what the queue keeps of it, as JSON.
CREATE TABLE accounts (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

-- The sources' own memory; read by nobody else.
CREATE TABLE source_state (
  source TEXT NOT NULL,
  key    TEXT NOT NULL,
  value  BLOB NOT NULL,
  PRIMARY KEY (source, key)
) STRICT;

-- Entries in each state now, by account.
CREATE TABLE counters (
  account TEXT NOT NULL,
  state   TEXT NOT NULL,
  current INTEGER NOT NULL,
  ever    INTEGER NOT NULL,  -- how many came into it, ever
  PRIMARY KEY (account, state)
) STRICT, WITHOUT ROWID;

-- Entries that are held and have no identifier: the service may be asked what
-- they are. What a person holds back is not asked about.
CREATE TABLE lookups (
  entry      INTEGER PRIMARY KEY REFERENCES entries (id),
  account    TEXT NOT NULL,
  ask_at     INTEGER,                      -- when to ask; NULL is never, 0 as soon as may be
  planned_at INTEGER NOT NULL DEFAULT 0,   -- when ask_at was planned
  asked      INTEGER NOT NULL DEFAULT 0,   -- how often it was, since its evidence last changed
  candidates TEXT                          -- what it may be, by the last answers: a list in JSON
) STRICT;
CREATE INDEX lookups_ask ON lookups (account, ask_at);

-- What a person has said that a film or series is. It is asked before anybody
-- else about each entry without an identifier.
CREATE TABLE corrections (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,  -- by which evidence is found; package identity makes it
  body TEXT NOT NULL          -- JSON: what was told of it, what it is, and since when that was said
) STRICT;
-- What an account does not want of what was watched in a pause: from since, and
-- before until. It outlives the pause, for much is told late.
CREATE TABLE silences (
  id      INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  since   INTEGER NOT NULL,
  until   INTEGER NOT NULL
) STRICT;
