package rules

import (
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settling is how long an entry waits that a library has just found. What was
// marked together is written within two seconds of each other and read within
// a second or two: by then it is known whether more follows.
const settling = 5 * time.Second

// line decides behind whom the entry leaves, and when at the earliest.
func (d *Decision) line(s Settings, v viewing.Event, now time.Time) {
	wait := s.Grace
	switch v.Class {
	case viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassImport:
		d.Lane = viewing.LaneBackfill
	case viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp:
		wait = max(wait, settling)
	}
	if wait > 0 {
		d.NotBefore = now.Add(wait)
	}
}

// free says that nothing holds an entry back, and when it leaves.
func (d *Decision) free() {
	why := entry.Step{Code: "rule.free"}
	if !d.NotBefore.IsZero() {
		why = entry.Step{Code: "rule.free.at", Args: entry.Args{"at": entry.Time(d.NotBefore)}}
	}
	if d.say(why.Code, why.Args); d.Lane == viewing.LaneBackfill {
		d.Steps = append(d.Steps, entry.Step{Code: "rule.backfill"})
	}
}
