package connector

import (
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
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

// refusals counts what was not taken, by its code.
type refusals struct {
	mu     sync.Mutex
	byCode map[string]int64
}

// note counts a message, if it is a refusal.
func (r *refusals) note(m protocol.Message) {
	if refusal, ok := m.(*protocol.Error); ok {
		r.add(string(refusal.Code))
	}
}

func (r *refusals) add(code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byCode[code]++
}

// Refused are the messages and whole posts that were not taken since [New], by code.
func (s *Server) Refused() map[string]int64 {
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	return maps.Clone(s.refusals.byCode)
}

// Sockets is how many websockets have a place now.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// failing is what goes on failing: that is logged once.
type failing struct {
	mu   sync.Mutex
	said string
}

// news reports whether an error, or its absence, is other than the last time.
func (f *failing) news(err error) bool {
	said := ""
	if err != nil {
		said = err.Error()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.said
	f.said = said
	return said != was
}
