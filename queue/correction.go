package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Correction is what a person has said that a film or series is. It holds for
// all that is told alike and has no identifier.
type Correction struct {
	ID      int64              `json:"id"`
	Told    identity.Clue      `json:"told"`
	Is      identity.Candidate `json:"is"`
	Since   time.Time          `json:"since"`
	Entries int64              `json:"entries"` // that have their identity from it, as long as they are kept
}

// Said is the correction as a step of an entry's explanation.
func (c Correction) Said() string { return fmt.Sprintf("You said that it is %s.", c.Is) }

// Tells reports whether the correction tells what an item is.
func (c Correction) Tells(m viewing.Media) bool {
	clue := identity.ClueOf(m)
	alike := slices.ContainsFunc(clue.Each(), func(o identity.Clue) bool { return o.Key() == c.Told.Key() })
	return !m.Unsure && alike && c.Is.Apply(m).Identified() && !c.Told.Contradicts(clue)
}

const selectCorrection = `SELECT id, body, (SELECT count(*) FROM corrected WHERE key = corrections.key) FROM corrections`

func scanCorrection(r *sql.Rows) (c Correction, err error) {
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
func (s *Store) Corrections(ctx context.Context) ([]Correction, error) {
	rows, err := s.reader.QueryContext(ctx, selectCorrection+" ORDER BY id")
	all, err := disk.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, fmt.Errorf("list corrections: %w", err)
	}
	return all, nil
}

// CorrectionFor is the correction that tells what an item without identifier is;
// nil where there is none.
func (s *Store) CorrectionFor(ctx context.Context, m viewing.Media) (*Correction, error) {
	for _, clue := range identity.ClueOf(m).Each() {
		rows, err := s.reader.QueryContext(ctx, selectCorrection+" WHERE key = ?", clue.Key())
		all, err := disk.Collect(rows, err, scanCorrection)
		if err != nil {
			return nil, fmt.Errorf("look for a correction: %w", err)
		}
		if len(all) > 0 && !m.Identified() && all[0].Tells(m) {
			return &all[0], nil
		}
	}
	return nil, nil
}

// ForgetSaid forgets the correction for what is told like m, if it still says was,
// by type and TMDB number. What it has changed stays. No correction, or another one,
// is no error.
func (s *Store) ForgetSaid(ctx context.Context, m viewing.Media, was identity.Candidate) error {
	err := s.write(ctx, func(t *tx) error {
		for _, clue := range identity.ClueOf(m).Each() {
			all, err := t.corrections(clue)
			if err == nil && len(all) > 0 && all[0].Is.Type == was.Type && all[0].Is.TMDB == was.TMDB {
				_, err = t.Exec("DELETE FROM corrections WHERE id = ?", all[0].ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forget what was said: %w", err)
	}
	return nil
}
