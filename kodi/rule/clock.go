package rule

import (
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
	Reporters  []string       // ids of add-ons that report to the same service
	Writers    []string       // likewise, that write into the library what was watched elsewhere
	Acts       []announce.Act // what this Kodi has announced lately, the oldest first
	HeardSince time.Time      // since when this Kodi, the only one of the library, is heard; zero when it is not
}

func offsetIn(zone *time.Location, at time.Time) int {
	_, offset := at.In(zone).Zone()
	return offset
}

// wallTime is a time without a zone, held as if it were UTC.
type wallTime struct{ time.Time }

// parseWall reads the one form in which Kodi writes a time; ok is false for anything else.
func parseWall(text string) (w wallTime, ok bool) {
	t, err := time.Parse(time.DateTime, text)
	return wallTime{t}, err == nil && t.Year() >= 1900
}

// midnight reports a time that was most likely a date only: Kodi makes
// midnight of the dates in NFO files (seen with Kodi 20 and 21).
func (w wallTime) midnight() bool {
	h, m, s := w.Clock()
	return h == 0 && m == 0 && s == 0
}

// nearest is the instant that the time stands for in a zone. In the hour that is repeated
// when clocks go back it is the one that fits best to the time between two readings; in
// the hour that clocks going forward leave out, the offset before counts.
func (w wallTime) nearest(zone *time.Location, from, to time.Time) time.Time {
	read := func(day time.Duration) (at time.Time, exact bool) {
		offset := offsetIn(zone, w.Add(day))
		at = w.Add(-time.Duration(offset) * time.Second).In(zone)
		return at, offsetIn(zone, at) == offset
	}
	best, exact := read(-24 * time.Hour)
	if other, is := read(24 * time.Hour); is && (!exact || distance(other, from, to) < distance(best, from, to)) {
		best = other
	}
	return best
}

// at is the instant that the time of a file stands for.
func (r *reading) at(w wallTime) time.Time { return w.nearest(r.zone, r.good, r.now) }

// distance is how far t lies outside of a span; 0 within.
func distance(t, from, to time.Time) time.Duration {
	return max(from.Sub(t), t.Sub(to), 0)
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
			at.Text = library.Text(f.LastPlayed, maxStamp)
		}
		return at
	case w.midnight():
		in := instant(f.LastPlayed, r.at(wallTime{w.Add(12 * time.Hour)}))
		in.Precision = viewing.Day
		return in
	default:
		return instant(f.LastPlayed, r.at(w))
	}
}

func instant(text string, at time.Time) viewing.Instant {
	in := viewing.At(at)
	in.Text = text
	return in
}
