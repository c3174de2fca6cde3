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

// entryWithSources is an entry with the sources of all its sightings. The id of a new entry is 0.
type entryWithSources struct {
	Entry
	sources []string
	runtime time.Duration // the longest one reported; 0 if unknown
	unsure  bool          // the [viewing.Event.Unsure] of its own event
}

// timeUnknown reports whether the day of the viewing is only a guess. Such an entry is never
// compared with others.
func (s entryWithSources) timeUnknown() bool { return s.unsure && s.WatchedAt.Precision == viewing.Day }

// isComparable reports whether an entry can be a duplicate of a new sighting. Entries that a
// filter or their source dropped are not compared, because that was about their own sighting; a
// drop by a person is about the playback.
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

// isUpgradable reports whether a better sighting may change an entry: no request was sent for it,
// and no person holds it.
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

// isBetter reports whether s may be sent and the other one may not. If both may, or neither, it
// reports whether only s knows the time and not just the day.
func isBetter(s, than Entry) bool {
	if leaves := s.State == viewing.StatePending; leaves != (than.State == viewing.StatePending) {
		return leaves
	}
	return than.WatchedAt.Precision == viewing.Day && s.WatchedAt.Precision != viewing.Day
}

const (
	selectInWindow = `SELECT n.id FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.happened_at BETWEEN ?2 AND ?3 AND v.source <> ?4`
	// selectNearby selects the entries about an item that ended within a period and whose
	// event is of another source.
	selectNearby = selectInWindow + " AND n.item_key = ?5 AND n.item_key <> ''"
	// An episode may be known by its series, season and number, or only by its own TMDB id.
	// selectNearbyNumbered adds all episodes with an id only, selectNearbyPlaced those with
	// season and number. The former are few and have an index.
	selectNearbyNumbered = selectNearby + " UNION ALL " + selectInWindow + " AND n.item_key GLOB 'episode:*' AND n.item_key NOT GLOB '*:*:*'"
	selectNearbyPlaced   = selectNearby + " UNION ALL " + selectInWindow + " AND n.item_key GLOB 'episode:*:*:*'"
)

// findNearby returns the ids of the entries of other sources that may be the same playback.
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

// sameItem reports whether two items from [tx.findNearby] are the same. An episode known by its
// TMDB id alone is the same as one with season and number if that has the same id, or else the
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

// duplicateOf returns the entry of the same playback whose end is nearest to that of s; nil
// if none exists. Entries that share a source are never duplicates: one source that reports two
// viewings saw two. With byPerson, because a person has just acted on s, entries that were
// dropped are ignored. Imports from Kodi are compared elsewhere: in package kodi before they are
// committed, and in package replay before they are sent.
func (t *tx) duplicateOf(s entryWithSources, byPerson bool) (nearest *entryWithSources) {
	if s.Kind != viewing.KindViewing || s.State == viewing.StateDropped || s.Key() == "" || s.timeUnknown() ||
		s.Class == viewing.ClassImport && viewing.SourceKind(s.Source) == viewing.SourceKodi {
		return nil
	}
	end := func(s entryWithSources) playback.End {
		return playback.End{At: s.WatchedAt.Instant, Type: s.Media.Type, Runtime: s.runtime}
	}
	var smallest time.Duration
	for _, id := range t.findNearby(s) {
		e := t.entry(id)
		if !isComparable(e) || !sameItem(*s.Media, *e.Media) || byPerson && e.State == viewing.StateDropped {
			continue
		}
		other := t.withSources(e)
		shared := slices.ContainsFunc(s.sources, func(source string) bool { return slices.Contains(other.sources, source) })
		if shared || other.timeUnknown() || !playback.TwoSources.Same(end(s), end(*other)) {
			continue
		}
		if apart := playback.Gap(s.WatchedAt.Instant, other.WatchedAt.Instant); nearest == nil || apart < smallest {
			nearest, smallest = other, apart
		}
	}
	return nearest
}

// selectSightings returns the sources of an entry's sightings, and the running time and the flag
// "unsure" that they reported.
const selectSightings = `SELECT v.source, iif(json_valid(v.body), max(coalesce(json_extract(v.body, '$.progress.duration'), 0.0),
		coalesce(json_extract(v.body, '$.origin.runtime'), 0.0)), 0.0), own AND iif(json_valid(v.body), json_extract(v.body, '$.unsure') IS 1, 0) FROM (
		SELECT event, 1 AS own FROM entries WHERE id = ?1 UNION ALL SELECT event, 0 FROM witnesses WHERE entry = ?1
	) AS sighting JOIN events AS v ON v.id = sighting.event`

// withSources adds to an entry the sources of its sightings.
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

// seenByOtherSource reports whether an entry has a sighting of another source.
func (t *tx) seenByOtherSource(id int64, source string) bool {
	return len(t.numbers("SELECT 1 FROM witnesses AS w JOIN events AS v ON v.id = w.event WHERE w.entry = ? AND v.source <> ?", id, source)) > 0
}

// mergeSighting records the sighting s, of the same playback, in an entry. If s is better and the
// entry may still change, it takes over the time, class and state of s.
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

// mergeDuplicate compares a changed entry with those of other sources, and merges it into its
// duplicate if there is one. If a request was sent for the changed entry only, the duplicate is
// merged into it instead.
func (t *tx) mergeDuplicate(id int64, byPerson bool) {
	e := t.entry(id)
	if e.State != viewing.StatePending && e.State != viewing.StateHeld {
		return
	}
	into := t.duplicateOf(*t.withSources(e), byPerson)
	switch {
	case into == nil:
	case e.Attempts > 0 && isUpgradable(into.Entry):
		t.merge(&into.Entry, &e)
	default:
		t.merge(&e, &into.Entry)
	}
}

// merge merges an entry, with all its sightings, into another one.
func (t *tx) merge(e, into *Entry) {
	t.exec(`INSERT OR IGNORE INTO witnesses (event, entry)
		SELECT event, ?2 FROM entries WHERE id = ?1 UNION ALL SELECT event, ?2 FROM witnesses WHERE entry = ?1`, e.ID, into.ID)
	before := *e
	t.transition(e, viewing.StateMerged, viewing.ReasonSeenTwice, entry.Step{Code: "merged", Args: entry.Args{
		"entry": number(into.ID), "source": into.Source, "apart": playback.FormatGap(into.WatchedAt.Instant, e.WatchedAt.Instant),
	}})
	t.mergeSighting(into, before, entry.Step{Code: "sighting.merged", Args: entry.Args{"entry": number(e.ID)}})
}
