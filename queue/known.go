package queue

import (
	"context"
	"database/sql"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Recorded tells when items, by [viewing.Media.Key], were watched as far as the queue has
// heard of it, whoever saw it and whatever became of it, in the accounts that a source
// feeds.
func (s *Store) Recorded(ctx context.Context, source string, keys []string) (map[string][]viewing.Instant, error) {
	times := map[string][]viewing.Instant{}
	_, err := read(ctx, s, "look for viewings", func(row *sql.Rows) (struct{}, error) {
		var key string
		var in viewing.Instant
		err := row.Scan(&key, &in.Millis, &in.Precision)
		times[key] = append(times[key], in)
		return struct{}{}, err
	}, `SELECT item_key, watched_at, watched ->> '$.precision' FROM entries
		WHERE account IN (SELECT value FROM json_each(?)) AND kind = 'viewing' AND item_key <> '' AND item_key IN (SELECT value FROM json_each(?)) ORDER BY happened_at, id`,
		asJSON{s.AccountsOf(source)}, asJSON{keys})
	return times, err
}

// State is what the source keeps here as its own memory.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	state := map[string][]byte{}
	_, err := read(ctx, s, "read state of source", func(row *sql.Rows) (struct{}, error) {
		var key string
		var value []byte
		err := row.Scan(&key, &value)
		state[key] = append([]byte{}, value...) // an empty value is not a missing one
		return struct{}{}, err
	}, "SELECT key, value FROM source_state WHERE source = ?", source)
	return state, err
}
