package queue

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Correcting is a correction to be made.
type Correcting struct {
	// Entry is the one that the person looked at: it is changed in any case, and
	// tells what is remembered. With 0, Told does.
	Entry int64
	Told  viewing.Media
	// Is is the film or series that is meant; of an episode its series.
	Is identity.Candidate
	// Season and Episode are the place of that entry alone; nil leaves what it is.
	// Where the source told another place, nothing is remembered.
	Season, Episode *int
}

// Correct notes what a person says that a film or series is. Whatever waits and
// was told alike follows in the same transaction, unless a person has changed it
// or put it aside. What has begun to leave stays. An entry may be pending, held or
// rejected. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a [*StateError]) or
// [viewing.ErrInvalid].
func (s *Store) Correct(ctx context.Context, c Correcting) (did identity.Corrected, err error) {
	err = s.write(ctx, func(t *tx) (err error) {
		if did, err = t.correction(c); err != nil {
			return err
		}
		others, err := t.together(c)
		did.AlsoChanged += others
		return err
	})
	return did, err
}

func (t *tx) correction(c Correcting) (did identity.Corrected, err error) {
	told, was, trusted := c.Told, "", true
	if c.Entry != 0 {
		if told, was, trusted, err = t.correctEntry(c); err != nil {
			return did, err
		}
	}
	clue := identity.ClueOf(told)
	switch {
	case c.Is.Type != clue.Kind || c.Is.TMDB < 1:
		return did, fmt.Errorf("fix: %w", &viewing.FieldError{Field: "type", Problem: "is not the kind of item that was told"})
	case !trusted || told.Unsure:
		return did, nil
	}
	clue.IDs.TMDB = 0 // found out, and not told
	for _, by := range slices.Backward(clue.Each()) {
		now, before, err := t.remember(by, c.Is)
		if err == nil && now.ID == 0 {
			continue
		}
		if err == nil && c.Entry != 0 {
			err = t.credit(c.Entry, by)
		}
		if err != nil {
			return did, err
		}
		changed, err := t.follow(now, c.Entry, was)
		if err != nil {
			return did, err
		}
		did = identity.Corrected{Remembered: &now, Before: cmp.Or(before, did.Before), AlsoChanged: did.AlsoChanged + changed}
	}
	if r := did.Remembered; r != nil {
		_, err = t.Find("SELECT count(*) FROM corrected WHERE key = ?", []any{r.Told.Key()}, &r.Entries)
	}
	return did, err
}

// Correctable refuses an entry that [Store.Correct] cannot change, with a
// [*StateError].
func Correctable(e Entry) error {
	if e.Media == nil {
		return &StateError{Verb: "fix", ID: e.ID, State: e.State, Reason: "it names no film or series"}
	}
	return changeable("fix", e)
}

// correctEntry gives an entry the identity that a person has chosen. It says what
// its source told, the key that it had, and whether that may be remembered. A
// number of TMDB that the source itself told is that of another work, and so may be
// all else it told. With another place than was told, the site counts by itself: the
// others of the series would follow with wrong numbers.
func (t *tx) correctEntry(c Correcting) (told viewing.Media, was string, trusted bool, err error) {
	id, is := c.Entry, c.Is
	e, err := t.entry(id)
	if err != nil {
		return told, "", false, fmt.Errorf("fix entry %d: %w", id, err)
	}
	if err := Correctable(e); err != nil {
		return told, "", false, err
	}
	if is.Type != identity.ClueOf(*e.Media).Kind {
		return *e.Media, "", false, nil // it is refused
	}
	told, trusted, err = t.told(e)
	if err != nil {
		return told, "", false, err
	}
	m := is.Apply(placed(*e.Media, told))
	m.Season, m.Episode = cmp.Or(c.Season, m.Season), cmp.Or(c.Episode, m.Episode)
	next, err := applied(entry.Edit{Media: &m}, e, schema.Time(t.now))
	if err == nil {
		err = t.edit(e, next)
	}
	if err != nil {
		return told, "", false, fmt.Errorf("fix entry %d: %w", id, err)
	}
	return told, e.Media.Key(), trusted && !identity.Moved(told, m), t.step(id, stepCorrected, identity.Correction{Is: is}.Said())
}

// placed is an item with the season and number of another.
func placed(m, of viewing.Media) viewing.Media {
	m.Season, m.Episode = of.Season, of.Episode
	return m
}

// told is what an entry's source told of its item, before anybody found out more,
// but for the place that a person gave it. It is not to be trusted where its
// identifier is the source's own, what the source told last is not known, or a person
// gave it another place.
func (t *tx) told(e Entry) (m viewing.Media, trusted bool, err error) {
	var body []byte
	var amended, found, by bool
	_, err = t.Find(`SELECT v.body, EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what = 'amended'),
			EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what = ?2) OR EXISTS (SELECT 1 FROM corrected WHERE entry = n.id),
			EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what = ?3)
		FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?1`, []any{e.ID, stepResolved, edited}, &body, &amended, &found, &by)
	if err != nil {
		return *e.Media, false, err
	}
	var original viewing.Event
	if json.Unmarshal(body, &original) != nil || len(original.Media) == 0 {
		return *e.Media, false, nil // lost to damage
	}
	first := original.Media[e.Part%len(original.Media)]
	trusted = !first.Identified() && (found || !amended || !e.Media.Identified())
	if amended || first.Type != e.Media.Type {
		return *e.Media, trusted && !by, nil
	}
	if by {
		trusted = trusted && !identity.Moved(first, *e.Media)
		first = placed(first, *e.Media)
	}
	return first, trusted, nil
}

// remember writes a correction; before is what it takes the place of. It has no id
// where it is not remembered: two works of one site have the title.
func (t *tx) remember(told identity.Clue, is identity.Candidate) (now identity.Correction, before *identity.Candidate, err error) {
	was, err := t.corrections(told)
	was = slices.DeleteFunc(was, func(c identity.Correction) bool { return c.Told.Key() != told.Key() })
	if err != nil || len(was) > 0 && told.Site != nil && was[0].Told.Contradicts(told) {
		return now, nil, err
	}
	if len(was) > 0 && was[0].Is.TMDB > 0 && was[0].Is.TMDB != is.TMDB {
		before = &was[0].Is
	}
	now = identity.Correction{Told: told, Is: is, Since: schema.Time(t.now)}
	body, err := schema.JSON(now)
	if err != nil {
		return now, nil, err
	}
	_, err = t.Find("INSERT INTO corrections (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id",
		[]any{told.Key(), body}, &now.ID)
	return now, before, err
}

// corrections are those of a clue's keys, in their order.
func (t *tx) corrections(told identity.Clue) ([]identity.Correction, error) {
	keys, err := schema.JSON(told.Keys())
	if err != nil {
		return nil, err
	}
	rows, err := t.Query(selectOfKeys, keys)
	return disk.Collect(rows, err, scanCorrection)
}

// corrected is an item with the identity that a person has given to what is told
// alike, and the correction; nil where there is none, or nobody need be asked.
func (t *tx) corrected(m *viewing.Media) (*viewing.Media, *identity.Correction, error) {
	if m == nil || m.Identified() || m.Unsure {
		return m, nil, nil
	}
	all, err := t.corrections(identity.ClueOf(*m))
	if said := identity.Telling(all, *m); said != nil {
		is := said.Is.Apply(*m)
		return &is, said, err
	}
	return m, nil, err
}

// credit notes that an entry has its identity from the correction of a clue.
func (t *tx) credit(id int64, of identity.Clue) error {
	_, err := t.Exec("INSERT OR REPLACE INTO corrected (entry, key) VALUES (?, ?)", id, of.Key())
	return err
}

// selectAlike finds three kinds of entries. Some have no identifier (index
// entries_open). Some have it from the correction as it was before. Of some, others
// found out that they are the same (entries_unfinished, entries_settled). The words
// are those of the indexes.
const selectAlike = `SELECT n.id, n.media, 0 FROM entries AS n
	WHERE (n.state = 'sending' OR n.state = 'held' OR n.state = 'in_doubt' OR n.state = 'rejected')
		AND n.state = 'held' AND n.item_key = '' AND n.media IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what IN ('user', ?2))
	UNION ALL SELECT n.id, n.media, 1 FROM corrected AS d JOIN entries AS n ON n.id = d.entry
	WHERE d.key = ?1 AND (n.state = 'pending' OR n.state = 'held')` +
	selectSame + `(n.state = 'pending' OR n.state = 'sending' OR n.state = 'in_doubt') AND n.state = 'pending'` +
	selectSame + `(n.state = 'held' OR n.state = 'delivered' OR n.state = 'rejected' OR n.state = 'dropped' OR n.state = 'merged') AND n.state = 'held'`

// selectSame finds what others found out to be the same as the entry that was named.
const selectSame = `
	UNION ALL SELECT n.id, n.media, 1 FROM (SELECT name FROM accounts UNION SELECT account FROM entries WHERE id = ?3) AS a
	CROSS JOIN entries AS n ON n.account = a.name AND n.item_key BETWEEN ?4 AND ?5 AND n.item_key <> ''
	WHERE EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what = ?6)
		AND NOT EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what IN ('user', ?2)) AND `

// follow gives what waits and was told alike its identity by a correction, but
// for the entry that was named. It had the key was; of an episode, all of its series
// count.
func (t *tx) follow(c identity.Correction, named int64, was string) (changed int64, err error) {
	last := was
	if parts := strings.Split(was, ":"); len(parts) == 4 {
		was, last = strings.Join(parts[:2], ":")+":", strings.Join(parts[:2], ":")+";" // ; comes after :
	}
	rows, err := t.Query(selectAlike, c.Told.Key(), edited, named, was, last, stepResolved)
	alike, err := disk.Collect(rows, err, func(r *sql.Rows) (id int64, err error) {
		var text []byte
		var m viewing.Media
		var before bool
		if err := r.Scan(&id, &text, &before); err != nil {
			return 0, err
		}
		if json.Unmarshal(text, &m) != nil || m.Identified() && !before || !c.Tells(m) {
			id = named // damaged, or another one
		}
		return id, nil
	})
	if err != nil {
		return 0, err
	}
	alike = slices.DeleteFunc(alike, func(id int64) bool { return id == named })
	for _, id := range alike {
		did, err := t.followOne(id, c, nil)
		if err != nil {
			return 0, fmt.Errorf("fix entry %d: %w", id, err)
		}
		changed += did
	}
	return changed, nil
}

// together gives what other accounts have of the same item of the event its identity
// and place, unless a person has decided about it.
func (t *tx) together(c Correcting) (changed int64, err error) {
	rows, err := t.Query(`SELECT n.id FROM entries AS e JOIN events AS v ON v.id = e.event
			JOIN entries AS n ON n.id BETWEEN v.entry AND v.entry + v.parts - 1 AND n.event = e.event AND n.part = e.part
		WHERE e.id = ?1 AND n.id <> ?1 AND NOT EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what IN ('user', ?2))`, c.Entry, edited)
	others, err := disk.Collect(rows, err, func(r *sql.Rows) (id int64, err error) { return id, r.Scan(&id) })
	for _, id := range others {
		named, err := t.entry(c.Entry)
		if err != nil {
			return 0, err
		}
		did, err := t.followOne(id, identity.Correction{Is: c.Is}, named.Media)
		if err != nil {
			return 0, fmt.Errorf("fix entry %d: %w", id, err)
		}
		changed += did
	}
	return changed, err
}

// followOne gives one entry its identity, unless it has met another meanwhile or
// a person has put it aside. Its place is that of at; of nil, what its source told.
func (t *tx) followOne(id int64, c identity.Correction, at *viewing.Media) (changed int64, err error) {
	e, err := t.entry(id)
	waits := e.State == viewing.StatePending || e.State == viewing.StateHeld && !playback.ByHand(e.Reason)
	if err != nil || !waits || identity.ClueOf(*e.Media).Kind != c.Is.Type {
		return 0, err
	}
	told, _, err := t.told(e)
	if err != nil {
		return 0, err
	}
	m := c.Is.Apply(placed(*e.Media, *cmp.Or(at, &told)))
	if m.Key() == e.Media.Key() {
		return 0, nil
	}
	var one int64
	shared, err := t.Find("SELECT 1 FROM witnesses AS w JOIN events AS v ON v.id = w.event WHERE w.entry = ? AND v.source <> ?", []any{id, e.Source}, &one)
	if err != nil {
		return 0, err
	}
	if shared && e.Media.Identified() {
		return 0, t.note(id, c.Said()+" But another source saw it too, so it stays as it is.")
	}
	return 1, t.follows(e, m, c)
}

// follows gives an entry its identity by a correction, and notes that one where it
// is remembered.
func (t *tx) follows(e Entry, m viewing.Media, c identity.Correction) error {
	if err := t.identify(e, m, stepCorrected, c.Said()); err != nil || c.Told.Key() == "" {
		return err
	}
	return t.credit(e.ID, c.Told)
}

// stepCorrected is what a step is called by which a correction gave an entry its
// identity.
const stepCorrected = "corrected"

// ForgetCorrection forgets a correction; what it has changed stays. The error
// wraps [entry.ErrNotFound] where there is none of that id.
func (s *Store) ForgetCorrection(ctx context.Context, id int64) error {
	err := s.write(ctx, func(t *tx) error {
		gone, err := t.Affect("DELETE FROM corrections WHERE id = ?", id)
		if err == nil && gone == 0 {
			return entry.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget correction %d: %w", id, err)
	}
	return nil
}
