package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
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

// launch begins an entry.
func (r *run) launch(e queue.Entry) {
	r.flying++
	if len(r.lookout.seen) > 0 { // something is in doubt
		r.departures.add(e)
	}
	f := flight{run: r, entry: e, service: r.service, generation: r.generation, epoch: r.epoch.Load()}
	r.flights.Go(func() {
		err := f.fly()
		r.post(func() { r.landed(e, err) })
	})
}

// landed frees the place of an entry. One that could not even be marked is
// tried again first: it shows whether the outbox works again.
func (r *run) landed(e queue.Entry, err error) {
	r.flying--
	r.look = true
	r.settledDoubt(e.ID)
	if r.storage.failed(err, time.Now()) {
		r.leased = append([]queue.Entry{e}, r.leased...)
	}
}

// recall turns back the entries that are marked but whose request has not
// begun: since they were launched something was learned that speaks against it.
func (r *run) recall() { r.epoch.Add(1) }

// fly takes an entry through its attempt. It returns an error when the entry
// could not be marked, so that nothing was sent.
func (f flight) fly() error {
	r, e := f.run, f.entry
	request, err := f.request()
	if err != nil {
		f.settle(unfit(e, err))
		return nil
	}
	if f.precede(r.spans.request) {
		return nil
	}
	if lacks, err := f.lacksItems(r.spans.request); lacks || err != nil {
		return err
	}
	// A mark that was cut off halfway would leave a row that claims to be
	// under way, so stopping does not cut it off.
	attempt, err := r.outbox.Sending(r.spans.write, e)
	switch {
	case gone(err):
		r.log.Debug("entry changed before it was sent", "entry", e.ID)
		return nil
	case err != nil:
		return err
	case r.stopping() || f.epoch != r.epoch.Load():
		f.settle(withdrawn(e, attempt))
		return nil
	}
	verdict := f.service.Send(r.spans.request, request)
	if e.Kind == viewing.KindListItem {
		verdict = f.learnItems(verdict)
	}
	at := time.Now()
	r.post(func() { r.heard(e.ID, verdict, f.generation, at) })
	s := settlement(e, attempt, verdict, at, r.jitter)
	if s.State == viewing.StateInDoubt {
		s.NextAt = r.looksAfter(e, at)
	}
	f.settle(s)
	f.report(verdict)
	return nil
}

// request is what the service is asked for this entry.
func (f flight) request() (tracker.Request, error) {
	e := f.entry
	var item viewing.Media
	if e.Media != nil {
		item = *e.Media
	}
	request, err := newRequest(e, item)
	if err != nil {
		return tracker.Request{}, fmt.Errorf("make request: %w", err)
	}
	request.IdempotencyKey = idempotencyKey(f.run.installation, e)
	request.Resend = e.Attempts > 0
	return request, nil
}

func newRequest(e queue.Entry, item viewing.Media) (tracker.Request, error) {
	if e.Kind == viewing.KindListItem {
		return tracker.NewListItem(e.ListID, item)
	}
	return tracker.NewRequest(e.Kind, item, e.WatchedAt.Instant, e.List, e.Priority)
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
		f.run.log.Warn("entry changed while it was sent", "entry", s.Entry, "state", string(s.State), "err", err)
	default:
		f.run.log.Error("answer not written down", "entry", s.Entry, "state", string(s.State), "err", err)
	}
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

// heldFor is the reason for which an entry is held of which no request can
// be made.
func heldFor(err error) string {
	if errors.Is(err, tracker.ErrUnidentified) {
		return viewing.ReasonUnresolved
	}
	return viewing.ReasonReview
}
