// Package playback answers one question: do two ends of an item belong to the same playback?
//
// It compares times only; the caller checks that the items are the same. How far apart the
// ends may be depends on the caller, because the evidence and the harm of a wrong answer
// differ:
//
//	rule           two ends of one item, reported by   at most          running time unknown   only the day known
//	TwoSources     two sources, each once              running time,    film 40 min,           that day: less than
//	                                                   5 min to 6 h     episode 20 min         12 h from noon
//	BeforeSending  a source that did not see it live,  half the         film 20 min,           12 h from noon, or the
//	               and a record of the service         running time     episode 10 min         same date (see [MatchesRecord])
//	Import         Kodi's library, and the entries     less than half   film 20 min,           12 h from noon
//	               that are known                      of it            episode 10 min
//
// TwoSources merges two reports: within the running time, the item cannot have been watched
// twice. BeforeSending and Import suppress a second record and must not suppress a second
// viewing: they use half of it.
package playback

import (
	"math"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// End is the end of a playback as one source reported it.
type End struct {
	At      viewing.Instant
	Type    viewing.MediaType
	Runtime time.Duration // of the item; 0 if unknown
}

// Rule selects the limits for a comparison.
type Rule int

// The rules; see the table in the package comment.
const (
	TwoSources Rule = iota
	BeforeSending
	Import
)

// MaxGap is the largest gap between two ends of one playback by any rule.
const MaxGap = 12 * time.Hour

// MaxRuntime is the upper limit of a plausible running time.
const MaxRuntime = 6 * time.Hour

// rules are the limits of each rule.
var rules = [...]struct {
	divisor       time.Duration // of the running time: 1 for all of it, 2 for half
	least, most   time.Duration // bounds of the quotient
	film, episode time.Duration // if the running time is unknown
	exclusive     bool          // a gap equal to the limit is another playback
	day           time.Duration // if only the day is known; such a time is noon
}{
	TwoSources:    {divisor: 1, least: 5 * time.Minute, most: MaxRuntime, film: 40 * time.Minute, episode: 20 * time.Minute, day: MaxGap - time.Millisecond},
	BeforeSending: {divisor: 2, most: math.MaxInt64, film: 20 * time.Minute, episode: 10 * time.Minute, day: MaxGap},
	Import:        {divisor: 2, most: math.MaxInt64, film: 20 * time.Minute, episode: 10 * time.Minute, day: MaxGap, exclusive: true},
}

// Window returns the largest gap between two ends of an item whose times are known.
func (r Rule) Window(t viewing.MediaType, runtime time.Duration) time.Duration {
	window := rules[r].film
	switch {
	case runtime > 0:
		window = runtime / rules[r].divisor
	case t == viewing.Episode:
		window = rules[r].episode
	}
	return min(max(window, rules[r].least), rules[r].most)
}

// Same reports whether two ends of one item belong to the same playback. It uses the type of a
// and the longer running time.
func (r Rule) Same(a, b End) bool {
	gap := Gap(a.At, b.At)
	if a.At.Precision == viewing.Day || b.At.Precision == viewing.Day {
		return gap <= rules[r].day
	}
	window := r.Window(a.Type, max(a.Runtime, b.Runtime))
	return gap < window || gap == window && !rules[r].exclusive
}

// Gap returns the absolute difference of two times.
func Gap(a, b viewing.Instant) time.Duration {
	return time.Duration(max(a.Millis-b.Millis, b.Millis-a.Millis)) * time.Millisecond
}

// MatchesRecord reports whether a record of the service is of the playback that ended at e, by
// [BeforeSending]. If the service stores only days, a record of the same day matches, too.
func MatchesRecord(record time.Time, days bool, e End) bool {
	gap := record.Sub(e.At.Time()).Abs()
	window := BeforeSending.Window(e.Type, e.Runtime)
	if e.At.Precision == viewing.Day {
		window = rules[BeforeSending].day
	}
	return gap <= window || days && sameDay(record, e.At)
}

// sameDay reports whether a record that only has a day is of the viewing's day, in UTC or in the
// time zone of the viewing: the record does not contain its zone.
func sameDay(record time.Time, at viewing.Instant) bool {
	day := record.UTC().Format(time.DateOnly)
	there := at.Time()
	if at.Offset != nil {
		there = there.Add(time.Duration(*at.Offset) * time.Second)
	}
	return day == at.Time().Format(time.DateOnly) || day == there.Format(time.DateOnly)
}

// NeedsPerson reports whether only a person may release an entry that is held for this reason.
func NeedsPerson(reason string) bool {
	return reason == viewing.ReasonUser || reason == viewing.ReasonRestored
}

// RuntimeOf converts a running time in seconds, as a source reported it, limited to [MaxRuntime].
func RuntimeOf(seconds float64) time.Duration {
	return time.Duration(min(seconds, MaxRuntime.Seconds()) * float64(time.Second))
}

// FormatGap returns how much later a is than b, to the second: "2m30s" or "-2m0s"; "day" if only
// the day of one of them is known.
func FormatGap(a, b viewing.Instant) string {
	if a.Precision == viewing.Day || b.Precision == viewing.Day {
		return "day"
	}
	return (time.Duration(a.Millis-b.Millis) * time.Millisecond).Round(time.Second).String()
}
