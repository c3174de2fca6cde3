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

// When and how much the service is asked.
const (
	lookUpDelay    = 2 * time.Second  // after a change of the queue, so that many are asked about at once
	lookUpRetry    = time.Minute      // after trouble, doubling
	lookUpRetryMax = time.Hour        // also where somebody else could not be asked
	lookUpBatch    = 100              // entries looked at once; many of them may be of one series
	lookUpTimeout  = 30 * time.Second // the longest inquiry: meanwhile nothing is sent
)

// lookUp asks what the entries are that have no identifier, and plans the next time.
// Trouble with that holds no entry back, but for a Retry-After.
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
	r.o.Logger.Debug("not asked what entries without identifier are", "error", err)
}

// identifyDue asks about what is due, and says when to ask next; zero is never. What is
// certain is kept, whatever comes afterwards; what was not asked stays due.
func (r *run) identifyDue(a *serviceFetcher) (next time.Time, err error) {
	next, ok, err := r.o.Outbox.NextLookup(r.ctx, r.o.Account)
	if err != nil || !ok || next.After(time.Now()) {
		return next, err
	}
	due, err := r.o.Outbox.Lookups(r.ctx, r.o.Account, lookUpBatch)
	if err != nil {
		return next, err
	}
	evidence, findings := make([]resolve.Evidence, len(due)), []queue.LookupResult{}
	for i, l := range due {
		if l.Entry.Media != nil {
			evidence[i] = resolve.Evidence{Media: *l.Entry.Media, Runtime: l.Runtime}
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, lookUpTimeout)
	defer cancel()
	decided, _ := r.providers(a).Decide(ctx, evidence) // who cannot be asked is asked another time
	nobody := !a.canResolve() && r.o.Providers == nil
	for i, l := range due {
		d := decided[i]
		switch {
		case l.Entry.Media == nil, d.Item == nil && !resolve.NeedsAnswers(evidence[i]):
			findings = append(findings, queue.LookupResult{Lookup: l}) // there is nothing to ask
		case d.Item == nil && (a.trouble != nil || nobody): // it was not asked
		case len(d.Unanswered) > 0: // somebody cannot be asked now
			findings = append(findings, queue.LookupResult{
				Lookup: l, Candidates: d.CandidatesOf(resolve.ClueOf(*l.Entry.Media).Kind), AskAt: time.Now().Add(lookUpRetryMax), Uncounted: true,
			})
		default:
			findings = append(findings, newFinding(l, d))
		}
	}
	err = errors.Join(r.o.Outbox.RecordLookups(r.saveCtx, findings), a.trouble)
	if err == nil && nobody {
		return a.nextCheck(), nil
	}
	return time.Now().Add(lookUpDelay), err
}

// finding is what a decision means for an entry.
func newFinding(l queue.Lookup, d resolve.Decision) queue.LookupResult {
	f := queue.LookupResult{Lookup: l, Candidates: d.CandidatesOf(resolve.ClueOf(*l.Entry.Media).Kind), Media: d.Item}
	if d.Why.Code != "" {
		f.Why = d.MessageWithProvider()
	}
	if wait, again := resolve.RetryWait(l.Asked + 1); again && d.Item == nil {
		f.AskAt = time.Now().Add(wait)
	}
	return f
}

// ErrNotNow says that the service cannot be asked now: there is no key, the
// account is paused, or no good answer came. A [viewing.Message] beside it says why.
var ErrNotNow = errors.New("the service cannot be asked now")

// Identify says what an item is, by the rule that entries without an identifier are
// asked by: the service is asked, and the others where they are turned on. It records
// nothing. Where the service cannot be asked, the others decide; the error then wraps
// [ErrNotNow], and in it the [tracker.Verdict] where there was one.
func (l *Loop) Identify(ctx context.Context, e resolve.Evidence) (resolve.Decision, error) {
	a, away := l.newServiceFetcher(ctx)
	decided, err := l.providers(a).Decide(ctx, []resolve.Evidence{e})
	if a != nil && a.trouble != nil {
		away = fmt.Errorf("%w: %w", ErrNotNow, a.trouble)
	}
	if len(decided[0].Unanswered) > 0 {
		away = errors.Join(away, err)
	}
	return decided[0], away
}

// asker is what asks the service; nil where it cannot be asked now, and the error says why.
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
		rest := tracker.Verdict{Fate: tracker.Later, Problem: viewing.Say("resting"), RetryAfter: wait}
		return nil, fmt.Errorf("%w: %w", ErrNotNow, rest)
	}
	row, err := l.o.Outbox.Account(ctx, l.o.Account)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	return &serviceFetcher{service: service, row: &row, recordSupport: func(name string, err error) bool {
		missing, _ := classifySupport(row.Support, name, err)
		row.Support = row.Support.WithEndpoint(name, !missing, time.Now()) // for this question alone
		return missing
	}}, nil
}

// chain is who is asked what an item is: the service, unless a is nil or the service
// resolves nothing, then the others.
func (l *Loop) providers(a *serviceFetcher) (c resolve.Chain) {
	if a != nil && a.canResolve() {
		c = append(c, &resolve.Provider{Name: resolve.ByService, Fetcher: a, Log: l.o.Logger})
	}
	if l.o.Providers != nil {
		c = append(c, l.o.Providers()...)
	}
	return c
}

// asker asks the service what items are; package resolve decides.
type serviceFetcher struct {
	service       *tracker.Client
	row           *account.Row                      // of the account, with what is known of its endpoints
	recordSupport func(name string, err error) bool // keeps what a question to an endpoint has shown
	trouble       error                             // of the service
}

// may reports whether an endpoint is worth asking.
func (a *serviceFetcher) mayUse(name string) bool { return a.row.Support.MayUse(name, time.Now()) }

// able reports whether the service may be able to say what things are.
func (a *serviceFetcher) canResolve() bool {
	return a.mayUse(supportResolveMany) || a.mayUse(supportResolve)
}

// worthAsking is when a service that cannot say what things are is asked again.
func (a *serviceFetcher) nextCheck() time.Time {
	return earliest(a.row.Support[supportResolve].At, a.row.Support[supportResolveMany].At).Add(account.SupportLasts)
}

// Fetch implements [resolve.Fetcher]. Where the service resolves nothing, nothing is
// answered.
func (a *serviceFetcher) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for some := range slices.Chunk(wanted, tracker.MaxResolveItems/3) { // each question asks about three at most
		var items []tracker.ResolveItem
		for _, q := range some {
			items = append(items, resolve.ServiceItems(q)...)
		}
		matches, err := a.resolve(ctx, items)
		if err != nil && !errors.Is(err, tracker.ErrNoEndpoint) {
			a.trouble = err
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

// resolve asks what items are, in one request or, where the service does not take that,
// one by one; the error wraps [tracker.ErrNoEndpoint] where it does neither.
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
	// 404 may mean that the service does not know the item, or that it has no such
	// endpoint: the latter where no other answer has ever been seen.
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

// declined reports whether the service has the endpoint, and refuses the
// question.
func isQuestionRefused(err error) bool {
	return statusOf(err) == http.StatusBadRequest || statusOf(err) == http.StatusUnprocessableEntity
}

// Resolves is what an account's service is known to do: whether it can say
// what an item is that has no identifier. asked is false before that is known.
func ResolveSupport(a account.Row) (can, asked bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}
