package doubt

import (
	"cmp"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxAnchors is how many anchors of one naming form are searched in a history.
const maxAnchors = 20

// Anchor is a viewing that the service answered with 2xx: a working history contains it.
type Anchor struct {
	Media   viewing.Media
	Watched time.Time // its time, as it was sent
	Sent    time.Time // when it was sent, by this machine's clock

	records []time.Time // times of the item's records in the history
}

// History is one reading of the history of one type.
type History struct {
	At       time.Time // when it began
	Complete bool      // the whole history was read, and it did not change meanwhile

	items   []tracker.HistoryItem
	anchors []Anchor
}

// NewHistory returns the history of a reading that began at the given time, with the anchors'
// records in it.
func NewHistory(at time.Time, r tracker.Reading, anchors []Anchor) History {
	h := History{At: at, Complete: r.Complete, items: r.Items}
	count := map[string]int{}
	for _, a := range anchors {
		if count[namingForm(a.Media)]++; count[namingForm(a.Media)] <= maxAnchors {
			a.records, _ = RecordTimes(r.Items, a.Media, a.Watched)
			h.anchors = append(h.anchors, a)
		}
	}
	return h
}

// namingForm returns how requests name the item. An anchor proves something only about
// items of the same form.
func namingForm(m viewing.Media) string {
	if m.Placed() {
		return "placed"
	}
	return string(m.Type)
}

// Read returns what the history contains about a viewing, if the service stores times with
// that precision.
func (h History) Read(m viewing.Media, watched time.Time, p Precision) Reading {
	r := Reading{At: h.At, Complete: h.Complete}
	r.Records, r.Vague = RecordTimes(h.items, m, watched)
	r.Anchor = slices.ContainsFunc(h.anchors, func(a Anchor) bool {
		return namingForm(a.Media) == namingForm(m) && slices.ContainsFunc(a.records, func(t time.Time) bool { return p.Same(t, a.Watched) })
	})
	return r
}

// RecordTimes returns the times of an item's records. vague reports that a record of the
// item has no time, or that a record on the day of at may be the item's but cannot be
// compared.
func RecordTimes(records []tracker.HistoryItem, m viewing.Media, at time.Time) (all []time.Time, vague bool) {
	for _, h := range records {
		switch likeness := h.Compare(m); {
		case likeness == tracker.Same && !h.WatchedAt.IsZero():
			all = append(all, h.WatchedAt)
		case likeness == tracker.Same, likeness == tracker.Unclear && (h.WatchedAt.IsZero() || Day.Same(h.WatchedAt, at)):
			vague = true
		}
	}
	return all, vague
}

// Precision returns how precisely the service stores times: the coarsest precision that
// explains the records of all anchors in the history, or [Unknown] without any. One anchor
// may fit several: a time at a whole minute fits Exact and Minute, and a viewing sent as
// soon as it ended also fits Arrival.
func (h History) Precision() Precision {
	shown := slices.DeleteFunc(slices.Clone(h.anchors), func(a Anchor) bool { return len(a.records) == 0 }) // deleted since
	if len(shown) == 0 {
		return Unknown
	}
	for _, p := range []Precision{Arrival, Day, Minute, Exact} {
		if !slices.ContainsFunc(shown, func(a Anchor) bool { return !a.fits(p) }) {
			if p == Day && len(shown) == 1 {
				return Unknown // a time of arrival at a whole quarter of an hour would fit, too
			}
			return p
		}
	}
	return Arrival // they contradict each other
}

// arrivalWindow is how soon after its end a viewing must be sent for the time of arrival
// to look like its own time.
const arrivalWindow = 2 * time.Minute

// fits reports whether the anchor's closest record is what a service with that precision
// would store.
func (a Anchor) fits(p Precision) bool {
	shown := slices.MinFunc(a.records, func(s, t time.Time) int {
		return cmp.Compare(s.Sub(a.Watched).Abs(), t.Sub(a.Watched).Abs())
	})
	switch p {
	case Exact:
		return Exact.Same(shown, a.Watched)
	case Minute:
		return isMultipleOf(shown, time.Minute) && Minute.Same(shown, a.Watched)
	case Day:
		// Midnight or noon in some time zone; offsets are multiples of 15 minutes.
		return isMultipleOf(shown, 15*time.Minute) && Day.Same(shown, a.Watched)
	default:
		// Equal milliseconds, or a round time, are not a coincidence.
		agree := shown.Equal(a.Watched) && !isMultipleOf(shown, time.Second)
		near := Minute.Same(shown, a.Watched)
		return !agree && (near && a.Sent.Sub(a.Watched).Abs() < arrivalWindow || !near && !isMultipleOf(shown, 15*time.Minute))
	}
}

// isMultipleOf reports whether t is a whole multiple of unit in UTC.
func isMultipleOf(t time.Time, unit time.Duration) bool { return t.UTC().Truncate(unit).Equal(t) }
