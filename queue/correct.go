package queue

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// CorrectionRequest is a person's statement about what the item of an entry is.
type CorrectionRequest struct {
	// Entry is always corrected. The correction is stored for what its source reported.
	Entry int64
	// Is is the correct film, or the correct series for an episode.
	Is resolve.Candidate
	// Season and Episode are the correct numbers of that entry; nil keeps them. The
	// difference from the reported numbers applies to the following episodes, too.
	Season, Episode *int
	DryRun          bool // report what would be changed, and change nothing
}

// Correct records a correction. All waiting entries that were reported alike are corrected in the
// same transaction, except those that a person has changed or held. Entries that were sent stay
// as they are. The named entry may be pending, held or rejected. Errors wrap [entry.ErrNotFound],
// [entry.ErrState] (a [*StateError]) or [viewing.ErrInvalid].
func (s *Store) Correct(ctx context.Context, c CorrectionRequest) (did resolve.CorrectionResult, err error) {
	err = s.writeDry(ctx, "fix", c.DryRun, func(t *tx) error {
		did, err = t.correct(c)
		return err
	})
	return did, err
}

// Correctable returns a [*StateError] if [Store.Correct] cannot change the entry.
func Correctable(e Entry) error {
	if e.Media == nil {
		return &StateError{Verb: "fix", ID: e.ID, State: e.State, Why: viewing.Say("fault.noMedia")}
	}
	return checkChangeable(entry.VerbFix, e)
}

func (t *tx) correct(c CorrectionRequest) (did resolve.CorrectionResult, err error) {
	named := t.entry(c.Entry)
	if err := Correctable(named); err != nil {
		return did, err
	}
	reported := *named.AsReported()
	place := withPlace(reported, chosenPlace(named, c))
	if c.Is.Type != resolve.ClueOf(reported).Kind || c.Is.TMDB < 1 {
		return did, viewing.Wrong("type", "field.otherKind")
	}
	if c.Is.Title == "" { // another entry may know it
		key := viewing.Media{Type: c.Is.Type, IDs: viewing.IDs{TMDB: c.Is.TMDB}}.Key()
		t.find("SELECT title, coalesce(year, 0) FROM titles WHERE key = ?", []any{key}, &c.Is.Title, &c.Is.Year)
	}
	m := c.Is.ApplyChoice(place)
	if m.Identified() && m.Key() == named.Media.Key() {
		m = *named.Media
	}
	if err := t.edit(named, entry.Edit{Media: &m}, correctedStep(c.Is, reported, m)); err != nil {
		return did, err
	}
	correction, remembered := t.saveCorrection(c, reported, place, &did)
	// Other accounts' entries of the same viewing get the same item.
	for _, id := range t.numbers(`SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part
		WHERE e.id = ?1 AND n.id <> ?1 AND n.touched = 0 AND n.state IN ('pending', 'held')`, c.Entry) {
		e := t.entry(id)
		t.applyCorrection(e, c.Is.ApplyChoice(withPlace(*e.AsReported(), place)), correction, &did)
	}
	if remembered {
		t.correctSimilar(correction, c.Entry, &did)
		t.find("SELECT count(*) FROM entries WHERE correction = ?", []any{correction.ID}, &correction.Entries)
		did.Remembered = &correction
	}
	return did, nil
}

// chosenPlace returns the item as reported, with the season and number that the entry gets: those
// of the request, else those that a person has confirmed for the same series, else the reported
// ones.
func chosenPlace(e Entry, c CorrectionRequest) (m viewing.Media) {
	m = *e.AsReported()
	confirmed := e.Touched == entry.Edited || e.Correction != 0 && e.Media.Show != nil && e.Media.Show.IDs.TMDB == c.Is.TMDB
	if confirmed && m.Type == e.Media.Type {
		m = withPlace(m, *e.Media)
	}
	m.Season, m.Episode = cmp.Or(c.Season, m.Season), cmp.Or(c.Episode, m.Episode)
	return m
}

// withPlace returns m with the season and number of another item.
func withPlace(m, of viewing.Media) viewing.Media {
	m.Season, m.Episode = of.Season, of.Episode
	return m
}

// correctedStep returns the step of a correction: the new item, and its season and number if they
// differ from the reported ones.
func correctedStep(is resolve.Candidate, reported, m viewing.Media) entry.Step {
	s := entry.Step{Code: "corrected", Args: entry.Args{"title": is.String()}}
	if resolve.PlaceChanged(reported, m) {
		s.Code, s.Args["place"] = "corrected.place", fmt.Sprintf("S%02dE%02d", *m.Season, *m.Episode)
	}
	return s
}

// saveCorrection stores the correction for later entries; ok is false if what the source reported
// gives no clue to store it by.
func (t *tx) saveCorrection(c CorrectionRequest, reported, place viewing.Media, did *resolve.CorrectionResult) (correction resolve.Correction, ok bool) {
	var before *resolve.Correction
	known := selectRows(t, scanCorrection, selectCorrection+" WHERE key = ?", resolve.Correction{Reported: resolve.ClueOf(reported)}.Key())
	if len(known) > 0 && known[0].Work.TMDB > 0 {
		before = &known[0]
	}
	if correction, ok = resolve.NewCorrection(before, reported, c.Is, place); !ok {
		return correction, false
	}
	if before != nil && before.Work.TMDB != c.Is.TMDB {
		did.Before = &before.Work
	}
	correction.Since = millis(t.now)
	t.find("INSERT INTO corrections (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id",
		[]any{correction.Key(), asJSON{correction}}, &correction.ID)
	t.exec("UPDATE entries SET correction = ? WHERE id = ?", correction.ID, c.Entry)
	return correction, true
}

// correctSimilar applies a correction to the waiting entries that were reported alike.
func (t *tx) correctSimilar(c resolve.Correction, named int64, did *resolve.CorrectionResult) {
	for _, id := range t.numbers(`SELECT id FROM entries WHERE media IS NOT NULL AND (reported IS NOT NULL OR item_key = '')
		AND state IN ('pending', 'held') AND (touched < 2 OR correction IS NOT NULL) AND id <> ?`, named) {
		e := t.entry(id)
		if is, applies := c.Apply(*e.AsReported()); applies && !e.AsReported().Identified() {
			t.applyCorrection(e, is, c, did)
		}
	}
}

// applyCorrection gives an entry the item of a correction. It does nothing if a person holds the
// entry, and only records a step if another source has reported another item.
func (t *tx) applyCorrection(e Entry, m viewing.Media, c resolve.Correction, did *resolve.CorrectionResult) {
	waits := e.State == viewing.StatePending || e.State == viewing.StateHeld && !playback.NeedsPerson(e.Reason)
	same := m.Key() == e.Media.Key()
	if !m.Identified() { // an episode without a number changes only if its series does
		same = e.Media.Show != nil && e.Media.Show.IDs.TMDB == c.Work.TMDB
	}
	if !waits || same {
		return
	}
	step := correctedStep(c.Work, *e.AsReported(), m)
	if e.Media.Identified() && t.seenByOtherSource(e.ID, e.Source) {
		t.note(e.ID, entry.Step{Code: "noted.corrected", Args: step.Args})
		return
	}
	if did.AlsoChanged++; len(did.Also) < maxNamed {
		did.Also = append(did.Also, resolve.ChangedEntry{Entry: e.ID, Was: *e.Media, Is: m})
	}
	e.Reported, e.Correction = e.AsReported(), c.ID
	t.identify(e, m, t.eventOf(e), step)
}

// correctionFor returns the correction for an item without an identifier; nil if none exists.
func (t *tx) correctionFor(m *viewing.Media) *resolve.Correction {
	if m == nil || m.Identified() || m.Unsure {
		return nil
	}
	return resolve.FindCorrection(selectRows(t, scanCorrection, selectCorrectionsByKey, asJSON{resolve.CorrectionKeys(*m)}), *m)
}

const selectCorrection = "SELECT corrections.id, body, (SELECT count(*) FROM entries WHERE correction = corrections.id) FROM corrections"

// selectCorrectionsByKey selects the corrections with the given keys, in the order of the keys:
// the strongest clue first.
const selectCorrectionsByKey = selectCorrection + " JOIN json_each(?) AS k ON k.value = corrections.key ORDER BY k.key"

func scanCorrection(r *sql.Rows) (c resolve.Correction, err error) {
	var body []byte
	var id, entries int64
	if err = r.Scan(&id, &body, &entries); err == nil && json.Unmarshal(body, &c) != nil {
		c = resolve.Correction{} // a damaged one matches nothing
	}
	c.ID, c.Entries = id, entries
	return c, err
}

// Corrections returns all corrections, the oldest first.
func (s *Store) Corrections(ctx context.Context) ([]resolve.Correction, error) {
	return read(ctx, s, "list corrections", scanCorrection, selectCorrection+" ORDER BY id")
}

// CorrectionFor returns the correction for an item without an identifier; nil if none exists.
func (s *Store) CorrectionFor(ctx context.Context, m viewing.Media) (*resolve.Correction, error) {
	if m.Identified() {
		return nil, nil
	}
	all, err := read(ctx, s, "look for a correction", scanCorrection, selectCorrectionsByKey, asJSON{resolve.CorrectionKeys(m)})
	if err != nil {
		return nil, err
	}
	return resolve.FindCorrection(all, m), nil
}

// ForgetCorrection deletes a correction; the entries that it changed stay as they are. The error
// wraps [entry.ErrNotFound] if there is no correction with that id.
func (s *Store) ForgetCorrection(ctx context.Context, id int64) error {
	return s.write(ctx, fmt.Sprintf("forget correction %d", id), func(t *tx) error {
		if t.exec("DELETE FROM corrections WHERE id = ?", id) == 0 {
			return entry.ErrNotFound
		}
		t.exec("UPDATE entries SET correction = NULL WHERE correction = ?", id)
		return nil
	})
}
