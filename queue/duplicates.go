package queue

import (
	"database/sql"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// entryWithSources is an entry with all who saw the playback; of a new one the id is 0.
type entryWithSources struct {
	Entry
	sources []string
	runtime time.Duration // the longest that was reported; 0 when unknown
	unsure  bool          // its own source cannot tell whether, or when, it happened
}

// timeUnknown reports a day in the place of a time that nobody knows. Such an entry is never
// compared with others.
func (s entryWithSources) timeUnknown() bool { return s.unsure && s.WatchedAt.Precision == viewing.Day }

// isComparable reports whether an entry says anything of the playback. What a filter
// or a source has dropped is about their own sighting; what the user has dropped is
// about the playback.
func isComparable(e Entry) bool {
	switch e.State {
	case viewing.StateMerged:
		return e.Reason != viewing.ReasonSeenTwice
	case viewing.StateDropped:
		return e.Reason == viewing.ReasonUser
	default:
		return e.Kind == viewing.KindViewing
	}
}

// isUpgradable reports whether a better sighting may change an entry: no request for it
// has left, and no person holds it.
func isUpgradable(e Entry) bool {
	switch e.State {
	case viewing.StatePending:
		return e.Attempts == 0
	case viewing.StateHeld:
		return !playback.NeedsPerson(e.Reason) && e.Reason != viewing.ReasonApprove
	default:
		return e.State == viewing.StateRejected
	}
}

// isBetter reports whether a sighting may leave and the other one may not, or else
// knows the time where that knows only the day.
func isBetter(s, than Entry) bool {
	if leaves := s.State == viewing.StatePending; leaves != (than.State == viewing.StatePending) {
		return leaves
	}
	return than.WatchedAt.Precision == viewing.Day && s.WatchedAt.Precision != viewing.Day
}

const (
	selectInWindow = `SELECT n.id FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.happened_at BETWEEN ?2 AND ?3 AND v.source <> ?4`
	// selectNearby finds the entries about an item that ended within a time and were not
	// made of what the same source saw.
	selectNearby = selectInWindow + " AND n.item_key = ?5 AND n.item_key <> ''"
	// selectNearbyNumbered and selectPlaced find also those of episodes that are known by their own
	// number alone, and by their place. Of the former there are few, and they have an index:
	// many episodes may be marked at one time.
	selectNearbyNumbered = selectNearby + " UNION ALL " + selectInWindow + " AND n.item_key GLOB 'episode:*' AND n.item_key NOT GLOB '*:*:*'"
	selectNearbyPlaced   = selectNearby + " UNION ALL " + selectInWindow + " AND n.item_key GLOB 'episode:*:*:*'"
)

// findNearby are the entries that may be of the same playback.
func (t *tx) findNearby(s entryWithSources) []int64 {
	query := selectNearby
	switch {
	case s.Media.Type != viewing.Episode:
	case s.Media.Placed():
		query = selectNearbyNumbered
	default:
		query = selectNearbyPlaced
	}
	at, reach := s.WatchedAt.Millis, playback.MaxGap.Milliseconds()
	return slices.Sorted(slices.Values(t.numbers(query, s.Account, at-reach, at+reach, s.Source, s.Key())))
}

// sameItem reports whether two items are one that [tx.findNearby] has found for each other. An episode
// that is known by its own number is the one at a place that has this number too, or else the
// same season and number of a series of the same name.
func sameItem(a, b viewing.Media) bool {
	switch {
	case a.Key() == b.Key():
		return true
	case a.IDs.TMDB > 0 && b.IDs.TMDB > 0:
		return a.IDs.TMDB == b.IDs.TMDB
	case a.Show == nil || b.Show == nil || a.Season == nil || b.Season == nil || a.Episode == nil || b.Episode == nil:
		return false
	default:
		return *a.Season == *b.Season && *a.Episode == *b.Episode && resolve.SameName(a.Show.Title, b.Show.Title)
	}
}

// duplicateOf finds the entry of the same playback whose end is the nearest; nil for
// none. No source may have seen both: what one source reports twice happened twice. What
// a person has done to s (asked) weighs more than that they dropped another one before.
// What is imported from Kodi is compared before it is handed over, and before it is sent.
func (t *tx) duplicateOf(s entryWithSources, asked bool) (nearest *entryWithSources) {
	if s.Kind != viewing.KindViewing || s.State == viewing.StateDropped || s.Key() == "" || s.timeUnknown() ||
		s.Class == viewing.ClassImport && viewing.SourceKind(s.Source) == viewing.SourceKodi {
		return nil
	}
	end := func(s entryWithSources) playback.End {
		return playback.End{At: s.WatchedAt.Instant, Type: s.Media.Type, Runtime: s.runtime}
	}
	var least time.Duration
	for _, id := range t.findNearby(s) {
		e := t.entry(id)
		if !isComparable(e) || !sameItem(*s.Media, *e.Media) || asked && e.State == viewing.StateDropped {
			continue
		}
		o := t.withSources(e)
		shared := slices.ContainsFunc(s.sources, func(source string) bool { return slices.Contains(o.sources, source) })
		if shared || o.timeUnknown() || !playback.TwoSources.Same(end(s), end(*o)) {
			continue
		}
		if apart := playback.Gap(s.WatchedAt.Instant, o.WatchedAt.Instant); nearest == nil || apart < least {
			nearest, least = o, apart
		}
	}
	return nearest
}

// selectSightings reads who saw the playback of an entry, and how long they say the
// item is.
const selectSightings = `SELECT v.source, iif(json_valid(v.body), max(coalesce(json_extract(v.body, '$.progress.duration'), 0.0),
		coalesce(json_extract(v.body, '$.origin.runtime'), 0.0)), 0.0), own AND iif(json_valid(v.body), json_extract(v.body, '$.unsure') IS 1, 0) FROM (
		SELECT event, 1 AS own FROM entries WHERE id = ?1 UNION ALL SELECT event, 0 FROM witnesses WHERE entry = ?1
	) AS sighting JOIN events AS v ON v.id = sighting.event`

// withSources adds to an entry who saw it.
func (t *tx) withSources(e Entry) *entryWithSources {
	s := &entryWithSources{Entry: e}
	selectRows(t, func(r *sql.Rows) (struct{}, error) {
		var source string
		var seconds float64
		var unsure bool
		err := r.Scan(&source, &seconds, &unsure)
		s.unsure = s.unsure || unsure
		s.sources = append(s.sources, source)
		s.runtime = max(s.runtime, playback.RuntimeOf(seconds))
		return struct{}{}, err
	}, selectSightings, e.ID)
	return s
}

// seenByOtherSource reports whether another source has seen the playback of an entry, too.
func (t *tx) seenByOtherSource(id int64, source string) bool {
	return len(t.numbers("SELECT 1 FROM witnesses AS w JOIN events AS v ON v.id = w.event WHERE w.entry = ? AND v.source <> ?", id, source)) > 0
}

// mergeSighting makes a sighting part of an entry of the same playback. The entry stays, and
// takes time, class and state from a better one.
func (t *tx) mergeSighting(into *Entry, s Entry, step entry.Step) {
	t.nudge = true
	step.Args["source"], step.Args["apart"] = s.Source, playback.FormatGap(s.WatchedAt.Instant, into.WatchedAt.Instant)
	if !isUpgradable(*into) || !isBetter(s, *into) {
		t.step(into.ID, step)
		return
	}
	before := *into
	into.WatchedAt, into.Class, into.Lane, into.NextAt = s.WatchedAt, s.Class, s.Lane, s.NextAt
	if s.State == viewing.StatePending && into.NextAt.IsZero() {
		into.NextAt = t.dueSince(s)
	}
	t.rewrite(before, into)
	step.Code += ".better"
	t.transition(into, s.State, s.Reason, step)
}

// mergeDuplicate compares an entry that has changed with those of other sources: it
// may be the same playback as another now, and is merged into that. What a request has
// left for stays, and takes the other one in.
func (t *tx) mergeDuplicate(id int64, asked bool) {
	e := t.entry(id)
	if e.State != viewing.StatePending && e.State != viewing.StateHeld {
		return
	}
	into := t.duplicateOf(*t.withSources(e), asked)
	switch {
	case into == nil:
	case e.Attempts > 0 && isUpgradable(into.Entry):
		t.merge(&into.Entry, &e)
	default:
		t.merge(&e, &into.Entry)
	}
}

// merge merges an entry into another, with all who saw it.
func (t *tx) merge(e, into *Entry) {
	t.exec(`INSERT OR IGNORE INTO witnesses (event, entry)
		SELECT event, ?2 FROM entries WHERE id = ?1 UNION ALL SELECT event, ?2 FROM witnesses WHERE entry = ?1`, e.ID, into.ID)
	before := *e
	t.transition(e, viewing.StateMerged, viewing.ReasonSeenTwice, entry.Step{Code: "merged", Args: entry.Args{
		"entry": number(into.ID), "source": into.Source, "apart": playback.FormatGap(into.WatchedAt.Instant, e.WatchedAt.Instant),
	}})
	t.mergeSighting(into, before, entry.Step{Code: "sighting.merged", Args: entry.Args{"entry": number(e.ID)}})
}
