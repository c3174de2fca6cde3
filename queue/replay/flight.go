package replay

import (
	"maps"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
)

// flight is one entry on its way, in a goroutine of its own. What it learns
// it hands to the run by post.
type flight struct {
	run        *run
	entry      queue.Entry
	service    Service
	generation int
	epoch      int64
}

// settle writes down what became of the entry. When the outbox refuses, the
// entry keeps its place, so that no other is begun in the meantime.
func (f flight) settle(s queue.Settlement) {
	r := f.run
	err := r.outbox.Settle(r.spans.write, s)
	if err != nil && !gone(err) {
		refusal := err
		r.post(func() { r.storage.unsettle(refusal) })
		err = f.insist(s)
		r.post(func() { r.storage.settled() })
	}
	f.written(s, err)
}

// insist tries again until the settlement is written or the loop stops. In
// the latter case the row stays as sending, and the next start puts it in
// doubt.
func (f flight) insist(s queue.Settlement) error {
	r := f.run
	for tries := 0; ; tries++ {
		more := sleep(r.spans.claim.Done(), r.jitter(min(longest(tries), storageCap)))
		err := r.outbox.Settle(r.spans.write, s)
		if err == nil || gone(err) || !more {
			return err
		}
	}
}

// written logs a settlement that could not be written in the end.
func (f flight) written(s queue.Settlement, err error) {
	switch {
	case err == nil:
	case gone(err):
		f.run.log.Warn("entry changed while it was sent", "entry", s.Entry, "state", string(s.State), "error", err)
	default:
		f.run.log.Error("answer not written down", "entry", s.Entry, "state", string(s.State), "error", err)
	}
}

// Sends are the requests for entries since [New], by what the answer meant: a
// [tracker.Fate], "unreachable" for [tracker.Offline], or "throttled" for a 429.
func (l *Loop) Sends() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.sends)
}

func (l *Loop) count(v tracker.Verdict) {
	result := string(v.Fate)
	switch {
	case v.Status == statusTooMany:
		result = "throttled"
	case v.Fate == tracker.Offline:
		result = "unreachable"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sends[result]++
}

// report logs what the user may have to act on; everything else is the
// account's health, or for the curious.
func (f flight) report(v tracker.Verdict) {
	log := f.run.log.With("entry", f.entry.ID, "kind", string(f.entry.Kind), "status", v.Status, "code", v.Code)
	switch v.Fate {
	case tracker.Rejected:
		log.Warn("entry rejected by the service")
	case tracker.InDoubt:
		log.Warn("entry may have arrived")
	case tracker.Delivered:
		if f.entry.Attempts > 0 {
			log.Info("entry delivered after earlier attempts", "attempts", f.entry.Attempts+1)
		}
	}
	log.Debug("entry answered", "fate", string(v.Fate), "item", f.label(), "problem", v.Problem)
}

// label names the entry for a person.
func (f flight) label() string {
	switch {
	case f.entry.Media != nil:
		return f.entry.Media.Label()
	case f.entry.List != nil:
		return f.entry.List.Name
	default:
		return ""
	}
}
