package queue

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/viewing"
)

// keepState changes the source's own memory.
func (t *tx) keepState(b viewing.Batch) error {
	for key, value := range b.State {
		var err error
		if value == nil {
			_, err = t.Exec("DELETE FROM source_state WHERE source = ? AND key = ?", b.Source, key)
		} else {
			_, err = t.Exec(`INSERT INTO source_state (source, key, value) VALUES (?, ?, ?)
				ON CONFLICT (source, key) DO UPDATE SET value = excluded.value`, b.Source, key, value)
		}
		if err != nil {
			return fmt.Errorf("keep state of source: %w", err)
		}
	}
	return nil
}

// State is what the source keeps here as its own memory.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	type pair struct {
		key   string
		value []byte
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT key, value FROM source_state WHERE source = ?", source)
	pairs, err := disk.Collect(rows, err, func(r *sql.Rows) (p pair, err error) {
		err = r.Scan(&p.key, &p.value)
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
