package entry

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Taken tells which of some event ids were ever committed by a source of this
// kind, however long ago.
func (r *Reader) Taken(ctx context.Context, source string, eventIDs []string) (map[string]bool, error) {
	kind := viewing.SourceKind(source)
	keys := make([]string, len(eventIDs))
	byKey := make(map[string]string, len(eventIDs))
	for i, id := range eventIDs {
		keys[i] = schema.EventKey(kind, id)
		byKey[keys[i]] = id
	}
	rows, err := r.db.QueryContext(ctx, "SELECT d.key FROM json_each(?) AS wanted CROSS JOIN dedupe AS d ON d.key = wanted.value", schema.Array(keys))
	found, err := disk.Collect(rows, err, func(row *sql.Rows) (key string, err error) {
		err = row.Scan(&key)
		return key, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for events: %w", err)
	}
	taken := make(map[string]bool, len(found))
	for _, key := range found {
		taken[byKey[key]] = true
	}
	return taken, nil
}

// RecordedIn tells when items, by [viewing.Media.Key], were watched as far as the
// queue has heard of it, whoever saw it and whatever became of it, in any of some
// accounts. It reads all entries.
func (r *Reader) RecordedIn(ctx context.Context, accounts, keys []string) (map[string][]viewing.Instant, error) {
	times := map[string][]viewing.Instant{}
	rows, err := r.db.QueryContext(ctx, `SELECT item_key, watched_at, watched_precision FROM entries
		WHERE account IN (SELECT value FROM json_each(?)) AND kind = 'viewing' AND item_key <> '' AND item_key IN (SELECT value FROM json_each(?))`,
		schema.Array(accounts), schema.Array(keys))
	_, err = disk.Collect(rows, err, func(row *sql.Rows) (struct{}, error) {
		var key string
		var in viewing.Instant
		err := row.Scan(&key, &in.Millis, &in.Precision)
		times[key] = append(times[key], in)
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for viewings: %w", err)
	}
	return times, nil
}

// State is what the source keeps here as its own memory.
func (r *Reader) State(ctx context.Context, source string) (map[string][]byte, error) {
	type pair struct {
		key   string
		value []byte
	}
	rows, err := r.db.QueryContext(ctx, "SELECT key, value FROM source_state WHERE source = ?", source)
	pairs, err := disk.Collect(rows, err, func(rows *sql.Rows) (p pair, err error) {
		err = rows.Scan(&p.key, &p.value)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read state of source: %w", err)
	}
	state := make(map[string][]byte, len(pairs))
	for _, p := range pairs {
		state[p.key] = append([]byte{}, p.value...) // an empty value is not a missing one
	}
	return state, nil
}
