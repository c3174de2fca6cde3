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

// CorrectionRequest is a correction to be made.
type CorrectionRequest struct {
	// Entry is the one that the person looked at: it is changed in any case, and
	// what its source reported is remembered.
	Entry int64
	// Is is the film or series that is meant; of an episode its series.
	Is resolve.Candidate
	// Season and Episode are the place of that entry; nil leaves what it is. The
	// episodes after it are moved as far from where they are reported.
	Season, Episode *int
	DryRun          bool // say what would be done, and change nothing
}

// Correct records what a person says that a film or series is. Whatever waits and
// was reported alike follows in the same transaction, unless a person has changed it
// or put it aside. What has begun to leave stays. An entry may be pending, held or
// rejected. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a [*StateError]) or
// [viewing.ErrInvalid].
func (s *Store) Correct(ctx context.Context, c CorrectionRequest) (did resolve.CorrectionResult, err error) {
	err = s.writeDry(ctx, "fix", c.DryRun, func(t *tx) error {
		did, err = t.correct(c)
		return err
	})
	return did, err
}

// Correctable refuses an entry that [Store.Correct] cannot change, with a
// [*StateError].
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
	// What other accounts have of the same item of its event has the same identity and place.
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

// chosenPlace is the season and number that a person gives to an entry. Those that were found
// out stay only where a person has confirmed them, and of the same series.
func chosenPlace(e Entry, c CorrectionRequest) (m viewing.Media) {
	m = *e.AsReported()
	confirmed := e.Touched == entry.Edited || e.Correction != 0 && e.Media.Show != nil && e.Media.Show.IDs.TMDB == c.Is.TMDB
	if confirmed && m.Type == e.Media.Type {
		m = withPlace(m, *e.Media)
	}
	m.Season, m.Episode = cmp.Or(c.Season, m.Season), cmp.Or(c.Episode, m.Episode)
	return m
}

// withPlace is an item with the season and number of another.
func withPlace(m, of viewing.Media) viewing.Media {
	m.Season, m.Episode = of.Season, of.Episode
	return m
}

// correctedStep says what a person said that an item is, and where, if not where it was
// reported.
func correctedStep(is resolve.Candidate, reported, m viewing.Media) entry.Step {
	s := entry.Step{Code: "corrected", Args: entry.Args{"title": is.String()}}
	if resolve.PlaceChanged(reported, m) {
		s.Code, s.Args["place"] = "corrected.place", fmt.Sprintf("S%02dE%02d", *m.Season, *m.Episode)
	}
	return s
}

// saveCorrection writes the correction that follows from what a person said, unless nothing
// can be remembered.
func (t *tx) saveCorrection(c CorrectionRequest, reported, place viewing.Media, did *resolve.CorrectionResult) (correction resolve.Correction, ok bool) {
	var before *resolve.Correction
	known := selectRows(t, scanCorrection, selectCorrection+" WHERE key = ?", resolve.Correction{Reported: resolve.ClueOf(reported)}.Key())
	if len(known) > 0 && known[0].Is.TMDB > 0 {
		before = &known[0]
	}
	if correction, ok = resolve.NewCorrection(before, reported, c.Is, place); !ok {
		return correction, false
	}
	if before != nil && before.Is.TMDB != c.Is.TMDB {
		did.Before = &before.Is
	}
	correction.Since = millis(t.now)
	t.find("INSERT INTO corrections (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id",
		[]any{correction.Key(), asJSON{correction}}, &correction.ID)
	t.exec("UPDATE entries SET correction = ? WHERE id = ?", correction.ID, c.Entry)
	return correction, true
}

// correctSimilar gives what waits and was reported alike the identity that a correction
// says. What a person has changed otherwise stays.
func (t *tx) correctSimilar(c resolve.Correction, named int64, did *resolve.CorrectionResult) {
	for _, id := range t.numbers(`SELECT id FROM entries WHERE media IS NOT NULL AND (reported IS NOT NULL OR item_key = '')
		AND state IN ('pending', 'held') AND (touched < 2 OR correction IS NOT NULL) AND id <> ?`, named) {
		e := t.entry(id)
		if is, told := c.Apply(*e.AsReported()); told && !e.AsReported().Identified() {
			t.applyCorrection(e, is, c, did)
		}
	}
}

// applyCorrection gives one entry an identity by a correction. What a person has put aside stays,
// and so does what another source has seen by another name.
func (t *tx) applyCorrection(e Entry, m viewing.Media, c resolve.Correction, did *resolve.CorrectionResult) {
	waits := e.State == viewing.StatePending || e.State == viewing.StateHeld && !playback.NeedsPerson(e.Reason)
	same := m.Key() == e.Media.Key()
	if !m.Identified() { // an episode without a number: it is of another series, or stays as it is
		same = e.Media.Show != nil && e.Media.Show.IDs.TMDB == c.Is.TMDB
	}
	if !waits || same {
		return
	}
	step := correctedStep(c.Is, *e.AsReported(), m)
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

// correctionFor is the correction for an item without identifier; nil for none.
func (t *tx) correctionFor(m *viewing.Media) *resolve.Correction {
	if m == nil || m.Identified() || m.Unsure {
		return nil
	}
	return resolve.FindCorrection(selectRows(t, scanCorrection, selectCorrectionsByKey, asJSON{resolve.CorrectionKeys(*m)}), *m)
}

const selectCorrection = "SELECT corrections.id, body, (SELECT count(*) FROM entries WHERE correction = corrections.id) FROM corrections"

// selectCorrectionsByKey finds the corrections of keys, in their order: the surest first.
const selectCorrectionsByKey = selectCorrection + " JOIN json_each(?) AS k ON k.value = corrections.key ORDER BY k.key"

func scanCorrection(r *sql.Rows) (c resolve.Correction, err error) {
	var body []byte
	var id, entries int64
	if err = r.Scan(&id, &body, &entries); err == nil && json.Unmarshal(body, &c) != nil {
		c = resolve.Correction{} // a damaged one says nothing
	}
	c.ID, c.Entries = id, entries
	return c, err
}

// Corrections lists what people have said that films and series are, the first
// first.
func (s *Store) Corrections(ctx context.Context) ([]resolve.Correction, error) {
	return read(ctx, s, "list corrections", scanCorrection, selectCorrection+" ORDER BY id")
}

// CorrectionFor is the correction that says what an item without identifier is;
// nil where there is none.
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

// ForgetCorrection forgets a correction; what it has changed stays. The error
// wraps [entry.ErrNotFound] where there is none of that id.
func (s *Store) ForgetCorrection(ctx context.Context, id int64) error {
	return s.write(ctx, fmt.Sprintf("forget correction %d", id), func(t *tx) error {
		if t.exec("DELETE FROM corrections WHERE id = ?", id) == 0 {
			return entry.ErrNotFound
		}
		t.exec("UPDATE entries SET correction = NULL WHERE correction = ?", id)
		return nil
	})
}
