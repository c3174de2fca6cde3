-- Times are milliseconds since 1970 in UTC. An idempotency_key is the
-- header as it was sent, "" without one, kept as evidence even where it is ignored.
CREATE TABLE history (
    id          INTEGER PRIMARY KEY,
    type        TEXT NOT NULL,
    item        INTEGER,            -- the film's or episode's own identifier
    show        INTEGER,
    season      INTEGER,
    episode     INTEGER,
    watched_at  INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL
) STRICT;
CREATE INDEX history_by_time ON history (watched_at, id);
CREATE INDEX history_by_item ON history (type, item, watched_at);
CREATE INDEX history_by_place ON history (show, season, episode, watched_at) WHERE show IS NOT NULL;

CREATE TABLE watchlist (
    id          INTEGER PRIMARY KEY,
    type        TEXT NOT NULL,
    item        INTEGER NOT NULL,
    priority    INTEGER,
    received_at INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    UNIQUE (type, item)
) STRICT;

CREATE TABLE lists (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    visibility  TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL
) STRICT;

-- The answer to each accepted request that carried an Idempotency-Key.
CREATE TABLE answers (
    idempotency_key TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    body_sum  BLOB NOT NULL,        -- SHA-256 of the body
    status    INTEGER NOT NULL,
    body      BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The service's own: the user's id, and keys that were made.
CREATE TABLE own (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
