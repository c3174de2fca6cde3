package queue

import (
	"context"
	"database/sql"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Taken tells which of some event ids were ever committed by a source of this
// kind, however long ago.
func (s *Store) Taken(ctx context.Context, source string, eventIDs []string) (map[string]bool, error) {
	taken := map[string]bool{}
	_, err := read(ctx, s, "look for events", func(row *sql.Rows) (struct{}, error) {
		var id string
		err := row.Scan(&id)
		taken[id] = true
		return struct{}{}, err
	}, `SELECT v.event_id FROM json_each(?) AS wanted
		CROSS JOIN events AS v ON v.source_kind = ? AND v.event_id = wanted.value`, jsonArray(eventIDs), viewing.SourceKind(source))
	return taken, err
}

// RecordedIn tells when items, by [viewing.Media.Key], were watched as far as the
// queue has heard of it, whoever saw it and whatever became of it, in any of some
// accounts. It reads all entries.
func (s *Store) RecordedIn(ctx context.Context, accounts, keys []string) (map[string][]viewing.Instant, error) {
	times := map[string][]viewing.Instant{}
	_, err := read(ctx, s, "look for viewings", func(row *sql.Rows) (struct{}, error) {
		var key string
		var in viewing.Instant
		err := row.Scan(&key, &in.Millis, &in.Precision)
		times[key] = append(times[key], in)
		return struct{}{}, err
	}, `SELECT item_key, watched_at, watched ->> '$.precision' FROM entries
		WHERE account IN (SELECT value FROM json_each(?)) AND kind = 'viewing' AND item_key <> '' AND item_key IN (SELECT value FROM json_each(?)) ORDER BY happened_at, id`,
		jsonArray(accounts), jsonArray(keys))
	return times, err
}

// State is what the source keeps here as its own memory.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	type pair struct {
		key   string
		value []byte
	}
	pairs, err := read(ctx, s, "read state of source", func(rows *sql.Rows) (p pair, err error) {
		err = rows.Scan(&p.key, &p.value)
		return p, err
	}, "SELECT key, value FROM source_state WHERE source = ?", source)
	if err != nil {
		return nil, err
	}
	state := make(map[string][]byte, len(pairs))
	for _, p := range pairs {
		state[p.key] = append([]byte{}, p.value...) // an empty value is not a missing one
	}
	return state, nil
}
