package queue

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

const selectEntry = "SELECT " + entryColumns + " FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?"

// entry reads one entry as the transaction sees it.
func (t *tx) entry(id int64) (Entry, error) {
	entries, err := sqlite.All(t.Tx, scanEntry, selectEntry, id)
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 {
		return Entry{}, entry.Missing(id)
	}
	return entries[0], nil
}

// transition puts an entry into another state and writes the step that says why,
// unless its code is "". Nothing else changes a state. It counts the change and keeps
// what depends on the state: when the entry was settled, its doubt, and whether the
// service is asked what it is. The step's cause becomes that of the entry. It writes
// what stands in e of touches, attempts, revision and the service's id, and e.NextAt unless
// that is zero; a time that stays was planned when it was.
// The items of a list are dropped with it.
func (t *tx) transition(e *Entry, to viewing.State, reason string, s entry.Step) error {
	was := *e
	e.State, e.Reason, e.SettledAt = to, reason, time.Time{}
	if to.Finished() {
		e.SettledAt = millis(t.now)
	}
	if s.Cause != nil || to != was.State {
		e.Cause = s.Cause
	}
	_, err := t.Exec(`UPDATE entries SET state = ?, reason = ?, cause = ?, settled_at = ?, touched = ?, attempts = ?, revision = ?, remote_id = nullif(?, ''),
		next_at = coalesce(?9, next_at), planned_at = iif(coalesce(?9, next_at) = next_at, planned_at, ?10) WHERE id = ?11`,
		string(to), reason, asJSON{e.Cause}, timeOrNull(e.SettledAt), int(e.Touched), e.Attempts, e.Revision, e.RemoteID, timeOrNull(e.NextAt), t.now, e.ID)
	if err != nil {
		return err
	}
	t.count(e.Account, was.State, -1)
	t.count(e.Account, to, 1)
	if was.State == viewing.StateInDoubt && to == viewing.StatePending || to.Finished() || to == viewing.StateHeld {
		if _, err := t.Exec("DELETE FROM doubts WHERE entry = ?", e.ID); err != nil {
			return err
		}
	}
	if root := rootOf(*e); root != rootOf(was) {
		if _, err := t.Exec("UPDATE entries SET root = ? WHERE id = ?", root, e.ID); err != nil {
			return err
		}
	}
	if err := t.keepLookup(was, *e); err != nil {
		return err
	}
	if s.Code != "" {
		s.From, s.Reason = was.State, was.Reason
		if err := t.step(e.ID, s); err != nil {
			return err
		}
	}
	if to == viewing.StateDropped && e.Kind == viewing.KindList {
		return t.dropItems(e.ID)
	}
	return nil
}

// rewrite writes what else has changed of an entry since it was read: its item, time,
// class and lane. The next request for it is another act.
func (t *tx) rewrite(was Entry, e *Entry) error {
	e.Revision++
	words, err := t.learn(*e)
	if err != nil {
		return err
	}
	millis, whole := watchedColumns(e.WatchedAt.Instant)
	_, err = t.Exec(`UPDATE entries SET media = ?, item_key = ?, reported = ?, correction = ?, watched_at = ?, watched = ?,
		class = ?, lane = ?, revision = ?, touched = ?, words = ?, root = iif(root IS NULL, NULL, ?) WHERE id = ?`,
		asJSON{e.Media}, e.Key(), asJSON{e.Reported}, idOrNull(e.Correction), millis, whole,
		string(e.Class), int(e.Lane), e.Revision, int(e.Touched), words, rootOf(*e), e.ID)
	if err != nil {
		return err
	}
	t.nudge = true
	return t.keepLookup(was, *e)
}

// asks reports whether the service may be asked what an entry is: it is held, and
// has no identifier.
func asks(e Entry) bool {
	if e.State != viewing.StateHeld || e.Media == nil || e.Key() != "" {
		return false
	}
	switch e.Reason {
	case viewing.ReasonUnresolved, viewing.ReasonBulk, viewing.ReasonBackdated, viewing.ReasonReview, viewing.ReasonFuture, viewing.ReasonWave:
		return true
	default:
		return false
	}
}

// unidentifiedRows chooses the entries that [asks] is true for.
const unidentifiedRows = `(state = 'held' AND item_key = '' AND media IS NOT NULL
	AND reason IN ('unresolved', 'bulk', 'backdated', 'review', 'future', 'wave'))`

// keepLookup keeps the list of the entries that the service is asked about. Answers
// about other words mean nothing any more.
func (t *tx) keepLookup(was, is Entry) (err error) {
	other := was.Key() != is.Key() || was.Media != is.Media
	switch {
	case !asks(is) && asks(was):
		_, err = t.Exec("DELETE FROM lookups WHERE entry = ?", is.ID)
	case asks(is) && (!asks(was) || other || was.Reason != is.Reason):
		_, err = t.Exec(`INSERT INTO lookups (entry, account, ask_at) VALUES (?1, ?2, 0) ON CONFLICT (entry)
			DO UPDATE SET ask_at = 0, asked = 0, candidates = iif(?3, NULL, candidates)`, is.ID, is.Account, other)
	}
	return err
}

// step notes what was decided about an entry.
func (t *tx) step(id int64, s entry.Step) error {
	_, err := t.Exec(`INSERT INTO steps (entry, number, at, code, from_state, reason, args, cause)
		SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7 FROM steps WHERE entry = ?1`,
		id, t.now, s.Code, string(s.From), s.Reason, asJSON{s.Args}, asJSON{s.Cause})
	return err
}

// note writes a step that changes nothing, once.
func (t *tx) note(id int64, s entry.Step) error {
	before, err := sqlite.All(t.Tx, scanStep, "SELECT at, code, from_state, reason, args, cause FROM steps WHERE entry = ? AND code = ?", id, s.Code)
	noted := slices.ContainsFunc(before, func(b entry.Step) bool { return maps.Equal(b.Args, s.Args) && reflect.DeepEqual(b.Cause, s.Cause) })
	if err != nil || noted {
		return err
	}
	return t.step(id, s)
}

// dueSince is when an entry is due that is let go: since it happened, so that the
// oldest leaves first, and never later than now.
func (t *tx) dueSince(e Entry) time.Time {
	return millis(min(e.Place().At, t.now))
}
