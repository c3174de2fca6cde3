package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
)

var (
	// errNoResolver says that the service cannot tell what things are.
	errNoResolver = errors.New("the service resolves nothing")
	// errUnclear says that the item is not known, or that nothing is.
	errUnclear = errors.New("the service knows nothing of it, or resolves nothing")
)

// When and how much the service is asked.
const (
	gather     = 2 * time.Second // after a change of the queue, so that many are asked about at once
	askBack    = time.Minute     // after trouble, doubling
	askBackMax = time.Hour
	askPage    = 100         // entries looked at once; many of them may be of one series
	apart      = time.Second // between questions that are asked one by one
	inARow     = 5           // such questions before entries are sent again
	tries      = 3           // unclear answers that mean that there is no endpoint
)

// lookUp asks the service what the entries are that have no identifier, and plans the
// next time. Trouble with that holds no entry back, but for a Retry-After.
func (r *run) lookUp() {
	r.lookUpAt = time.Time{}
	q := inquiry{Loop: r.Loop, service: r.service, row: r.row, write: r.write}
	next, err := q.do(r.ctx)
	for _, edit := range q.learned {
		r.change(edit)
	}
	if r.stopping() || r.replacedMeanwhile() {
		return
	}
	if err == nil {
		r.lookUpTries, r.lookUpAt = 0, next
		return
	}
	now := time.Now()
	var wait time.Duration
	if v, ok := tracker.VerdictOf(err); ok && v.Fate == tracker.Later && v.RetryAfter > 0 {
		wait = asked(v.RetryAfter)
		r.trouble(v)
		r.leave(now.Add(wait))
	}
	r.lookUpAt = now.Add(max(wait, doubled(askBack, askBackMax, r.lookUpTries)))
	r.lookUpTries++
	r.log.Debug("not asked what entries without identifier are", "error", err)
}

// inquiry is one round of questions: what are the entries that have no identifier? It
// asks and keeps; package resolve decides.
type inquiry struct {
	*Loop
	service Service
	write   context.Context
	row     account.Row
	learned []func(*account.Row) // of the service's endpoints
	trouble error                // of the service
}

// identifyPatience bounds how long one inquiry takes: meanwhile nothing is sent.
const identifyPatience = 30 * time.Second

// do asks about what is due, and says when the next inquiry is; zero is never.
func (q *inquiry) do(ctx context.Context) (next time.Time, err error) {
	next, ok, err := q.outbox.NextLookup(ctx, q.account)
	if err != nil || !ok || next.After(time.Now()) {
		return next, err
	}
	if !q.able() && q.others == nil {
		return q.worthAsking(), nil
	}
	due, err := q.outbox.Lookups(ctx, q.account, askPage)
	if err == nil {
		err = q.ask(ctx, due)
	}
	if err == nil && !q.able() && q.others == nil {
		return q.worthAsking(), nil
	}
	return time.Now().Add(gather), err
}

// may reports whether an endpoint is worth asking.
func (q *inquiry) may(name string) bool { return q.row.Support.May(name, time.Now()) }

// learn records what a question to an endpoint has shown, and reports whether it cannot
// be used.
func (q *inquiry) learn(name string, err error) (missing bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	if says(q.row.Support, name, err) {
		now := time.Now()
		edit := func(a *account.Row) { a.Support = a.Support.With(name, !missing, now) }
		edit(&q.row)
		q.learned = append(q.learned, edit)
	}
	return missing
}

// able reports whether the service may be able to say what things are.
func (q *inquiry) able() bool { return q.may(supportResolveMany) || q.may(supportResolve) }

// worthAsking is when a service that cannot say what things are is asked again.
func (q *inquiry) worthAsking() time.Time {
	known := q.row.Support
	return earliest(known[supportResolve].At, known[supportResolveMany].At).Add(account.SupportLasts)
}

// chain is who is asked what an item is: the service, then the others.
func (q *inquiry) chain() (c resolve.Chain) {
	if q.able() {
		c = append(c, &resolve.Provider{Name: resolve.ByService, Asker: q, Log: q.log})
	}
	if q.others != nil {
		c = append(c, q.others()...)
	}
	return c
}

// ask asks about each entry until nothing more is to be asked. What is certain is
// kept, whatever comes afterwards; what was not asked stays due.
func (q *inquiry) ask(ctx context.Context, due []queue.Lookup) error {
	ctx, cancel := context.WithTimeout(ctx, identifyPatience)
	defer cancel()
	evidence, findings := make([]resolve.Evidence, len(due)), []queue.Finding{}
	for i, l := range due {
		if l.Entry.Media != nil {
			evidence[i] = resolve.EvidenceOf(*l.Entry.Media)
		}
	}
	decided, err := q.chain().Decide(ctx, evidence)
	if err != nil {
		q.log.Debug("not all were asked what entries without identifier are", "error", err)
	}
	for i, l := range due {
		d := decided[i]
		switch {
		case l.Entry.Media == nil, d.Item == nil && !resolve.Asks(evidence[i]):
			findings = append(findings, queue.Finding{Lookup: l}) // there is nothing to ask
		case d.Item == nil && (q.trouble != nil || !q.able() && q.others == nil): // it was not asked
		case len(d.Open) > 0: // the others cannot be asked: it is as if there were none
			findings = append(findings, finding(l, resolve.Decision{}))
		default:
			findings = append(findings, finding(l, d))
		}
	}
	if len(findings) == 0 {
		return q.trouble
	}
	q.log.Debug("asked what entries without identifier are", "entries", len(findings))
	return errors.Join(q.outbox.Found(q.write, findings), q.trouble)
}

// finding is what a decision means for an entry.
func finding(l queue.Lookup, d resolve.Decision) queue.Finding {
	f := queue.Finding{Lookup: l, Candidates: d.Of(resolve.ClueOf(*l.Entry.Media).Kind)}
	var said string
	if d.Why != "" {
		said = d.Said()
	}
	if d.By != "" {
		said = strings.ToUpper(d.By[:1]) + d.By[1:] + " was asked. " + said
	}
	f.Why = text(said)
	if d.Item != nil {
		m := d.Item.Apply(*l.Entry.Media)
		f.Media = &m
		return f
	}
	if wait, again := resolve.Again(l.Asked + 1); again {
		f.AskAt = time.Now().Add(wait)
	}
	if len(d.Candidates) == 1 && len(f.Candidates) == 1 {
		f.Why = text(said + fmt.Sprintf(" If that is right: filmspool fix %d %d", l.Entry.ID, f.Candidates[0].TMDB))
	}
	return f
}

// Fetch implements [resolve.Asker]: it asks the service. Where the service resolves
// nothing, nothing is answered.
func (q *inquiry) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for len(wanted) > 0 {
		var asked []resolve.Question
		var items []resolve.Wanted
		for len(wanted) > 0 {
			of := resolve.WantedOf(wanted[0])
			if len(items)+len(of) > tracker.MaxResolveItems {
				break
			}
			if found[wanted[0]] = nil; len(of) > 0 {
				asked, items = append(asked, wanted[0]), append(items, of...)
			}
			wanted = wanted[1:]
		}
		if len(items) == 0 {
			continue
		}
		matches, n, err := q.answers(ctx, items)
		if errors.Is(err, errNoResolver) {
			for _, one := range wanted {
				found[one] = nil
			}
			return found, nil
		}
		at := 0
		for _, one := range asked {
			from := at
			if at += len(resolve.WantedOf(one)); at > n {
				delete(found, one)
				continue
			}
			all := make([]resolve.Match, at-from)
			for i := range all {
				all[i] = matches[from+i]
			}
			a := resolve.AnswerOf(one, all)
			found[one] = &a
		}
		if err != nil {
			q.trouble = err
			return found, err
		}
	}
	return found, nil
}

// answers asks questions in one request or, where the service does not take
// that, one by one, and says how many of them were answered.
func (q *inquiry) answers(ctx context.Context, wanted []resolve.Wanted) (found map[int]resolve.Match, asked int, err error) {
	found = map[int]resolve.Match{}
	if q.may(supportResolveMany) {
		items := make([]tracker.Wanted, len(wanted))
		for i, w := range wanted {
			items[i] = tracker.Wanted(w)
		}
		matches, err := q.service.ResolveBatch(ctx, items)
		switch {
		case err != nil && !errors.Is(err, tracker.ErrNoEndpoint):
			return nil, 0, err
		case err == nil || !declined(err) || !q.may(supportResolve):
			q.learn(supportResolveMany, err)
		}
		if err == nil {
			for i, m := range matches {
				found[i] = resolve.Match(m)
			}
			return found, len(wanted), nil
		}
	}
	if !q.may(supportResolve) {
		return nil, 0, errNoResolver
	}
	return q.oneByOne(ctx, wanted)
}

// oneByOne asks each question by itself. While no answer but 404 was ever seen,
// it counts as asked only once another question was answered.
func (q *inquiry) oneByOne(ctx context.Context, wanted []resolve.Wanted) (found map[int]resolve.Match, asked int, err error) {
	found = map[int]resolve.Match{}
	for i, w := range wanted[:min(len(wanted), inARow)] {
		if i > 0 && !sleep(ctx.Done(), apart) {
			return found, asked, ctx.Err()
		}
		m, err := q.single(ctx, tracker.Wanted(w), i == 0)
		switch {
		case errors.Is(err, errUnclear) && i+1 < min(tries, len(wanted)):
			continue
		case errors.Is(err, errUnclear):
			q.learn(supportResolve, err)
			return found, 0, errNoResolver
		case err != nil:
			return found, asked, err
		case m.TMDB > 0:
			found[i] = resolve.Match(m)
		}
		asked = i + 1
	}
	return found, asked, nil
}

// declined reports whether the service has the endpoint, and refuses the
// question.
func declined(err error) bool {
	return statusOf(err) == http.StatusBadRequest || statusOf(err) == http.StatusUnprocessableEntity
}

// single asks one question. 404 may mean that the service does not know the
// item, or that it has no such endpoint. Where the endpoint has never answered
// otherwise, an empty question may tell: most refuse it as invalid.
func (q *inquiry) single(ctx context.Context, w tracker.Wanted, first bool) (tracker.Match, error) {
	m, err := q.service.Resolve(ctx, w)
	if statusOf(err) == http.StatusNotFound && q.row.Support[supportResolve].Has {
		return tracker.Match{}, nil
	}
	if statusOf(err) == http.StatusNotFound && first {
		if !sleep(ctx.Done(), apart) {
			return tracker.Match{}, ctx.Err()
		}
		_, err = q.service.Resolve(ctx, tracker.Wanted{})
	}
	switch {
	case statusOf(err) == http.StatusNotFound:
		return tracker.Match{}, fmt.Errorf("%w: %w", errUnclear, err)
	case declined(err):
		err = nil
	case err != nil && !errors.Is(err, tracker.ErrNoEndpoint):
		return tracker.Match{}, err
	}
	if q.learn(supportResolve, err) {
		return tracker.Match{}, errNoResolver
	}
	return m, nil
}

// sleep waits for d; it is false when done came first.
func sleep(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
		return true
	}
}

// Resolves is what an account's service is known to do: whether it can say
// what an item is that has no identifier. asked is false before that is known.
func Resolves(a account.Row) (can, asked bool) {
	many, knownMany := a.Support[supportResolveMany]
	one, knownOne := a.Support[supportResolve]
	can = many.Has || one.Has
	return can, can || knownMany && knownOne
}
