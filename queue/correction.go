package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

const selectCorrection = `SELECT corrections.id, body, (SELECT count(*) FROM corrected WHERE key = corrections.key) FROM corrections`

const selectOfKeys = selectCorrection + ` JOIN json_each(?) AS k ON k.value = corrections.key ORDER BY k.key`

func scanCorrection(r *sql.Rows) (c identity.Correction, err error) {
	var body []byte
	var id, entries int64
	if err = r.Scan(&id, &body, &entries); err == nil {
		_ = json.Unmarshal(body, &c) // a damaged one tells nothing, and stands in nobody's way
	}
	c.ID, c.Entries = id, entries
	return c, err
}

// Corrections lists what people have said that films and series are, the first
// first.
func (s *Store) Corrections(ctx context.Context) ([]identity.Correction, error) {
	rows, err := s.reader.QueryContext(ctx, selectCorrection+" ORDER BY id")
	all, err := disk.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, fmt.Errorf("list corrections: %w", err)
	}
	return all, nil
}

// CorrectionFor is the correction that tells what an item without identifier is;
// nil where there is none.
func (s *Store) CorrectionFor(ctx context.Context, m viewing.Media) (*identity.Correction, error) {
	keys, err := schema.JSON(identity.ClueOf(m).Keys())
	if err != nil || m.Identified() {
		return nil, err
	}
	rows, err := s.reader.QueryContext(ctx, selectOfKeys, keys)
	all, err := disk.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, fmt.Errorf("look for a correction: %w", err)
	}
	return identity.Telling(all, m), nil
}
