package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
)

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
	q := inquiry{Loop: r.Loop, service: service, write: r.spans.write}
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
		r.asker.ended(next)
		return
	}
	var wait time.Duration
	if v, ok := tracker.VerdictOf(err); ok && v.Fate == tracker.Later && v.RetryAfter > 0 {
		r.trouble(v)
		r.recall()
		wait = asked(v.RetryAfter)
		r.leave(at.Add(wait))
	}
	r.asker.failed(wait, at)
	r.log.Debug("not asked what entries without identifier are", "error", err)
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
func Resolves(a account.Row) (can, asked bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}
