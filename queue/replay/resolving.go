package replay

import (
	"context"
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
)

// Lookups is where entries without an identifier are kept; [*queue.Store] has it.
type Lookups interface {
	Lookups(ctx context.Context, account string, n int) ([]queue.Lookup, error)
	NextLookup(ctx context.Context, account string) (t time.Time, ok bool, err error)
	Found(ctx context.Context, findings []queue.Finding) error
}

// Resolver is a [Service] that can say what an item is; [*v1.Client] is
// one. Any of its endpoints may be missing.
type Resolver interface {
	ResolveBatch(ctx context.Context, items []tracker.Wanted) (map[int]tracker.Match, error)
	Resolve(ctx context.Context, w tracker.Wanted) (tracker.Match, error)
}

// When the service is asked.
const (
	gather     = 2 * time.Second // after a change of the queue, so that many are asked about at once
	apart      = time.Second     // between questions that are asked one by one
	askBack    = time.Minute     // after trouble, doubling
	askBackMax = time.Hour
	askPage    = 500 // entries looked at once; many of them may be of one series
)

// asker is the run's plan of questions about what has no identifier.
type asker struct {
	at       time.Time // when to look whether there is something to ask; zero for never
	rests    time.Time // not before: after trouble
	asking   context.CancelFunc
	failures int // in a row
}

// stir plans a look: the queue has changed.
func (a *asker) stir(now time.Time) {
	if at := later(now.Add(gather), a.rests); a.at.IsZero() || a.at.After(at) {
		a.at = at
	}
}

// hurry plans a look at once: things may have changed for the better.
func (a *asker) hurry(now time.Time) { a.at, a.rests, a.failures = now, time.Time{}, 0 }

// askAt is when the service is asked next; zero when it is not, while entries
// may not be sent, or while it is being asked.
func (r *run) askAt(now time.Time) time.Time {
	if r.lookups == nil || r.asker.asking != nil || r.storage.failing() || !r.mayClaim(now) {
		return time.Time{}
	}
	if _, able := r.service.(Resolver); !able {
		return time.Time{}
	}
	return r.asker.at
}

// askWhat begins to ask the service what things are, when that is due.
func (r *run) askWhat(now time.Time) {
	if at := r.askAt(now); at.IsZero() || now.Before(at) {
		return
	}
	service, _ := r.service.(Resolver) // askAt has seen that it is one
	ctx, cancel := context.WithCancel(r.spans.claim)
	r.asker.at, r.asker.asking = time.Time{}, cancel
	r.probes++
	generation := r.generation
	q := inquiry{outbox: r.outbox, lookups: r.lookups, account: r.account, service: service, write: r.spans.write, log: r.log}
	r.flights.Go(func() {
		defer cancel()
		next, err := q.do(ctx)
		at := time.Now()
		r.post(func() {
			r.probes--
			r.inquired(next, err, generation, at)
		})
	})
}

// inquired takes note of an inquiry that ended, and of when the next is due. Its
// trouble is its own: the endpoint may be ill while entries are taken. Only
// that the service wants to be left alone for a while holds for them too.
func (r *run) inquired(next time.Time, err error, generation int, at time.Time) {
	r.asker.asking = nil
	if r.stopping() || generation != r.generation {
		return
	}
	if err == nil {
		r.asker.failures, r.asker.rests = 0, time.Time{}
		r.asker.at = earliest(r.asker.at, next)
		return
	}
	wait := doubled(askBack, askBackMax, r.asker.failures)
	r.asker.failures++
	if v, ok := tracker.VerdictOf(err); ok && v.Fate == tracker.Later && v.RetryAfter > 0 {
		r.trouble(v)
		r.recall()
		r.gate.wait(at.Add(asked(v.RetryAfter)))
		wait = max(wait, asked(v.RetryAfter))
	}
	r.asker.rests = at.Add(wait)
	r.asker.at = r.asker.rests
	r.log.Debug("not asked what entries without identifier are", "err", err)
}

// endAsking breaks an inquiry off: the service has changed.
func (r *run) endAsking(now time.Time) {
	if r.asker.asking != nil {
		r.asker.asking()
	}
	r.asker.hurry(now)
}

// Resolves is what an account's service is known to do: whether it can say
// what an item is that has no identifier. asked is false before that is known.
func Resolves(a queue.Account) (can, asked bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}

// errNoResolver says that the service cannot tell what things are.
var errNoResolver = errors.New("the service resolves nothing")
