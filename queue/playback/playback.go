// Package playback answers one question: do two ends of an item belong to the
// same playback?
//
// It knows times only. Whether two ends are of the same item, who told of them
// and what follows from the answer is for whoever asks. How far the ends may lie
// apart depends on who asks, since each has other evidence and does other harm
// when the answer is wrong:
//
//	rule           two ends of one item, told by       within           running time unknown   only the day known
//	TwoSources     two sources, each once              running time,    film 40 min,           that day: less than
//	                                                   5 min to 6 h     episode 20 min         12 h from noon
//	BeforeSending  a source that did not see it live,  half the         film 20 min,           12 h from noon, or the
//	               and a record of the service         running time     episode 10 min         same date (see [MatchesRecord])
//	Import         Kodi's library, and what is known   less than half   film 20 min,           12 h from noon
//	                                                   of it            episode 10 min
//
// TwoSources merges, so its window is the one in which nobody can have watched
// the item twice. BeforeSending and Import leave out what would be a second
// record, and must not swallow a second viewing: they take half.
package playback

import (
	"math"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// End is the end of a playback, as one source told it.
type End struct {
	At      viewing.Instant
	Type    viewing.MediaType
	Runtime time.Duration // of the item; 0 when it is not known
}

// Rule is one way to ask.
type Rule int

// The rules; the package comment has their table.
const (
	TwoSources Rule = iota
	BeforeSending
	Import
)

// MaxGap is how far apart two ends can be at most that are one playback, by any
// rule.
const MaxGap = 12 * time.Hour

// MaxRuntime is the running time beyond which nothing is taken to run.
const MaxRuntime = 6 * time.Hour

// rules are the numbers of each rule.
var rules = [...]struct {
	share         time.Duration // 1 for the whole running time, 2 for half of it
	least, most   time.Duration // of that
	film, episode time.Duration // where the running time is not known
	less          bool          // the bound itself is another playback
	day           time.Duration // where a day alone is known; such a time is noon
}{
	TwoSources:    {share: 1, least: 5 * time.Minute, most: MaxRuntime, film: 40 * time.Minute, episode: 20 * time.Minute, day: MaxGap - time.Millisecond},
	BeforeSending: {share: 2, most: math.MaxInt64, film: 20 * time.Minute, episode: 10 * time.Minute, day: MaxGap},
	Import:        {share: 2, most: math.MaxInt64, film: 20 * time.Minute, episode: 10 * time.Minute, day: MaxGap, less: true},
}

// Window is how far apart two ends of an item may be whose times are known.
func (r Rule) Window(t viewing.MediaType, runtime time.Duration) time.Duration {
	within := rules[r].film
	switch {
	case runtime > 0:
		within = runtime / rules[r].share
	case t == viewing.Episode:
		within = rules[r].episode
	}
	return min(max(within, rules[r].least), rules[r].most)
}

// Same reports whether two ends of one item belong to the same playback. The
// first one says of what type the item is, the longer running time counts.
func (r Rule) Same(a, b End) bool {
	apart := Gap(a.At, b.At)
	if a.At.Precision == viewing.Day || b.At.Precision == viewing.Day {
		return apart <= rules[r].day
	}
	within := r.Window(a.Type, max(a.Runtime, b.Runtime))
	return apart < within || apart == within && !rules[r].less
}

// Gap is how far two times lie apart.
func Gap(a, b viewing.Instant) time.Duration {
	return time.Duration(max(a.Millis-b.Millis, b.Millis-a.Millis)) * time.Millisecond
}

// MatchesRecord reports whether a record of the service is of the playback that ended
// so, by [BeforeSending]. Where the service keeps days alone, a record of the
// same day is, too.
func MatchesRecord(record time.Time, days bool, e End) bool {
	apart := record.Sub(e.At.Time()).Abs()
	within := BeforeSending.Window(e.Type, e.Runtime)
	if e.At.Precision == viewing.Day {
		within = rules[BeforeSending].day
	}
	return apart <= within || days && sameDay(record, e.At)
}

// sameDay reports whether a record that only tells a day is of the viewing's
// day, in UTC or where it was watched: the record does not say in which zone.
func sameDay(record time.Time, at viewing.Instant) bool {
	day := record.UTC().Format(time.DateOnly)
	there := at.Time()
	if at.Offset != nil {
		there = there.Add(time.Duration(*at.Offset) * time.Second)
	}
	return day == at.Time().Format(time.DateOnly) || day == there.Format(time.DateOnly)
}

// NeedsPerson reports a reason to hold an entry of which only a person can know
// whether it may leave.
func NeedsPerson(reason string) bool {
	return reason == viewing.ReasonUser || reason == viewing.ReasonRestored
}

// RuntimeOf is a running time that a source told; it may have told anything.
func RuntimeOf(seconds float64) time.Duration {
	return time.Duration(min(seconds, MaxRuntime.Seconds()) * float64(time.Second))
}

// FormatGap is how much later one end is than another, to the second: "2m30s", "-2m0s",
// or "day" where one of them is known by its day alone.
func FormatGap(a, b viewing.Instant) string {
	if a.Precision == viewing.Day || b.Precision == viewing.Day {
		return "day"
	}
	return (time.Duration(a.Millis-b.Millis) * time.Millisecond).Round(time.Second).String()
}
