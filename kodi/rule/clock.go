package rule

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Tolerances between Kodi's clock, its commit and our reading.
const (
	liveGap   = 2 * time.Minute // longest time since the last good reading for "live"
	slack     = time.Minute     // between Kodi's clock and this machine's
	farFuture = 14 * time.Hour  // no zone is further east

	// late is how long after the end of a playback the library may have been
	// written. Kodi takes up to 2 s (measured: 103 of 106 playbacks), and a
	// reading gathers what is written within 10 s more. The rest is for times
	// that Kodi and file systems cut to whole seconds.
	late = 15 * time.Second
)

// Environment is what is known of a Kodi beside its library.
type Environment struct {
	Zone       *time.Location // in which Kodi is believed to write
	AddOns     AddOns
	Acts       []announce.Act // what this Kodi has announced lately, the oldest first
	HeardSince time.Time      // since when this Kodi, the only one of the library, is heard; zero when it is not
}

func offsetIn(zone *time.Location, at time.Time) int {
	_, offset := at.In(zone).Zone()
	return offset
}

// wallTime is a time without a zone, held as if it were UTC. Offset is set
// when the text names its own, as programs other than Kodi write it; day when
// the text is a date alone.
type wallTime struct {
	time.Time
	offset *int
	day    bool
}

// parseWall reads Kodi's text, or a date, or a time as ISO 8601 has it; ok is
// false for anything that is no time.
func parseWall(text string) (wallTime, bool) {
	for _, layout := range []string{time.DateTime, time.DateOnly, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return wallTime{Time: t, day: layout == time.DateOnly}, t.Year() >= 1900
		}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1900 {
		return wallTime{}, false
	}
	_, offset := t.Zone()
	return wallTime{Time: t.UTC().Add(time.Duration(offset) * time.Second), offset: &offset}, true
}

// midnight reports a time that was most likely a date only: Kodi makes
// midnight of the dates in NFO files (seen with Kodi 20 and 21).
func (w wallTime) midnight() bool {
	h, m, s := w.Clock()
	return h == 0 && m == 0 && s == 0
}

// noon is the middle of the same day.
func (w wallTime) noon() wallTime {
	y, m, d := w.Date()
	return wallTime{Time: time.Date(y, m, d, 12, 0, 0, 0, time.UTC), offset: w.offset}
}

// stamp is an instant with the offset it was read with.
type stamp struct {
	at     time.Time
	offset int // seconds east of UTC
}

func (w wallTime) with(offset int) stamp {
	return stamp{w.Add(-time.Duration(offset) * time.Second), offset}
}

// in gives the instants that the time stands for in a zone, earliest first:
// two in the hour that is repeated when clocks go back. A time that clocks
// going forward leave out is read with the offset before.
func (w wallTime) in(zone *time.Location) []stamp {
	if w.offset != nil {
		return []stamp{w.with(*w.offset)}
	}
	before := offsetIn(zone, w.Add(-24*time.Hour))
	after := offsetIn(zone, w.Add(24*time.Hour))
	var all []stamp
	for _, offset := range []int{before, after} {
		s := w.with(offset)
		if offsetIn(zone, s.at) == offset && !slices.ContainsFunc(all, func(o stamp) bool { return o.offset == offset }) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		all = append(all, w.with(before))
	}
	slices.SortFunc(all, func(a, b stamp) int { return a.at.Compare(b.at) })
	return all
}

// nearest is the instant that fits best to the time between two readings.
func (w wallTime) nearest(zone *time.Location, from, to time.Time) stamp {
	return slices.MinFunc(w.in(zone), func(a, b stamp) int {
		return int(distance(a.at, from, to) - distance(b.at, from, to))
	})
}

// distance is how far t lies outside of a span; 0 within.
func distance(t, from, to time.Time) time.Duration {
	return max(from.Sub(t), t.Sub(to), 0)
}

// now reads a time that was written between two moments, in the zone that is
// expected. A date alone is no moment.
func (w wallTime) now(zone *time.Location, from, to time.Time) (stamp, bool) {
	s := w.nearest(zone, from, to)
	return s, !w.day && distance(s.at, from, to) == 0
}

// noClock is the last year that a machine without a clock claims to be in.
const noClock = 1970

// apart is the time between two instants in milliseconds.
func apart(a, b int64) time.Duration {
	return time.Duration(max(a-b, b-a)) * time.Millisecond
}

// maxStamp bounds a time that is no time.
const maxStamp = 40

// instant reads the time of a file in the expected zone: a date alone as noon
// of that day, and no time at all as now.
func (r *reading) instant(f library.File) viewing.Instant {
	w, ok := parseWall(f.LastPlayed)
	switch {
	case !ok:
		at := viewing.At(r.now)
		if f.LastPlayed != "" {
			at.Text = validText(f.LastPlayed, maxStamp)
		}
		return at
	case w.midnight():
		in := instant(f.LastPlayed, w.noon().nearest(r.zone, r.good, r.now))
		in.Precision = viewing.Day
		return in
	default:
		return instant(f.LastPlayed, w.nearest(r.zone, r.good, r.now))
	}
}

func instant(text string, s stamp) viewing.Instant {
	offset := s.offset
	return viewing.Instant{Millis: s.at.UnixMilli(), Text: text, Offset: &offset, Precision: viewing.Second}
}
