package notify

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// When a problem is told again.
const (
	overFor   = time.Hour          // it was over for so long, and has come again
	remindsIn = 7 * 24 * time.Hour // it still lasts
)

// told is what a way has said of one problem.
type told struct {
	At   time.Time `json:"at"`            // the last time
	Over time.Time `json:"over,omitzero"` // since when the problem is over; zero while it lasts
}

// ledger is what a way has told, by [key].
type ledger map[string]told

// key tells problems apart.
func key(p control.Problem) string { return p.Code + " " + p.About }

// due are the problems to be told now, of those that stand. It writes down which
// are over, and reports whether that changed anything.
func (l ledger) due(now time.Time, standing []control.Problem) (due []control.Problem, changed bool) {
	now = now.Round(0).UTC() // by the calendar: a machine may sleep for days
	stands := map[string]bool{}
	for _, p := range standing {
		stands[key(p)] = true
	}
	for k, t := range l {
		was := t
		if t.At.After(now) { // the clock was set back
			t.At = now
		}
		switch {
		case !t.Over.IsZero() && now.Sub(t.Over) >= overFor:
			delete(l, k)
			changed = true
			continue
		case stands[k]:
			t.Over = time.Time{}
		case t.Over.IsZero() || t.Over.After(now):
			t.Over = now
		}
		if t != was {
			l[k], changed = t, true
		}
	}
	for _, p := range standing {
		if t, told := l[key(p)]; !told || now.Sub(t.At) >= remindsIn {
			due = append(due, p)
		}
	}
	return due, changed
}

// note writes down that problems were told.
func (l ledger) note(now time.Time, problems []control.Problem) {
	for _, p := range problems {
		l[key(p)] = told{At: now.Round(0).UTC()}
	}
}

// standing are the problems that a way tells of. One whose cause the way tells of
// goes with the cause.
func standing(problems []control.Problem, tells func(control.Problem) bool) (list []control.Problem) {
	for _, p := range problems {
		hidden := p.Cause != nil && slices.ContainsFunc(problems, func(q control.Problem) bool { return q.Code == *p.Cause && tells(q) })
		if tells(p) && !hidden {
			list = append(list, p)
		}
	}
	return list
}

// Only are the problems with some codes.
func Only(codes ...string) func(control.Problem) bool {
	return func(p control.Problem) bool { return slices.Contains(codes, p.Code) }
}

// AtLeast are the problems of a severity, and worse ones.
func AtLeast(s control.Severity) func(control.Problem) bool {
	order := []control.Severity{control.NeedsYou, control.Soon, control.Note}
	return func(p control.Problem) bool { return slices.Index(order, p.Severity) <= slices.Index(order, s) }
}
