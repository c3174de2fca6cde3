package queue

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Correcting is a correction to be made.
type Correcting struct {
	// Entry is the one that the person looked at: it is changed in any case, and
	// what its source reported is remembered. With 0, Told is.
	Entry int64
	Told  viewing.Media
	// Is is the film or series that is meant; of an episode its series.
	Is resolve.Candidate
	// Season and Episode are the place of that entry alone; nil leaves what it is.
	// Where the source reported another place, nothing is remembered.
	Season, Episode *int
}

// Correct records what a person says that a film or series is. Whatever waits and
// was reported alike follows in the same transaction, unless a person has changed it
// or put it aside. What has begun to leave stays. An entry may be pending, held or
// rejected. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a [*StateError]) or
// [viewing.ErrInvalid].
func (s *Store) Correct(ctx context.Context, c Correcting) (did resolve.Corrected, err error) {
	err = s.write(ctx, func(t *tx) error {
		did, err = t.correct(c)
		return err
	})
	if err != nil {
		return resolve.Corrected{}, fmt.Errorf("fix: %w", err)
	}
	return did, nil
}

// Correctable refuses an entry that [Store.Correct] cannot change, with a
// [*StateError].
func Correctable(e Entry) error {
	if e.Media == nil {
		return &StateError{Verb: "fix", ID: e.ID, State: e.State, Reason: "it names no film or series"}
	}
	return changeable("fix", e)
}

func (t *tx) correct(c Correcting) (did resolve.Corrected, err error) {
	reported, trusted := c.Told, true
	var named Entry
	if c.Entry != 0 {
		if named, err = t.entry(c.Entry); err == nil {
			err = Correctable(named)
		}
		if err != nil {
			return did, err
		}
		reported, trusted = asReported(named)
	}
	clue := resolve.ClueOf(reported)
	if c.Is.Type != clue.Kind || c.Is.TMDB < 1 {
		return did, &viewing.FieldError{Field: "type", Problem: "is not the kind of item that was told"}
	}
	place := reported
	if c.Entry != 0 {
		place.Season, place.Episode = cmp.Or(c.Season, reported.Season), cmp.Or(c.Episode, reported.Episode)
		m := c.Is.Apply(placed(*named.Media, place))
		if err := t.edit(named, entry.Edit{Media: &m}, correctedStep(c.Is)); err != nil {
			return did, err
		}
		trusted = trusted && !resolve.Moved(reported, m)
	}
	clue.IDs.TMDB = 0 // found out, and not reported
	said := resolve.Correction{Is: c.Is, Since: millis(t.now)}
	if clues := clue.Each(); trusted && !reported.Unsure && len(clues) > 0 {
		said.Told = clues[0]
		if did.Before, err = t.remember(&said); err != nil {
			return did, err
		}
		if _, err := t.Exec("UPDATE entries SET correction = ? WHERE id = ?", said.ID, c.Entry); err != nil {
			return did, err
		}
		did.Remembered = &said
	}
	if did.AlsoChanged, err = t.correctOthers(said, c.Entry, place); err == nil {
		_, err = t.Find("SELECT count(*) FROM entries WHERE correction = ?", []any{said.ID}, &said.Entries)
	}
	return did, err
}

// asReported is what an entry's source reported of its item, at the place that a
// person gave it. It is not to be trusted where the source itself told a number of
// TMDB: that is of another work, and so may be all else it told. Nor is it with
// another place than was reported: the site counts by itself then, and the others of
// the series would follow with wrong numbers.
func asReported(e Entry) (m viewing.Media, trusted bool) {
	m = *e.AsReported()
	trusted = !m.Identified()
	if e.Touched == entry.Edited && m.Type == e.Media.Type {
		trusted = trusted && !resolve.Moved(m, *e.Media)
		m = placed(m, *e.Media)
	}
	return m, trusted
}

// placed is an item with the season and number of another.
func placed(m, of viewing.Media) viewing.Media {
	m.Season, m.Episode = of.Season, of.Episode
	return m
}

// correctedStep says what a person said that an item is.
func correctedStep(is resolve.Candidate) entry.Step {
	return entry.Step{Code: "corrected", Args: entry.Args{"title": is.String()}}
}

// remember writes a correction, and gives it its id; before is what it takes the place
// of.
func (t *tx) remember(c *resolve.Correction) (before *resolve.Candidate, err error) {
	rows, err := t.Query(selectCorrection+" WHERE key = ?", c.Told.Key())
	was, err := sqlite.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, err
	}
	if len(was) > 0 && was[0].Is.TMDB > 0 && was[0].Is.TMDB != c.Is.TMDB {
		before = &was[0].Is
	}
	body, err := jsonText(c)
	if err != nil {
		return nil, err
	}
	_, err = t.Find("INSERT INTO corrections (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id",
		[]any{c.Told.Key(), body}, &c.ID)
	return before, err
}

// selectAlike finds what waits and may follow a correction: what other accounts have of
// the same item of the event (1), and what has no identifier from its source (0).
const selectAlike = `SELECT n.id * 2 + 1 FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part
	WHERE e.id = ?1 AND n.id <> ?1 AND n.touched = 0 AND n.state IN ('pending', 'held')
	UNION ALL SELECT id * 2 FROM entries WHERE media IS NOT NULL AND (reported IS NOT NULL OR item_key = '')
	AND state IN ('pending', 'held') AND (touched < 2 OR correction IS NOT NULL) AND id <> ?1`

// correctOthers gives what waits its identity by a correction: what other accounts have
// of the same item of the event, at the same place, and what was reported alike, at the
// place that was reported. What a person has put aside stays, and so does what another
// source has seen by another name.
func (t *tx) correctOthers(c resolve.Correction, named int64, place viewing.Media) (changed int64, err error) {
	found, err := t.Numbers(selectAlike, named)
	if err != nil {
		return 0, err
	}
	for _, n := range found {
		e, err := t.entry(n / 2)
		if err != nil {
			return 0, err
		}
		reported, together := *e.AsReported(), n%2 == 1
		if !together && (c.ID == 0 || reported.Identified() || !c.Tells(reported)) {
			continue
		}
		if together {
			reported.Season, reported.Episode = place.Season, place.Episode
		}
		did, err := t.follow(e, c.Is.Apply(placed(*e.Media, reported)), c)
		if err != nil {
			return 0, fmt.Errorf("entry %d: %w", e.ID, err)
		}
		changed += did
	}
	return changed, nil
}

// follow gives one entry an identity by a correction. It reports 1 where that changed
// it.
func (t *tx) follow(e Entry, m viewing.Media, c resolve.Correction) (changed int64, err error) {
	waits := e.State == viewing.StatePending || e.State == viewing.StateHeld && !playback.ByHand(e.Reason)
	if !waits || m.Key() == e.Media.Key() {
		return 0, nil
	}
	shared, err := t.seenByOther(e.ID, e.Source)
	if err != nil {
		return 0, err
	}
	if step := correctedStep(c.Is); shared && e.Media.Identified() {
		return 0, t.note(e.ID, entry.Step{Code: "noted.corrected", Args: step.Args})
	}
	v, err := t.eventOf(e)
	if err != nil {
		return 0, err
	}
	e.Reported, e.Correction = e.AsReported(), c.ID
	return 1, t.identify(e, m, v, correctedStep(c.Is))
}

// correctDraft gives the item of a draft the identity that a person has given to what
// is reported alike.
func (t *tx) correctDraft(d *draft) error {
	said, err := t.correctionFor(d.item)
	if said != nil {
		is := said.Is.Apply(*d.item)
		d.reported, d.item, d.correction = d.item, &is, said
	}
	return err
}

// correctionFor is the correction for an item without identifier; nil for none.
func (t *tx) correctionFor(m *viewing.Media) (*resolve.Correction, error) {
	if m == nil || m.Identified() || m.Unsure {
		return nil, nil
	}
	keys := resolve.ClueOf(*m).Keys()
	rows, err := t.Query(selectOfKeys, jsonArray(keys))
	all, err := sqlite.Collect(rows, err, scanCorrection)
	return resolve.Telling(all, *m), err
}

const selectCorrection = "SELECT corrections.id, body, (SELECT count(*) FROM entries WHERE correction = corrections.id) FROM corrections"

const selectOfKeys = selectCorrection + " JOIN json_each(?) AS k ON k.value = corrections.key ORDER BY k.key"

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
	rows, err := s.reader.QueryContext(ctx, selectCorrection+" ORDER BY id")
	all, err := sqlite.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, fmt.Errorf("list corrections: %w", err)
	}
	return all, nil
}

// CorrectionFor is the correction that says what an item without identifier is;
// nil where there is none.
func (s *Store) CorrectionFor(ctx context.Context, m viewing.Media) (*resolve.Correction, error) {
	if m.Identified() {
		return nil, nil
	}
	rows, err := s.reader.QueryContext(ctx, selectOfKeys, jsonArray(resolve.ClueOf(m).Keys()))
	all, err := sqlite.Collect(rows, err, scanCorrection)
	if err != nil {
		return nil, fmt.Errorf("look for a correction: %w", err)
	}
	return resolve.Telling(all, m), nil
}

// ForgetCorrection forgets a correction; what it has changed stays. The error
// wraps [entry.ErrNotFound] where there is none of that id.
func (s *Store) ForgetCorrection(ctx context.Context, id int64) error {
	err := s.write(ctx, func(t *tx) error {
		gone, err := t.Affect("DELETE FROM corrections WHERE id = ?", id)
		if err == nil && gone == 0 {
			err = entry.ErrNotFound
		}
		_, other := t.Exec("UPDATE entries SET correction = NULL WHERE correction = ?", id)
		return errors.Join(err, other)
	})
	if err != nil {
		return fmt.Errorf("forget correction %d: %w", id, err)
	}
	return nil
}
