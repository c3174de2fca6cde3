package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Limits of looking up identifiers.
const (
	lookUpDelay    = 2 * time.Second  // after a change of the queue, to collect several entries in one request
	lookUpRetry    = time.Minute      // first wait after a failure, then doubled
	lookUpRetryMax = time.Hour        // longest wait after a failure, and the wait for an unavailable provider
	lookUpBatch    = 100              // entries per look-up; many of them may belong to one series
	lookUpTimeout  = 30 * time.Second // no entry is sent during a look-up
)

// lookUp identifies entries without an identifier, and plans the next look-up. A failure
// does not stop other entries from being sent, except for a Retry-After.
func (r *run) lookUp() {
	r.lookUpAt = time.Time{}
	next, err := r.identifyDue(&serviceFetcher{service: r.service, row: &r.row, recordSupport: r.recordSupport})
	if r.stopping() {
		return
	}
	if err == nil {
		r.lookUpFailures, r.lookUpAt = 0, next
		return
	}
	now := time.Now()
	v, _ := tracker.VerdictOf(err)
	r.applyRetryAfter(v, now)
	r.lookUpAt = later(r.outage.waitUntil, now.Add(doubled(lookUpRetry, lookUpRetryMax, r.lookUpFailures)))
	r.lookUpFailures++
	r.options.Logger.Debug("not asked what entries without identifier are", "error", err)
}

// identifyDue looks up the entries that are due, and returns the time of the next
// look-up; zero for never. Certain results are stored even if a later request fails; entries that
// could not be looked up stay due.
func (r *run) identifyDue(a *serviceFetcher) (next time.Time, err error) {
	next, ok, err := r.options.Outbox.NextLookup(r.ctx, r.options.Account)
	if err != nil || !ok || next.After(time.Now()) {
		return next, err
	}
	due, err := r.options.Outbox.Lookups(r.ctx, r.options.Account, lookUpBatch)
	if err != nil {
		return next, err
	}
	evidence, results := make([]resolve.Evidence, len(due)), []queue.LookupResult{}
	for i, l := range due {
		if l.Entry.Media != nil {
			evidence[i] = resolve.Evidence{Media: *l.Entry.Media, Runtime: l.Runtime}
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, lookUpTimeout)
	defer cancel()
	decided, _ := r.providers(a).Decide(ctx, evidence) // an unavailable provider is asked at the next look-up
	noProvider := !a.canResolve() && r.options.Providers == nil
	for i, l := range due {
		d := decided[i]
		switch {
		case l.Entry.Media == nil, d.Item == nil && !resolve.NeedsAnswers(evidence[i]):
			results = append(results, queue.LookupResult{Lookup: l}) // no look-up can help
		case d.Item == nil && (a.err != nil || noProvider): // stays due
		case len(d.Unanswered) > 0: // a provider is unavailable
			results = append(results, queue.LookupResult{
				Lookup: l, Candidates: d.CandidatesOf(resolve.ClueOf(*l.Entry.Media).Kind), AskAt: time.Now().Add(lookUpRetryMax), Uncounted: true,
			})
		default:
			results = append(results, newLookupResult(l, d))
		}
	}
	err = errors.Join(r.options.Outbox.RecordLookups(r.saveCtx, results), a.err)
	if err == nil && noProvider {
		return a.nextCheck(), nil
	}
	return time.Now().Add(lookUpDelay), err
}

// newLookupResult turns a decision into the result stored for an entry.
func newLookupResult(l queue.Lookup, d resolve.Decision) queue.LookupResult {
	f := queue.LookupResult{Lookup: l, Candidates: d.CandidatesOf(resolve.ClueOf(*l.Entry.Media).Kind), Media: d.Item}
	if d.Why.Code != "" {
		f.Why = d.MessageWithProvider()
	}
	if wait, again := resolve.RetryWait(l.Asked + 1); again && d.Item == nil {
		f.AskAt = time.Now().Add(wait)
	}
	return f
}

// ErrNotNow says that the service is not available now: there is no key, the account is
// paused, or the request failed. The [viewing.Message] wrapped with it says why.
var ErrNotNow = errors.New("the service cannot be asked now")

// Identify decides what an item is, as for entries without an identifier: it asks the
// service, and then the enabled providers. It records nothing. If the service is not
// available, the other providers decide, and the error wraps [ErrNotNow] and the
// [tracker.Verdict] of the failed request, if there was one.
func (l *Loop) Identify(ctx context.Context, e resolve.Evidence) (resolve.Decision, error) {
	a, unavailable := l.newServiceFetcher(ctx)
	decided, err := l.providers(a).Decide(ctx, []resolve.Evidence{e})
	if a != nil && a.err != nil {
		unavailable = fmt.Errorf("%w: %w", ErrNotNow, a.err)
	}
	if len(decided[0].Unanswered) > 0 {
		unavailable = errors.Join(unavailable, err)
	}
	return decided[0], unavailable
}

// newServiceFetcher returns a fetcher for the service. If the service is not available,
// it returns nil and an error that wraps [ErrNotNow].
func (l *Loop) newServiceFetcher(ctx context.Context) (*serviceFetcher, error) {
	l.mu.Lock()
	service, h := l.service, l.health
	l.mu.Unlock()
	switch {
	case service == nil:
		return nil, fmt.Errorf("%w: %w", ErrNotNow, viewing.Say("why.notYet"))
	case h.State == account.Paused || h.State == account.Attention:
		return nil, fmt.Errorf("%w: %w", ErrNotNow, h.Reason)
	}
	if wait := time.Until(h.NextTry); h.Throttled && wait > 0 {
		rest := tracker.Verdict{Outcome: tracker.Later, Problem: viewing.Say("resting"), RetryAfter: wait}
		return nil, fmt.Errorf("%w: %w", ErrNotNow, rest)
	}
	row, err := l.options.Outbox.Account(ctx, l.options.Account)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	return &serviceFetcher{service: service, row: &row, recordSupport: func(name string, err error) bool {
		missing, _ := classifySupport(row.Support, name, err)
		row.Support = row.Support.WithEndpoint(name, !missing, time.Now()) // only in this copy of the row
		return missing
	}}, nil
}

// providers returns the providers in the order in which they are asked: the service, unless
// a is nil or the service has no endpoint for it, then the others.
func (l *Loop) providers(a *serviceFetcher) (c resolve.Chain) {
	if a != nil && a.canResolve() {
		c = append(c, &resolve.Provider{Name: resolve.ByService, Fetcher: a, Log: l.options.Logger})
	}
	if l.options.Providers != nil {
		c = append(c, l.options.Providers()...)
	}
	return c
}

// serviceFetcher implements [resolve.Fetcher] with the tracking service.
type serviceFetcher struct {
	service       *tracker.Client
	row           *account.Row                      // of the account; row.Support lists the known endpoints
	recordSupport func(name string, err error) bool // stores whether an endpoint exists; true if it is missing
	err           error                             // the error of the last failed request
}

// mayUse reports whether an endpoint should be requested; see run.mayUse.
func (a *serviceFetcher) mayUse(name string) bool { return a.row.Support.MayUse(name, time.Now()) }

// canResolve reports whether the service may have an endpoint that identifies items.
func (a *serviceFetcher) canResolve() bool {
	return a.mayUse(supportResolveMany) || a.mayUse(supportResolve)
}

// nextCheck returns when a service without such an endpoint is asked again.
func (a *serviceFetcher) nextCheck() time.Time {
	return earliest(a.row.Support[supportResolve].At, a.row.Support[supportResolveMany].At).Add(account.SupportLasts)
}

// Fetch implements [resolve.Fetcher]. All answers are nil if the service has no endpoint
// that identifies items.
func (a *serviceFetcher) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for some := range slices.Chunk(wanted, tracker.MaxResolveItems/3) { // a question makes at most three items
		var items []tracker.ResolveItem
		for _, q := range some {
			items = append(items, resolve.ServiceItems(q)...)
		}
		matches, err := a.resolve(ctx, items)
		if err != nil && !errors.Is(err, tracker.ErrNoEndpoint) {
			a.err = err
			return found, err
		}
		for _, q := range some {
			n := len(resolve.ServiceItems(q))
			if found[q] = nil; n > 0 && err == nil {
				answer := resolve.ServiceAnswer(q, matches[:n])
				found[q], matches = &answer, matches[n:]
			}
		}
	}
	return found, nil
}

// resolve identifies items in one request or, if the service has no batch endpoint, one by
// one. The error wraps [tracker.ErrNoEndpoint] if the service has neither endpoint.
func (a *serviceFetcher) resolve(ctx context.Context, items []tracker.ResolveItem) ([]tracker.Match, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if a.mayUse(supportResolveMany) {
		found, err := a.service.ResolveBatch(ctx, items)
		if err == nil || !isQuestionRefused(err) || !a.mayUse(supportResolve) {
			a.recordSupport(supportResolveMany, err)
		}
		if err == nil || !errors.Is(err, tracker.ErrNoEndpoint) {
			return found, err
		}
	}
	if !a.mayUse(supportResolve) {
		return nil, tracker.ErrNoEndpoint
	}
	// A 404 means an unknown item, or a missing endpoint if the service has never given
	// another response there.
	matches := make([]tracker.Match, len(items))
	var unknown error
	for i, w := range items {
		m, err := a.service.Resolve(ctx, w)
		switch {
		case statusOf(err) == http.StatusNotFound:
			unknown = err
		case err == nil, isQuestionRefused(err):
			a.recordSupport(supportResolve, nil)
			matches[i] = m
		default:
			a.recordSupport(supportResolve, err)
			return nil, err
		}
	}
	if unknown != nil && !a.row.Support[supportResolve].Has {
		a.recordSupport(supportResolve, unknown)
		return nil, unknown
	}
	return matches, nil
}

// isQuestionRefused reports whether the endpoint exists, but refuses the question as
// invalid.
func isQuestionRefused(err error) bool {
	return statusOf(err) == http.StatusBadRequest || statusOf(err) == http.StatusUnprocessableEntity
}

// ResolveSupport reports whether the account's service can identify items without an
// identifier, and whether that is known yet.
func ResolveSupport(a account.Row) (can, known bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}
