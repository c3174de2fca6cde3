package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Doubts is where entries in doubt are kept; [*queue.Store] has it.
type Doubts interface {
	Doubts(ctx context.Context, account string) ([]queue.Doubt, error)
	Doubt(ctx context.Context, entry int64) (d queue.Doubt, ok bool, err error)
	NextLook(ctx context.Context, account string) (t time.Time, ok bool, err error)
	Resolve(ctx context.Context, m queue.Resolution) error
	Answered(ctx context.Context, account string, since time.Time, n int) ([]queue.Sent, error)
	Claims(ctx context.Context, account string, keys []string) ([]queue.Entry, error)
	WatchedSince(ctx context.Context, account string, m viewing.Media, since time.Time) (bool, error)
	KeepLists(ctx context.Context, entry int64, ids []string) error
	Kin(ctx context.Context, entry int64) (queue.Kin, error)
}

// Reader is a [Service] that can be read back; [*v1.Client] is one. Any
// of its endpoints may be missing.
type Reader interface {
	Me(ctx context.Context) (tracker.User, error)
	AllHistory(ctx context.Context, t viewing.MediaType) (tracker.Reading, error)
	MediaStatus(ctx context.Context, items []viewing.Media) (map[string]tracker.ItemStatus, error)
	Lists(ctx context.Context) (lists []tracker.RemoteList, complete bool, err error)
}

// Setting is what becomes of an entry in doubt that reading back cannot settle.
type Setting string

// The settings.
const (
	Hold   Setting = "hold"      // it waits for the user
	Resend Setting = "resend"    // it is sent again, and may be recorded twice
	Assume Setting = "delivered" // it is taken to have arrived, and may be lost
)

func (s Setting) valid() bool { return s == Hold || s == Resend || s == Assume }

// lookout is the run's watch over its entries in doubt.
type lookout struct {
	stale   bool               // they may have changed
	due     time.Time          // when to look next; zero for never
	looking context.CancelFunc // a look is under way
	fresh   map[int64]bool     // entries that came into doubt and are being written down
	seen    map[int64]sighting
	again   time.Time // the plan could not be read: not before
	rests   time.Time // no early look before: looking must not load the service
}

// sighting is when a run first saw an entry in doubt after its last request,
// by a clock that cannot be set.
type sighting struct {
	lastByte, at time.Time
	glanced      bool // the early look is over
	departed     int  // how many entries had begun to leave
}

// The early look.
const (
	glanceAfter = 2 * time.Second // so that what came into doubt together is looked for at once
	glanceRest  = 10              // how many times longer than a look the pause before the next is
)

// doubted takes note of an entry that comes into doubt; [run.settledDoubt] tells
// when it is written down.
func (r *run) doubted(entry int64) { r.lookout.fresh[entry] = true }

// newLookout looks at once for what an earlier run has left.
func newLookout() lookout {
	return lookout{stale: true, fresh: map[int64]bool{}, seen: map[int64]sighting{}}
}

// settledDoubt plans anew after an entry that came into doubt was written down.
func (r *run) settledDoubt(entry int64) {
	if r.lookout.fresh[entry] {
		delete(r.lookout.fresh, entry)
		r.lookout.stale = true
	}
}

// lookBack begins a look at the service's records when one is due. It is
// called only while entries may be sent.
func (r *run) lookBack(now time.Time) {
	if r.doubts == nil || r.lookout.looking != nil || r.storage.failing() {
		return
	}
	if r.lookout.stale && !now.Before(r.lookout.again) {
		r.planLook(now)
	}
	if !r.lookout.due.IsZero() && !now.Before(r.lookout.due) {
		r.startLook(now)
	}
}

// lookAt is when the next look is due; zero when none is, or while entries
// may not be sent.
func (r *run) lookAt(now time.Time) time.Time {
	if r.doubts == nil || r.lookout.looking != nil || r.storage.failing() || !r.mayClaim(now) {
		return time.Time{}
	}
	if r.lookout.stale {
		return later(r.lookout.again, now)
	}
	return r.lookout.due
}

// planLook finds out when the next look is due, by a clock that cannot be set.
func (r *run) planLook(now time.Time) {
	_, some, err := r.doubts.NextLook(r.spans.claim, r.account)
	var all []queue.Doubt
	if err == nil && some {
		all, err = r.doubts.Doubts(r.spans.claim, r.account)
	}
	if r.stopping() {
		return
	}
	if r.storage.failed(err, now) {
		// Other reads may work meanwhile and end the storage's own wait.
		r.lookout.again, r.lookout.due = r.storage.retryAt, time.Time{}
		return
	}
	r.lookout.stale, r.lookout.due = false, time.Time{}
	if len(all) == 0 {
		clear(r.lookout.seen)
		r.departures.clear()
	}
	for _, d := range all {
		if at, _ := r.dueOf(d, now); !at.IsZero() && (r.lookout.due.IsZero() || at.Before(r.lookout.due)) {
			r.lookout.due = at
		}
	}
}

// dueOf is when an entry is to be looked for; zero for never. Each is looked
// for within seconds: early says that this look can only prove arrival. Then a
// new one waits its time within this run, whatever the machine's clock does
// meanwhile.
func (r *run) dueOf(d queue.Doubt, now time.Time) (due time.Time, early bool) {
	if d.LookAt.IsZero() {
		return time.Time{}, false
	}
	first := r.lookout.seen[d.Entry.ID]
	if !first.lastByte.Equal(d.At) {
		first = sighting{lastByte: d.At, at: now, departed: r.departures.count()}
		r.lookout.seen[d.Entry.ID] = first
	}
	due = now.Add(min(d.LookAt.Sub(now), doubt.Seldom))
	if d.Taken > 0 || r.resends(d, now) {
		return due, false
	}
	due = later(due, first.at.Add(r.firstWait()))
	if soon := later(first.at.Add(glanceAfter), r.lookout.rests); !first.glanced && r.shows(d.Entry.Kind) && soon.Before(due) {
		return soon, true
	}
	return due, false
}

// shows reports whether the service may have an endpoint that proves early that
// such an entry has arrived. A list proves nothing then: one that is still
// under way may look the same.
func (r *run) shows(kind viewing.Kind) bool {
	w := ways{account: r.record}
	if _, readable := r.service.(Reader); !readable {
		return false
	}
	switch kind {
	case viewing.KindViewing:
		return w.may(supportHistory) || w.may(supportStatus)
	case viewing.KindWatchlist:
		return w.may(supportStatus)
	default:
		return false
	}
}

// firstWait is from the last byte to the first look.
func (l *Loop) firstWait() time.Duration {
	if l.waits.First > 0 {
		return l.waits.First
	}
	return doubt.FirstLook
}

// startLook looks in a goroutine of its own; one at a time.
func (r *run) startLook(now time.Time) {
	reader, _ := r.service.(Reader)
	ctx, cancel := context.WithCancel(r.spans.claim)
	r.lookout.looking = cancel
	r.probes++
	due, early, departed := map[int64]bool{}, map[int64]bool{}, map[int64]int{}
	l := look{
		run: r, service: r.service, reader: reader, early: early, departed: departed,
		due: func(d queue.Doubt) bool { return due[d.Entry.ID] },
	}
	all, err := r.doubts.Doubts(ctx, r.account)
	for _, d := range all {
		at, soon := r.dueOf(d, now)
		due[d.Entry.ID] = !at.IsZero() && !now.Before(at)
		early[d.Entry.ID] = soon
		departed[d.Entry.ID] = r.lookout.seen[d.Entry.ID].departed
	}
	l.all = all
	generation := r.generation
	r.flights.Go(func() {
		defer cancel()
		verdict := tracker.Verdict{Fate: tracker.Delivered}
		if err == nil {
			verdict, err = l.do(ctx)
		}
		at := time.Now()
		r.post(func() {
			r.probes--
			r.lookout.rests = at.Add(glanceRest * at.Sub(now))
			r.looked(verdict, err, generation, at, early)
		})
	})
}

// looked takes note of a look that ended. Where the service could not be asked,
// the early look is still to come.
func (r *run) looked(v tracker.Verdict, err error, generation int, at time.Time, early map[int64]bool) {
	r.lookout.looking, r.lookout.stale, r.look, r.reread = nil, true, true, true
	if r.stopping() || err != nil && r.storage.failed(err, at) || generation != r.generation {
		return
	}
	if v.Fate == tracker.Delivered || v.Fate == tracker.Rejected {
		r.glanced(early)
		return
	}
	r.heard(0, v, generation, at)
	if r.mayClaim(at) { // whatever it was, the next look waits for a while
		r.gate.shut(at)
		r.trouble(v)
	}
}

// glanced takes note that these were looked for early.
func (r *run) glanced(early map[int64]bool) {
	for id, was := range early {
		if first, known := r.lookout.seen[id]; was && known {
			first.glanced = true
			r.lookout.seen[id] = first
		}
	}
}

// endLook breaks a look off: the service has changed.
func (r *run) endLook() {
	if r.lookout.looking != nil {
		r.lookout.looking()
	}
	r.lookout.stale = true
}

// looksAfter is when an entry that came into doubt at that instant is looked
// for, or sent again where the service knows it by its Idempotency-Key.
func (l *Loop) looksAfter(e queue.Entry, at time.Time) time.Time {
	if l.idempotent {
		first := resendFirst
		if l.waits.First > 0 {
			first = min(first, l.waits.First)
		}
		return at.Add(doubled(first, backoffCap, e.Attempts))
	}
	return at.Add(l.firstWait())
}

// earliest is the earlier one of two instants; the zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
