package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// waveSpan is the time in which a person watches no more than a few items.
const waveSpan = time.Minute

// Moment is when something ended, as a source told it with one event.
type Moment struct {
	Source string
	At     int64  // milliseconds since 1970 in UTC
	Items  string // what it was, all items of the event
	Entry  int64  // the first entry that was made of it
	Parts  int    // how many they are
}

// MomentOf is the moment of an event. It has none that is not a viewing, or of
// which only the day is known.
func MomentOf(source string, v viewing.Event) (m Moment, ok bool) {
	if v.Kind != viewing.KindViewing || v.WatchedAt.Precision == viewing.Day {
		return m, false
	}
	m = Moment{Source: source, At: v.WatchedAt.Millis}
	for _, item := range v.Media {
		m.Items += cmp.Or(item.Key(), item.Label()) + "\n"
	}
	return m, true
}

// Wave picks those that make a wave with the last one: more than limit different
// items of its source that ended within one minute. It is nil where there is none.
// However they are ordered, all of them are found by the time the last is told.
func Wave(limit int, moments []Moment) (caught []Moment) {
	if limit < 1 || len(moments) == 0 {
		return nil
	}
	last := moments[len(moments)-1]
	span := waveSpan.Milliseconds()
	var near []Moment
	for _, m := range moments {
		if m.Source == last.Source && m.At >= last.At-span && m.At <= last.At+span {
			near = append(near, m)
		}
	}
	slices.SortStableFunc(near, func(a, b Moment) int { return cmp.Compare(a.At, b.At) })
	end, done, items := 0, 0, map[string]int{}
	for begin := 0; begin < len(near) && near[begin].At <= last.At; begin++ {
		for end < len(near) && near[end].At <= near[begin].At+span {
			items[near[end].Items]++
			end++
		}
		if len(items) > limit {
			caught = append(caught, near[max(begin, done):end]...)
			done = end
		}
		if items[near[begin].Items]--; items[near[begin].Items] == 0 {
			delete(items, near[begin].Items)
		}
	}
	return caught
}
