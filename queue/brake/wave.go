package brake

import (
	"cmp"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// waveSpan is the time in which a person watches no more than a few items.
const waveSpan = time.Minute

// moment is when something ended, as a source told it with one event.
type moment struct {
	source string
	at     int64  // milliseconds since 1970 in UTC
	items  string // what it was, all items of the event
	entry  int64  // the first entry that was made of it
	parts  int    // how many they are
}

// momentOf is the moment of an event. It has none that is not a viewing, or of
// which only the day is known.
func momentOf(source string, v viewing.Event) (m moment, ok bool) {
	if v.Kind != viewing.KindViewing || v.WatchedAt.Precision == viewing.Day {
		return m, false
	}
	m = moment{source: source, at: v.WatchedAt.Millis}
	for _, item := range v.Media {
		m.items += cmp.Or(item.Key(), item.Label()) + "\n"
	}
	return m, true
}

// wave picks those that make a wave with the last one: more than limit different
// items of its source that ended within one minute. It is nil where there is none.
// However they are ordered, all of them are found by the time the last is told.
func wave(limit int, moments []moment) (caught []moment) {
	last := moments[len(moments)-1]
	span := waveSpan.Milliseconds()
	var near []moment
	for i := range moments { // those are many
		if m := &moments[i]; m.at >= last.at-span && m.at <= last.at+span && m.source == last.source {
			near = append(near, *m)
		}
	}
	slices.SortStableFunc(near, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	end, done, items := 0, 0, map[string]int{}
	for begin := 0; begin < len(near) && near[begin].at <= last.at; begin++ {
		for end < len(near) && near[end].at <= near[begin].at+span {
			items[near[end].items]++
			end++
		}
		if len(items) > limit {
			caught = append(caught, near[max(begin, done):end]...)
			done = end
		}
		if items[near[begin].items]--; items[near[begin].items] == 0 {
			delete(items, near[begin].items)
		}
	}
	return caught
}
