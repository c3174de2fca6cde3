package replay

import (
	"context"
	"sync/atomic"
	"time"
)

const savePause = 10 * time.Second // between two savings of nothing but the time of a delivery

// run is one run of the loop. One goroutine owns all of it and starts a
// goroutine for each request; those hand their news to it as functions.
type run struct {
	*Loop
	rowCopy
	crew
	stock
	changed <-chan struct{}

	service    Service
	generation int          // counts the services; news from an earlier one says nothing of this one
	epoch      atomic.Int64 // raised to turn back entries that have not left yet

	gate      gate
	pace      pace
	problem   string // why the gate is closed or holds, for a person
	hint      string
	throttled bool // the service has asked to wait

	newest  int64 // the newest entry when the gate closed
	probing context.CancelFunc
	again   bool // somebody asked for a probe while one was under way

	storage    storage
	readBacks  readBacks
	asker      asker
	shelf      shelf
	departures departures
}

// mayClaim reports whether entries may be begun at all now.
func (r *run) mayClaim(now time.Time) bool {
	return !r.standing() && !r.gate.closed && !now.Before(r.gate.hold)
}

// standing reports whether nothing is sent until somebody acts.
func (r *run) standing() bool { return r.service == nil || r.record.Pause.Reason != "" }

// room is how many more entries may be begun now.
func (r *run) room(now time.Time) int {
	if r.pace.ready(now).After(now) {
		return 0
	}
	return r.space(now)
}

// space is how many more entries may be under way. While the outbox fails, it
// is tried with one; an answer that waits to be written down is one.
func (r *run) space(now time.Time) int {
	room := r.gate.room(now, r.flying)
	if r.storage.failing() {
		room = min(room, 1-r.flying)
	}
	return room
}

// recall turns back the entries that are marked but whose request has not
// begun: since they were launched something was learned that speaks against it.
func (r *run) recall() { r.epoch.Add(1) }

// doubted takes note of an entry that comes into doubt; [run.settledDoubt] tells
// when it is written down.
func (r *run) doubted(entry int64) { r.readBacks.fresh[entry] = true }

// settledDoubt plans anew after an entry that came into doubt was written down.
func (r *run) settledDoubt(entry int64) {
	if r.readBacks.fresh[entry] {
		delete(r.readBacks.fresh, entry)
		r.readBacks.stale = true
	}
}
