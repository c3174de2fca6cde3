package queue

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// entry returns an entry as the transaction sees it. If it does not exist, the change fails with
// [entry.ErrNotFound]; see [tx].
func (t *tx) entry(id int64) Entry {
	entries := selectRows(t, scanEntry, selectEntries+"WHERE n.id = ?", id)
	if len(entries) == 0 {
		panic(txError{entry.Missing(id)})
	}
	return entries[0]
}

// transition changes the state of an entry. Nothing else does. It writes the step s unless its
// code is "", updates the counters, and keeps the dependent rows up to date: the time at which
// the entry was finished, its doubt, its lookup, and whether it counts in the statistics. The
// cause of the step becomes the cause of the entry. It also writes the Touched, Attempts,
// Revision, RemoteID and NextAt of e; a zero NextAt leaves the column as it is. Dropping a list
// drops its items.
func (t *tx) transition(e *Entry, to viewing.State, reason string, s entry.Step) {
	before := *e
	e.State, e.Reason, e.SettledAt = to, reason, time.Time{}
	if to.Finished() {
		e.SettledAt = millis(t.now)
	}
	if s.Cause != nil || to != before.State {
		e.Cause = s.Cause
	}
	t.exec(`UPDATE entries SET state = ?, reason = ?, cause = ?, settled_at = ?, touched = ?, attempts = ?, revision = ?, remote_id = nullif(?, ''),
		next_at = coalesce(?9, next_at), planned_at = iif(coalesce(?9, next_at) = next_at, planned_at, ?10) WHERE id = ?11`,
		string(to), reason, asJSON{e.Cause}, timeOrNull(e.SettledAt), int(e.Touched), e.Attempts, e.Revision, e.RemoteID, timeOrNull(e.NextAt), t.now, e.ID)
	t.count(e.Account, before.State, -1)
	t.count(e.Account, to, 1)
	if before.State == viewing.StateInDoubt && to == viewing.StatePending || to.Finished() || to == viewing.StateHeld {
		t.exec("DELETE FROM doubts WHERE entry = ?", e.ID)
	}
	if rootOf(*e) != rootOf(before) {
		t.recount(*e)
	}
	t.updateLookup(before, *e)
	if s.Code != "" {
		s.From, s.Reason = before.State, before.Reason
		t.step(e.ID, s)
	}
	if to == viewing.StateDropped && e.Kind == viewing.KindList {
		t.dropListItems(e.ID)
	}
}

// recount updates which of the entries of one viewing counts in the statistics: the first one
// that may. A merged entry counts as part of the entry that it was merged into.
func (t *tx) recount(e Entry) {
	counted := false
	for _, one := range selectRows(t, scanEntry, selectEntries+"WHERE n.event = (SELECT event FROM entries WHERE id = ?) AND n.part = ? ORDER BY n.id", e.ID, e.Part) {
		root := rootOf(one)
		root.Valid = root.Valid && !counted
		t.exec("UPDATE entries SET root = ? WHERE id = ?", root, one.ID)
		counted = counted || root.Valid || one.State == viewing.StateMerged
	}
}

// rewrite writes the item, time, class and lane of e, which were those of before, and raises its
// revision: the next request gets a new Idempotency-Key.
func (t *tx) rewrite(before Entry, e *Entry) {
	e.Revision++
	words := t.saveTitles(*e)
	millis, evidence := watchedColumns(e.WatchedAt.Instant)
	t.exec(`UPDATE entries SET media = ?, item_key = ?, reported = ?, correction = ?, watched_at = ?, watched = ?,
		class = ?, lane = ?, revision = ?, touched = ?, words = ?, root = iif(root IS NULL, NULL, ?) WHERE id = ?`,
		asJSON{e.Media}, e.Key(), asJSON{e.Reported}, idOrNull(e.Correction), millis, evidence,
		string(e.Class), int(e.Lane), e.Revision, int(e.Touched), words, rootOf(*e), e.ID)
	t.nudge = true
	t.updateLookup(before, *e)
}

// askableReasons are the reasons of held entries for which a lookup is useful.
var askableReasons = []string{
	viewing.ReasonUnresolved, viewing.ReasonBulk, viewing.ReasonBackdated, viewing.ReasonReview, viewing.ReasonFuture, viewing.ReasonBurst,
}

// isAskable reports whether a service may be asked to identify an entry: it is held for one of
// these reasons and has no identifier.
func isAskable(e Entry) bool {
	return e.State == viewing.StateHeld && e.Media != nil && e.Key() == "" && slices.Contains(askableReasons, e.Reason)
}

// askableRows is the SQL condition that equals [isAskable].
var askableRows = "(state = 'held' AND item_key = '' AND media IS NOT NULL AND reason IN ('" + strings.Join(askableReasons, "', '") + "'))"

// updateLookup adds or deletes the lookup of an entry that has changed. If its item has changed,
// the candidates of earlier lookups are deleted.
func (t *tx) updateLookup(before, after Entry) {
	other := before.Key() != after.Key() || before.Media != after.Media
	switch {
	case !isAskable(after) && isAskable(before):
		t.exec("DELETE FROM lookups WHERE entry = ?", after.ID)
	case isAskable(after) && (!isAskable(before) || other || before.Reason != after.Reason):
		t.exec(`INSERT INTO lookups (entry, account, ask_at) VALUES (?1, ?2, 0) ON CONFLICT (entry)
			DO UPDATE SET ask_at = 0, asked = 0, candidates = iif(?3, NULL, candidates)`, after.ID, after.Account, other)
	}
}

// step adds a step to an entry.
func (t *tx) step(id int64, s entry.Step) {
	t.exec(`INSERT INTO steps (entry, number, at, code, from_state, reason, args, cause)
		SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7 FROM steps WHERE entry = ?1`,
		id, t.now, s.Code, string(s.From), s.Reason, asJSON{s.Args}, asJSON{s.Cause})
}

// note adds a step that describes no change, unless the entry has the same one already.
func (t *tx) note(id int64, s entry.Step) {
	if len(t.numbers("SELECT 1 FROM steps WHERE entry = ? AND code = ? AND args IS ? AND cause IS ?", id, s.Code, asJSON{s.Args}, asJSON{s.Cause})) == 0 {
		t.step(id, s)
	}
}

// dueSince returns since when a released entry is due: the time at which it was watched, so that
// the oldest is sent first, but never later than now.
func (t *tx) dueSince(e Entry) time.Time {
	return millis(min(e.Position().At, t.now))
}
