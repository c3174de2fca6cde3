package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// How long one reading of the history serves for looking up what is about to
// be sent: longer the longer it took, so that a long import of a long history
// is not mostly spent on reading.
const (
	shelfLife = time.Minute
	readings  = 30 // that many times what it took
	oldest    = 15 * time.Minute
)

// shelf keeps the service's history for a while, for the flights of one run.
type shelf struct {
	mu    sync.Mutex
	books map[viewing.MediaType]book
	dated doubt.Precision // how the service keeps times
}

// precision is how the service keeps times, as far as it is known.
func (s *shelf) precision() doubt.Precision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dated
}

// book is one reading; without one it says that none could be had.
type book struct {
	at         time.Time
	life       time.Duration
	generation int
	history    tracker.Reading
}

// precede does what comes before an entry is marked as sending. It is true
// when the entry is not to be sent now; what became of it is written then.
func (f flight) precede(ctx context.Context) bool {
	r, e := f.run, f.entry
	if r.doubts == nil {
		return false
	}
	switch reader, readable := f.service.(Reader); {
	case e.Attempts > 0 && f.outlived(ctx):
		return true
	case !readable:
		return false
	case e.Kind == viewing.KindList && e.Attempts == 0:
		f.keepLists(ctx, reader)
		return false
	case e.Kind == viewing.KindViewing && e.Attempts == 0 && (e.Lane == viewing.LaneBackfill || e.Class != "" && e.Class != viewing.ClassLive):
		return f.checkHistory(ctx, reader) // it was not seen live, so the service may know it by another way
	default:
		return false
	}
}

// outlived puts an entry in doubt again that was to be sent with the same
// Idempotency-Key when the service may have forgotten that key: it was kept
// back too long.
func (f flight) outlived(ctx context.Context) bool {
	d, ok, err := f.run.doubts.Doubt(ctx, f.entry.ID)
	if err != nil || !ok || f.run.policy.Resends(d.Since, time.Now()) {
		return false
	}
	f.settle(queue.Settlement{
		Entry: f.entry.ID, State: viewing.StateInDoubt, NextAt: time.Now(),
		Reason: "the service may have forgotten its Idempotency-Key before it could be sent again",
	})
	f.run.post(func() { f.run.readBacks.stale = true })
	return true
}

// keepLists notes which lists the service has, so that a new one can be told
// from them. Without that, a doubt about this one waits for the user.
func (f flight) keepLists(ctx context.Context, reader Reader) {
	r := f.run
	w, err := waysOf(ctx, r.outbox, r.account)
	if err != nil || !w.may(supportLists) {
		return
	}
	found, complete, err := reader.Lists(ctx)
	w.note(supportLists, err)
	if err == nil && complete {
		ids := make([]string, len(found))
		for i, l := range found {
			ids[i] = l.ID
		}
		err = r.doubts.KeepLists(r.spans.write, f.entry.ID, ids)
	}
	if kept := w.keep(r.spans.write); err != nil || kept != nil {
		r.log.Debug("lists not read before one is created", "entry", f.entry.ID, "error", errors.Join(err, kept))
	}
}

// checkHistory merges an entry with a record of the service that is the same
// playback. Where the history cannot be read the entry is sent as any other.
func (f flight) checkHistory(ctx context.Context, reader Reader) bool {
	r, e := f.run, f.entry
	history, err := r.shelf.read(ctx, f, reader)
	if v, ok := tracker.VerdictOf(err); ok && v.Status == 0 {
		f.putOff(v)
		return true
	}
	kin, kinErr := r.doubts.Kin(ctx, e.ID)
	if err != nil || kinErr != nil || !history.Complete {
		r.log.Debug("entry not looked up before it is sent", "entry", e.ID, "error", errors.Join(err, kinErr))
		return false
	}
	days := r.shelf.precision() == doubt.Day
	end := playback.End{At: e.WatchedAt.Instant, Type: e.Media.Type, Runtime: kin.Runtime}
	shown, _ := doubt.Times(history.Items, *e.Media, e.WatchedAt.Time())
	near, free := time.Time{}, 0
	for _, t := range shown {
		if playback.Shown(t, days, end) {
			near, free = t, free+1
		}
	}
	for _, t := range kin.Delivered { // viewings of the same event, each in its own right
		if playback.Shown(t, days, end) {
			free--
		}
	}
	if free <= 0 {
		return false
	}
	f.settle(known(e, near))
	return true
}

// putOff has the entry wait for what a question has met.
func (f flight) putOff(v tracker.Verdict) {
	r, at := f.run, time.Now()
	r.post(func() { r.heard(f.entry.ID, v, f.generation, at) })
	_ = r.outbox.Release(r.spans.write, []queue.Entry{f.entry}) // else the lease runs out
}

// known merges an entry with a record of the service.
func known(e queue.Entry, at time.Time) queue.Settlement {
	return queue.Settlement{
		Entry: e.ID, State: viewing.StateMerged,
		Reason: fmt.Sprintf("the service has this item already, watched at %s: the same playback", at.Local().Format(time.DateTime)),
	}
}

// read gives the history of the entry's type. Flights wait for each other, so
// that it is read once.
func (s *shelf) read(ctx context.Context, f flight, reader Reader) (tracker.Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, t := f.run, f.entry.Media.Type
	if b, ok := s.books[t]; ok && b.generation == f.generation && time.Since(b.at) < b.life {
		return b.history, nil
	}
	w, err := waysOf(ctx, r.outbox, r.account)
	if err != nil || !w.may(supportHistory) {
		return tracker.Reading{}, err
	}
	s.dated = doubt.Precision(w.account.Keeps)
	b := book{at: time.Now(), generation: f.generation}
	b.history, err = reader.AllHistory(ctx, t)
	b.life = min(max(shelfLife, readings*time.Since(b.at)), oldest)
	missing := w.note(supportHistory, err)
	if v, ok := tracker.VerdictOf(err); ok && v.Status == 0 {
		return tracker.Reading{}, err
	}
	if err != nil && !missing {
		r.log.Debug("history not read", "error", err)
	}
	if s.books == nil {
		s.books = map[viewing.MediaType]book{}
	}
	s.books[t] = b
	return b.history, w.keep(r.spans.write)
}
