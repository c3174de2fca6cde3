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
	gather     = 2 * time.Second  // after a change of the queue, so that many are asked about at once
	askBack    = time.Minute      // after trouble, doubling
	askBackMax = time.Hour        // also where somebody else could not be asked
	askPage    = 100              // entries looked at once; many of them may be of one series
	askFor     = 30 * time.Second // the longest inquiry: meanwhile nothing is sent
)

// lookUp asks what the entries are that have no identifier, and plans the next time.
// Trouble with that holds no entry back, but for a Retry-After.
func (r *run) lookUp() {
	r.lookUpAt = time.Time{}
	next, err := r.identifyDue(&asker{service: r.service, row: &r.row, learn: r.learn})
	if r.stopping() {
		return
	}
	if err == nil {
		r.lookUpTries, r.lookUpAt = 0, next
		return
	}
	now := time.Now()
	v, _ := tracker.VerdictOf(err)
	r.leave(v, now)
	r.lookUpAt = later(r.outage.until, now.Add(doubled(askBack, askBackMax, r.lookUpTries)))
	r.lookUpTries++
	r.o.Logger.Debug("not asked what entries without identifier are", "error", err)
}

// identifyDue asks about what is due, and says when to ask next; zero is never. What is
// certain is kept, whatever comes afterwards; what was not asked stays due.
func (r *run) identifyDue(a *asker) (next time.Time, err error) {
	next, ok, err := r.o.Outbox.NextLookup(r.ctx, r.o.Account)
	if err != nil || !ok || next.After(time.Now()) {
		return next, err
	}
	due, err := r.o.Outbox.Lookups(r.ctx, r.o.Account, askPage)
	if err != nil {
		return next, err
	}
	evidence, findings := make([]resolve.Evidence, len(due)), []queue.Finding{}
	for i, l := range due {
		if l.Entry.Media != nil {
			evidence[i] = resolve.Evidence{Media: *l.Entry.Media, Runtime: l.Runtime}
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, askFor)
	defer cancel()
	decided, _ := r.chain(a).Decide(ctx, evidence) // who cannot be asked is asked another time
	nobody := !a.able() && r.o.Others == nil
	for i, l := range due {
		d := decided[i]
		switch {
		case l.Entry.Media == nil, d.Is == nil && !resolve.Asks(evidence[i]):
			findings = append(findings, queue.Finding{Lookup: l}) // there is nothing to ask
		case d.Is == nil && (a.trouble != nil || nobody): // it was not asked
		case len(d.Open) > 0: // somebody cannot be asked now
			findings = append(findings, queue.Finding{
				Lookup: l, Candidates: d.Of(resolve.ClueOf(*l.Entry.Media).Kind), AskAt: time.Now().Add(askBackMax), Uncounted: true,
			})
		default:
			findings = append(findings, finding(l, d))
		}
	}
	err = errors.Join(r.o.Outbox.Found(r.write, findings), a.trouble)
	if err == nil && nobody {
		return a.worthAsking(), nil
	}
	return time.Now().Add(gather), err
}

// finding is what a decision means for an entry.
func finding(l queue.Lookup, d resolve.Decision) queue.Finding {
	f := queue.Finding{Lookup: l, Candidates: d.Of(resolve.ClueOf(*l.Entry.Media).Kind), Media: d.Is}
	if d.Why.Code != "" {
		f.Why = d.Asked()
	}
	if wait, again := resolve.Again(l.Asked + 1); again && d.Is == nil {
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
	a, away := l.asker(ctx)
	decided, err := l.chain(a).Decide(ctx, []resolve.Evidence{e})
	if a != nil && a.trouble != nil {
		away = fmt.Errorf("%w: %w", ErrNotNow, a.trouble)
	}
	if len(decided[0].Open) > 0 {
		away = errors.Join(away, err)
	}
	return decided[0], away
}

// asker is what asks the service; nil where it cannot be asked now, and the error says why.
func (l *Loop) asker(ctx context.Context) (*asker, error) {
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
	return &asker{service: service, row: &row, learn: func(name string, err error) bool {
		missing, _ := shows(row.Support, name, err)
		row.Support = row.Support.With(name, !missing, time.Now()) // for this question alone
		return missing
	}}, nil
}

// chain is who is asked what an item is: the service, unless a is nil or the service
// resolves nothing, then the others.
func (l *Loop) chain(a *asker) (c resolve.Chain) {
	if a != nil && a.able() {
		c = append(c, &resolve.Provider{Name: resolve.ByService, Asker: a, Log: l.o.Logger})
	}
	if l.o.Others != nil {
		c = append(c, l.o.Others()...)
	}
	return c
}

// asker asks the service what items are; package resolve decides.
type asker struct {
	service *tracker.Client
	row     *account.Row                      // of the account, with what is known of its endpoints
	learn   func(name string, err error) bool // keeps what a question to an endpoint has shown
	trouble error                             // of the service
}

// may reports whether an endpoint is worth asking.
func (a *asker) may(name string) bool { return a.row.Support.May(name, time.Now()) }

// able reports whether the service may be able to say what things are.
func (a *asker) able() bool { return a.may(supportResolveMany) || a.may(supportResolve) }

// worthAsking is when a service that cannot say what things are is asked again.
func (a *asker) worthAsking() time.Time {
	return earliest(a.row.Support[supportResolve].At, a.row.Support[supportResolveMany].At).Add(account.SupportLasts)
}

// Fetch implements [resolve.Asker]. Where the service resolves nothing, nothing is
// answered.
func (a *asker) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for some := range slices.Chunk(wanted, tracker.MaxResolveItems/3) { // each question asks about three at most
		var items []tracker.Wanted
		for _, q := range some {
			items = append(items, resolve.WantedOf(q)...)
		}
		matches, err := a.resolve(ctx, items)
		if err != nil && !errors.Is(err, tracker.ErrNoEndpoint) {
			a.trouble = err
			return found, err
		}
		for _, q := range some {
			n := len(resolve.WantedOf(q))
			if found[q] = nil; n > 0 && err == nil {
				answer := resolve.AnswerOf(q, matches[:n])
				found[q], matches = &answer, matches[n:]
			}
		}
	}
	return found, nil
}

// resolve asks what items are, in one request or, where the service does not take that,
// one by one; the error wraps [tracker.ErrNoEndpoint] where it does neither.
func (a *asker) resolve(ctx context.Context, items []tracker.Wanted) ([]tracker.Match, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if a.may(supportResolveMany) {
		found, err := a.service.ResolveBatch(ctx, items)
		if err == nil || !declined(err) || !a.may(supportResolve) {
			a.learn(supportResolveMany, err)
		}
		if err == nil || !errors.Is(err, tracker.ErrNoEndpoint) {
			return found, err
		}
	}
	if !a.may(supportResolve) {
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
		case err == nil, declined(err):
			a.learn(supportResolve, nil)
			matches[i] = m
		default:
			a.learn(supportResolve, err)
			return nil, err
		}
	}
	if unknown != nil && !a.row.Support[supportResolve].Has {
		a.learn(supportResolve, unknown)
		return nil, unknown
	}
	return matches, nil
}

// declined reports whether the service has the endpoint, and refuses the
// question.
func declined(err error) bool {
	return statusOf(err) == http.StatusBadRequest || statusOf(err) == http.StatusUnprocessableEntity
}

// Resolves is what an account's service is known to do: whether it can say
// what an item is that has no identifier. asked is false before that is known.
func Resolves(a account.Row) (can, asked bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}
