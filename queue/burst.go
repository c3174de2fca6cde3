package queue

import (
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// burst counts the viewings of one source that ended within one minute. A person
// watches no more than a few; a source that has gone mad reports many. It is kept in
// memory alone.
type burst struct {
	since int64 // when the first of them ended
	count int   // those that nothing else holds
}

// overflows counts a viewing that is about to be sent, unless it never counts, as what a
// person adds by hand. It reports whether that is one more than a person can have watched.
func (t *tx) overflows(source string, v viewing.Event) bool {
	if t.settings.Wave < 1 || v.Kind != viewing.KindViewing || v.WatchedAt.Precision == viewing.Day || v.Class == viewing.ClassImport ||
		viewing.SourceKind(source) == viewing.SourceCLI {
		return false
	}
	b, known := t.bursts[source]
	if minute := time.Minute.Milliseconds(); !known || v.WatchedAt.Millis < b.since-minute || v.WatchedAt.Millis > b.since+minute {
		b = burst{since: v.WatchedAt.Millis}
	}
	b.count++
	if t.bursts == nil {
		t.bursts = map[string]burst{}
	}
	t.bursts[source] = b
	return b.count > t.settings.Wave
}

// burstStep says why a burst is held.
func (t *tx) burstStep(source string) entry.Step {
	return entry.Step{Code: "held.burst", Args: entry.Args{"source": source, "n": strconv.Itoa(t.settings.Wave)}}
}
