package rules

import (
	"time"

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

// leave says when an entry that nothing holds leaves.
func (d *Decision) leave() string {
	says := "it may be sent."
	if !d.NotBefore.IsZero() {
		says = "it may leave from " + d.NotBefore.Format("2006-01-02T15:04:05.999Z07:00") + "."
	}
	if d.Lane == viewing.LaneBackfill {
		says += " As an import it lets everything pass that is seen live."
	}
	return says
}
