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
			prior: func(w *Watch) { w.Glanced(7) }, shows: true, due: at(firstLook),
		},
		"looking took long": {
			prior: func(w *Watch) { w.Looked(now, at(3*time.Second)) }, shows: true, due: at(33 * time.Second), early: true,
		},
		"looking took too long": {
			prior: func(w *Watch) { w.Looked(now, at(time.Minute)) }, shows: true, due: at(firstLook),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w Watch
			w.Glanced(7) // of which nothing is known yet
			e := one
			if c.change != nil {
				c.change(&e)
			}
			if c.prior != nil {
				w.Due(c.p, 7, e, c.shows, 3, now)
				c.prior(&w)
			}
			due, early := w.Due(c.p, 7, e, c.shows, 5, now)
			if !due.Equal(c.due) || early != c.early {
				t.Errorf("due %s after now, early %v; want %s, %v", due.Sub(now), early, c.due.Sub(now), c.early)
			}
			seen, departed := c.due != time.Time{}, 5
			if c.prior != nil {
				departed = 3
			}
			if w.Empty() == seen || seen && w.Departed(7) != departed {
				t.Errorf("empty %v, %d had departed, want %d", w.Empty(), w.Departed(7), departed)
			}
			w.Forget()
			if !w.Empty() {
				t.Error("not forgotten")
			}
		})
	}
}
