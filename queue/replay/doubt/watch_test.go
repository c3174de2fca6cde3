package doubt

import (
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	now := attempt()
	at := func(d time.Duration) time.Time { return now.Add(d) }
	one := Case{Since: now, LastByte: now, ReadAt: at(firstLook)}
	for name, c := range map[string]struct {
		p      Policy
		prior  func(*Watch)
		change func(*Case)
		shows  bool
		due    time.Time
		early  bool
	}{
		"early":                 {shows: true, due: at(2 * time.Second), early: true},
		"nothing shows it":      {due: at(firstLook)},
		"nobody looks any more": {change: func(c *Case) { c.ReadAt = time.Time{} }, shows: true},
		"looked for before":     {change: func(c *Case) { c.Taken, c.ReadAt = 1, at(between) }, shows: true, due: at(between)},
		"sent again":            {p: Policy{Idempotent: true}, change: func(c *Case) { c.ReadAt = at(between) }, shows: true, due: at(between)},
		"the clock went back":   {change: func(c *Case) { c.ReadAt = at(90 * 24 * time.Hour) }, due: at(seldom)},
		"the clock went ahead":  {change: func(c *Case) { c.ReadAt = at(-time.Hour) }, due: at(firstLook)},
		"another wait":          {p: Policy{Waits: Waits{First: time.Second}}, change: func(c *Case) { c.ReadAt = now }, shows: true, due: at(time.Second)},
		"the early read-back is over": {
			prior: func(w *Watch) { w.Looked(map[int64]bool{7: true}, 0, now) }, shows: true, due: at(firstLook),
		},
		"looking took long": {
			prior: func(w *Watch) { w.Looked(nil, 2*time.Second, now) }, shows: true, due: at(20 * time.Second), early: true,
		},
		"looking took very long": {
			prior: func(w *Watch) { w.Looked(nil, time.Minute, now) }, shows: true, due: at(25 * time.Second), early: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w Watch
			w.Looked(map[int64]bool{7: true}, 0, time.Time{}) // of which nothing is known yet
			e := one
			if c.change != nil {
				c.change(&e)
			}
			if c.prior != nil {
				w.Due(c.p, 7, e, c.shows, now)
				c.prior(&w)
			}
			due, early := w.Due(c.p, 7, e, c.shows, now)
			if !due.Equal(c.due) || early != c.early {
				t.Errorf("due %s after now, early %v; want %s, %v", due.Sub(now), early, c.due.Sub(now), c.early)
			}
			w.Keep(map[int64]bool{7: true})
			if _, still := w.seen[7]; still != !c.due.IsZero() {
				t.Error("one that is open was forgotten")
			}
			if w.Keep(nil); len(w.seen) > 0 {
				t.Error("not forgotten")
			}
		})
	}
}
