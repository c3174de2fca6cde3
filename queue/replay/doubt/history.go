package doubt

import (
	"cmp"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxAnchors is how many anchors of one form are looked for in a history.
const maxAnchors = 20

// Anchor is a viewing that the service has answered with success.
type Anchor struct {
	Media   viewing.Media
	Watched time.Time // its time, as it was sent
	Sent    time.Time // when it was sent, by this machine's clock

	records []time.Time // the item's records
}

// History is one reading of the history of one type.
type History struct {
	At       time.Time // when it began
	Complete bool      // all of it was read, and nothing moved meanwhile

	items   []tracker.HistoryItem
	anchors []Anchor
}

// NewHistory is a reading that began at that time, and what it shows of the anchors.
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

// form is how an item is named towards the service. Only items of one form
// tell anything of each other.
func namingForm(m viewing.Media) string {
	if m.Placed() {
		return "placed"
	}
	return string(m.Type)
}

// Read is what the history shows of a viewing, by a service that keeps times so.
func (h History) Read(m viewing.Media, watched time.Time, keeps Precision) Reading {
	r := Reading{At: h.At, Complete: h.Complete}
	r.Records, r.Vague = RecordTimes(h.items, m, watched)
	r.Anchor = slices.ContainsFunc(h.anchors, func(a Anchor) bool {
		return namingForm(a.Media) == namingForm(m) && slices.ContainsFunc(a.records, func(t time.Time) bool { return keeps.Same(t, a.Watched) })
	})
	return r
}

// Times are the times of an item's records. Vague: a record near that time may be
// the item's, but cannot be compared. Or a record of the item has no time.
func RecordTimes(records []tracker.HistoryItem, m viewing.Media, at time.Time) (all []time.Time, vague bool) {
	for _, h := range records {
		switch like := h.Compare(m); {
		case like == tracker.Alike && !h.WatchedAt.IsZero():
			all = append(all, h.WatchedAt)
		case like == tracker.Alike, like == tracker.Unclear && (h.WatchedAt.IsZero() || Day.Same(h.WatchedAt, at)):
			vague = true
		}
	}
	return all, vague
}

// Precision is how the service keeps times, by all anchors that the history shows: the
// coarsest way that explains them, and [Unknown] when it shows none. A viewing at a
// whole minute cannot tell seconds from minutes; one that was sent the moment it ended
// cannot tell its time from that of its arrival. Others can.
func (h History) Precision() Precision {
	shown := slices.DeleteFunc(slices.Clone(h.anchors), func(a Anchor) bool { return len(a.records) == 0 }) // taken away since
	if len(shown) == 0 {
		return Unknown
	}
	for _, way := range []Precision{Arrival, Day, Minute, Exact} {
		if !slices.ContainsFunc(shown, func(a Anchor) bool { return !a.explains(way) }) {
			if way == Day && len(shown) == 1 {
				return Unknown // one that merely arrived at a whole quarter would look the same
			}
			return way
		}
	}
	return Arrival // they contradict each other
}

// live is how close to its end a viewing may be sent for the time of arrival
// to pass for its own.
const arrivalWindow = 2 * time.Minute

// explains reports whether the service may keep times so, by the record that is closest
// to the anchor.
func (a Anchor) explains(way Precision) bool {
	shown := slices.MinFunc(a.records, func(s, t time.Time) int {
		return cmp.Compare(s.Sub(a.Watched).Abs(), t.Sub(a.Watched).Abs())
	})
	switch way {
	case Exact:
		return Exact.Same(shown, a.Watched)
	case Minute:
		return isMultipleOf(shown, time.Minute) && Minute.Same(shown, a.Watched)
	case Day:
		// A day's begin or noon in some zone; zones are quarters of an hour apart.
		return isMultipleOf(shown, 15*time.Minute) && Day.Same(shown, a.Watched)
	default:
		// That the milliseconds agree, or all is round, is no accident.
		agree := shown.Equal(a.Watched) && !isMultipleOf(shown, time.Second)
		near := Minute.Same(shown, a.Watched)
		return !agree && (near && a.Sent.Sub(a.Watched).Abs() < arrivalWindow || !near && !isMultipleOf(shown, 15*time.Minute))
	}
}

func isMultipleOf(t time.Time, unit time.Duration) bool { return t.UTC().Truncate(unit).Equal(t) }
