package rule

import (
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Tolerances between Kodi's clock, Kodi's commit and our read.
const (
	liveGap    = 2 * time.Minute // longest time since the last successful read for class "live"
	clockSlack = time.Minute     // between Kodi's clock and this machine's
	farFuture  = 14 * time.Hour  // the largest UTC offset of any zone

	// writeDelay is the longest time from the end of a playback to the read: Kodi takes
	// up to 2 s to write (measured: 103 of 106 playbacks), and the read waits up to 10 s
	// for more writes. The rest covers times cut to whole seconds.
	writeDelay = 15 * time.Second
)

// Environment holds facts about a Kodi that are not in its library.
type Environment struct {
	Zone           *time.Location    // zone of the times that Kodi writes
	Reporters      []string          // ids of add-ons that report to the same service
	Writers        []string          // ids of add-ons that write playbacks of other devices into the library
	Updates        []announce.Update // recent announcements, oldest first
	ListeningSince time.Time         // since when every announcement is received; zero if some may be missed
}

// offsetIn returns the UTC offset of a zone at an instant, in seconds.
func offsetIn(zone *time.Location, at time.Time) int {
	_, offset := at.In(zone).Zone()
	return offset
}

// wallTime is a time without a zone, held as if it were UTC.
type wallTime struct{ time.Time }

// parseWall parses Kodi's time format; ok is false for any other text.
func parseWall(text string) (w wallTime, ok bool) {
	t, err := time.Parse(time.DateTime, text)
	return wallTime{t}, err == nil && t.Year() >= 1900
}

// isMidnight reports whether the time is most likely a date only: Kodi writes dates
// from NFO files as midnight (seen with Kodi 20 and 21).
func (w wallTime) isMidnight() bool {
	h, m, s := w.Clock()
	return h == 0 && m == 0 && s == 0
}

// resolve returns the instant of the wall time in a zone. In the hour that is repeated when
// clocks go back, it picks the instant nearest to the span from, to. In the hour that is
// skipped when clocks go forward, it uses the offset from before.
func (w wallTime) resolve(zone *time.Location, from, to time.Time) time.Time {
	read := func(day time.Duration) (at time.Time, exact bool) {
		offset := offsetIn(zone, w.Add(day))
		at = w.Add(-time.Duration(offset) * time.Second).In(zone)
		return at, offsetIn(zone, at) == offset
	}
	best, exact := read(-24 * time.Hour)
	if other, is := read(24 * time.Hour); is && (!exact || distanceOutside(other, from, to) < distanceOutside(best, from, to)) {
		best = other
	}
	return best
}

// resolve returns the instant of a file's wall time, preferring the time since the last read.
func (r *reading) resolve(w wallTime) time.Time { return w.resolve(r.zone, r.lastRead, r.now) }

// distanceOutside returns how far t lies outside the span from, to; 0 inside it.
func distanceOutside(t, from, to time.Time) time.Duration {
	return max(from.Sub(t), t.Sub(to), 0)
}

// unsetClockYear is the year that a machine without a battery-backed clock starts in.
const unsetClockYear = 1970

// timeBetween returns the absolute difference of two instants given in milliseconds.
func timeBetween(a, b int64) time.Duration {
	return time.Duration(max(a-b, b-a)) * time.Millisecond
}

// maxTimeText bounds the length of a time text that cannot be parsed.
const maxTimeText = 40

// watchedAt returns the time of a file in Kodi's zone: noon for a date without a time, and
// the current time if the text cannot be parsed.
func (r *reading) watchedAt(f library.File) viewing.Instant {
	w, ok := parseWall(f.LastPlayed)
	switch {
	case !ok:
		at := viewing.At(r.now)
		if f.LastPlayed != "" {
			at.Text = library.ValidText(f.LastPlayed, maxTimeText)
		}
		return at
	case w.isMidnight():
		in := newInstant(f.LastPlayed, r.resolve(wallTime{w.Add(12 * time.Hour)}))
		in.Precision = viewing.Day
		return in
	default:
		return newInstant(f.LastPlayed, r.resolve(w))
	}
}

// newInstant returns an instant with Kodi's text.
func newInstant(text string, at time.Time) viewing.Instant {
	in := viewing.At(at)
	in.Text = text
	return in
}
