package replay

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// launch begins an entry.
func (r *run) launch(e queue.Entry) {
	r.flying++
	if !r.readBacks.watch.Empty() { // something is in doubt
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
	r.stirred = true
	r.settledDoubt(e.ID)
	if r.storage.failed(err, time.Now()) {
		r.leased = append([]queue.Entry{e}, r.leased...)
	}
}

// fly takes an entry through its attempt. It returns an error when the entry
// could not be marked, so that nothing was sent.
func (f flight) fly() error {
	r, e := f.run, f.entry
	request, err := f.newRequest()
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
	r.count(verdict)
	at := time.Now()
	r.post(func() { r.heard(e.ID, verdict, f.generation, at) })
	s := settlement(e, attempt, verdict, at, r.jitter)
	if s.State == viewing.StateInDoubt {
		s.NextAt = r.policy.Begin(e.Attempts, at)
	}
	f.settle(s)
	f.report(verdict)
	return nil
}

// newRequest is what the service is asked for this entry.
func (f flight) newRequest() (tracker.Request, error) {
	e := f.entry
	var item viewing.Media
	if e.Media != nil {
		item = *e.Media
	}
	var request tracker.Request
	var err error
	if e.Kind == viewing.KindListItem {
		request, err = tracker.NewListItem(e.ListID, item)
	} else {
		request, err = tracker.NewRequest(e.Kind, item, e.WatchedAt.Instant, e.List, e.Priority)
	}
	if err != nil {
		return tracker.Request{}, fmt.Errorf("make request: %w", err)
	}
	request.IdempotencyKey = idempotencyKey(f.run.installation, e)
	request.Resend = e.Attempts > 0
	return request, nil
}
