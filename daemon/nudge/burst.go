package nudge

import "time"

// A burst of news has settled after a quiet time, or at the ceiling when it
// does not stop. The ceiling is also the least time between two nudges.
const (
	quiet   = time.Second
	ceiling = 5 * time.Second
)

// burst is a run of news. It keeps no clock of its own.
type burst struct {
	first   time.Time // of this run; zero when there is none
	woke    time.Time // when the last run ended
	certain bool      // some of it is a change without having to look
}

// add takes note of news and returns when the run will have settled.
func (b *burst) add(certain bool, now time.Time) time.Time {
	if b.first.IsZero() {
		b.first = now
	}
	b.certain = b.certain || certain
	due := now.Add(quiet)
	if last := b.first.Add(ceiling); last.Before(due) {
		due = last
	}
	if next := b.woke.Add(ceiling); next.After(due) {
		due = next
	}
	return due
}

// take ends the run and reports whether it was certain to be a change.
func (b *burst) take(now time.Time) bool {
	certain := b.certain
	*b = burst{woke: now}
	return certain
}
