package connector

import (
	"log/slog"
	"sync"
	"time"
)

// What strangers can make us log: a line for each Origin and fault, then one
// with a count now and then.
const (
	tallyEvery = 10 * time.Minute
	tallyNames = 64 // Origins and faults that are told apart; the rest is one
)

// tally logs faults of those whom nobody knows. A fault that goes on costs a
// line in ten minutes, however often it comes and from however many Origins.
type tally struct {
	log *slog.Logger

	mu   sync.Mutex
	seen map[fault]*count
}

type fault struct{ what, origin string }

type count struct {
	times int       // since the last line
	told  time.Time // the last line
}

// note counts a fault, and logs it when a line is due.
func (t *tally) note(what, origin string) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	key := fault{what, origin}
	if t.seen[key] == nil && len(t.seen) >= tallyNames {
		key = fault{what: what, origin: "others"}
	}
	c := t.seen[key]
	if c == nil {
		c = &count{}
		t.seen[key] = c
	}
	if c.times++; now.Sub(c.told) < tallyEvery {
		return
	}
	t.log.Warn("refused", "cause", key.what, "origin", key.origin, "times", c.times)
	c.times, c.told = 0, now
}

// forget makes room: what was told of long ago and has not come again since.
func (t *tally) forget(now time.Time) {
	if len(t.seen) < tallyNames {
		return
	}
	for key, c := range t.seen {
		if c.times == 0 && now.Sub(c.told) >= tallyEvery {
			delete(t.seen, key)
		}
	}
}
