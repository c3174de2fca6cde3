package kodi

import (
	"slices"
	"time"
)

// Kodi writes local time without a zone. What a time in it means is found
// from the zone that is configured, else from an offset that was seen live,
// else from this machine's zone.

// Tolerances between Kodi's clock, its commit and our reading.
const (
	liveGap   = 2 * time.Minute  // longest time since the last good reading for "live"
	slack     = time.Minute      // of a time read in the zone that is expected
	tight     = 30 * time.Second // of a time that only some other zone would explain
	farFuture = 14 * time.Hour   // no zone is further east
	quarter   = 15 * time.Minute // every zone's offset is a multiple of it
	agreeing  = 3                // live events that outvote the expected zone
)

// learning is what live events have taught about Kodi's clock.
type learning struct {
	Known  bool  `json:"known,omitempty"`
	Offset int   `json:"offset,omitempty"` // seconds east of UTC
	At     int64 `json:"at,omitempty"`     // when it was learned, UTC ms
	Other  int   `json:"other,omitempty"`  // another offset that was seen since
	Votes  int   `json:"votes,omitempty"`  // how often in a row
}

// zones are the zones that do not depend on what was seen.
type zones struct {
	configured *time.Location // nil when none
	machine    *time.Location
}

// standard is the zone that is expected as long as nothing was learned.
func (z zones) standard() *time.Location {
	if z.configured != nil {
		return z.configured
	}
	return z.machine
}

// expected is the zone in which Kodi is believed to write.
func (z zones) expected(l learning) *time.Location {
	if z.configured != nil || !l.Known || offsetIn(z.machine, time.UnixMilli(l.At)) == l.Offset {
		return z.standard() // which knows about daylight saving
	}
	return time.FixedZone("learned", l.Offset)
}

// learn takes in the offset of a live event. The first one is believed; a
// different one when the zone explains it or three in a row agree.
func (l learning) learn(offset int, now time.Time, z zones) learning {
	fresh := learning{Known: true, Offset: offset, At: now.UnixMilli()}
	if !l.Known || offset == l.Offset || l.explained(offset, now, z) {
		return fresh
	}
	if l.Other != offset || l.Votes == 0 {
		l.Other, l.Votes = offset, 0
	}
	if l.Votes++; l.Votes >= agreeing {
		return fresh
	}
	return l
}

// explained reports whether the standard zone has this offset now, or has
// moved its clocks by the same amount since the old one was learned.
func (l learning) explained(offset int, now time.Time, z zones) bool {
	zone := z.standard()
	moved := offsetIn(zone, now) - offsetIn(zone, time.UnixMilli(l.At))
	return offset == offsetIn(zone, now) || moved != 0 && offset-l.Offset == moved
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

// thisMinute reads a time that was written since the last good reading, which
// is less than two minutes ago: in the expected zone, else in whatever
// quarter hour makes it now. A date alone proves no other zone.
func (w wallTime) thisMinute(zone *time.Location, from, now time.Time) (stamp, bool) {
	s := w.nearest(zone, from, now)
	if w.day {
		return s, false
	}
	if near := distance(s.at, from, now) <= slack; near || w.offset != nil {
		return s, near
	}
	offset := w.Sub(now).Round(quarter)
	s = w.with(int(offset.Seconds()))
	ok := !w.midnight() && offset >= -12*time.Hour && offset <= 14*time.Hour && distance(s.at, from, now) <= tight
	return s, ok
}
