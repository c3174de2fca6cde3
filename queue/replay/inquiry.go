package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/tracker"
)

var (
	// errNoResolver says that the service cannot tell what things are.
	errNoResolver = errors.New("the service resolves nothing")
	// errUnclear says that the item is not known, or that nothing is.
	errUnclear = errors.New("the service knows nothing of it, or resolves nothing")
)

const (
	askPage = 500         // entries looked at once; many of them may be of one series
	apart   = time.Second // between questions that are asked one by one
	tries   = 3           // unclear answers that mean that there is no endpoint
)

// inquiry is one round of questions to the service: what are the entries that
// have no identifier? It asks and keeps; package resolve decides.
type inquiry struct {
	*Loop
	service Resolver
	write   context.Context
	ways    *ways
}

// do asks about what is due, and says when the next inquiry is; zero is never.
func (q *inquiry) do(ctx context.Context) (next time.Time, err error) {
	next, ok, err := q.lookups.NextLookup(ctx, q.account)
	if err != nil || !ok || next.After(time.Now()) {
		return next, err
	}
	if q.ways, err = waysOf(ctx, q.outbox, q.account); err != nil {
		return time.Time{}, err
	}
	if !q.able() && q.identifier == nil {
		return q.worthAsking(), nil
	}
	due, err := q.lookups.Lookups(ctx, q.account, askPage)
	if err == nil {
		err = q.ask(ctx, due)
	}
	if kept := q.ways.keep(q.write); err == nil {
		err = kept
	}
	if errors.Is(err, errNoResolver) && q.identifier == nil {
		return q.worthAsking(), nil
	}
	if errors.Is(err, errNoResolver) {
		err = nil
	}
	return time.Now().Add(gather), err
}

// able reports whether the service may be able to say what things are.
func (q *inquiry) able() bool { return q.ways.may(supportResolveMany) || q.ways.may(supportResolve) }

// worthAsking is when a service that cannot say what things are is asked again.
func (q *inquiry) worthAsking() time.Time {
	known := q.ways.account.Support
	return earliest(known[supportResolve].At, known[supportResolveMany].At).Add(account.SupportLasts)
}

// subject is an entry that is asked about.
type subject struct {
	lookup queue.Lookup
	*resolve.Subject
}

// ask asks about each entry until nothing more is to be asked. What was
// answered is kept, whatever comes afterwards; what was not asked stays due.
func (q *inquiry) ask(ctx context.Context, due []queue.Lookup) error {
	var open []subject
	var settled []queue.Finding
	for _, l := range due {
		var s *resolve.Subject
		m := l.Entry.Media
		whole := m != nil
		if whole {
			s = resolve.NewSubject(*m)
		}
		switch {
		case whole && s == nil && q.identifier != nil && identity.Asks(identity.EvidenceOf(*m)):
			settled = append(settled, finding(l, resolve.Judgement{}, nil)) // the others are asked alone
		case s == nil:
			settled = append(settled, queue.Finding{Lookup: l}) // there is nothing to ask
		default:
			open = append(open, subject{l, s})
		}
	}
	var trouble error
	if !q.able() {
		trouble = errNoResolver
	}
	for len(open) > 0 && trouble == nil {
		open, trouble = q.round(ctx, open, &settled)
	}
	if errors.Is(trouble, errNoResolver) && q.identifier != nil {
		for _, s := range open { // the others are asked alone
			settled = append(settled, finding(s.lookup, resolve.Judgement{}, nil))
		}
	}
	if q.identifier != nil {
		known, rest := apartKnown(settled)
		if len(known) > 0 {
			trouble = errors.Join(q.lookups.Found(q.write, known), trouble)
		}
		settled = q.identify(ctx, rest)
	}
	if len(settled) == 0 {
		return trouble
	}
	q.log.Debug("asked what entries without identifier are", "entries", len(settled))
	return errors.Join(q.lookups.Found(q.write, settled), trouble)
}

// round asks one question about each entry, as many as go into one request,
// and gives those entries that have another one left.
func (q *inquiry) round(ctx context.Context, open []subject, settled *[]queue.Finding) (more []subject, err error) {
	wanted, place := resolve.Gather(open, tracker.MaxResolveItems)
	answers, asked, err := q.answers(ctx, wanted)
	for _, s := range open {
		switch at, was := place[s.Next()]; {
		case !was || at >= asked: // in the next inquiry
		case s.Hear(answers[at]):
			more = append(more, s)
		default:
			*settled = append(*settled, finding(s.lookup, s.Judge(), s.Suggestions()))
		}
	}
	return more, err
}

// finding is what the answers mean for an entry, and what they suggest.
func finding(l queue.Lookup, j resolve.Judgement, suggested []identity.Candidate) queue.Finding {
	f := queue.Finding{Lookup: l, Media: j.Media, Said: j.Said + ifRight(l, j.Fix), Candidates: identity.Distinct(identity.ClueOf(*l.Entry.Media).Kind, suggested)}
	if wait, again := resolve.Again(l.Asked + 1); again && j.Media == nil {
		f.AskAt = time.Now().Add(wait)
	}
	return f
}

// ifRight says how a person confirms a suggestion by its number; "" for none.
func ifRight(l queue.Lookup, tmdb int64) string {
	if tmdb == 0 {
		return ""
	}
	return fmt.Sprintf(" If that is right: filmspool fix %d %d", l.Entry.ID, tmdb)
}

// answers asks questions in one request or, where the service does not take
// that, one by one, and says how many of them were answered.
func (q *inquiry) answers(ctx context.Context, wanted []resolve.Question) (found map[int]resolve.Answer, asked int, err error) {
	found = map[int]resolve.Answer{}
	if q.ways.may(supportResolveMany) {
		items := make([]tracker.Wanted, len(wanted))
		for i, w := range wanted {
			items[i] = tracker.Wanted(w)
		}
		matches, err := q.service.ResolveBatch(ctx, items)
		switch {
		case err != nil && !errors.Is(err, tracker.ErrNoEndpoint):
			return nil, 0, err
		case err == nil || !declined(err) || !q.ways.may(supportResolve):
			q.ways.note(supportResolveMany, err)
		}
		if err == nil {
			for i, m := range matches {
				found[i] = resolve.Answer(m)
			}
			return found, len(wanted), nil
		}
	}
	if !q.ways.may(supportResolve) {
		return nil, 0, errNoResolver
	}
	return q.oneByOne(ctx, wanted)
}

// oneByOne asks each question by itself. While no answer but 404 was ever seen,
// it counts as asked only once another question was answered.
func (q *inquiry) oneByOne(ctx context.Context, wanted []resolve.Question) (found map[int]resolve.Answer, asked int, err error) {
	found = map[int]resolve.Answer{}
	for i, w := range wanted {
		if i > 0 && !sleep(ctx.Done(), apart) {
			return found, asked, ctx.Err()
		}
		m, err := q.single(ctx, tracker.Wanted(w), i == 0)
		switch {
		case errors.Is(err, errUnclear) && i+1 < min(tries, len(wanted)):
			continue
		case errors.Is(err, errUnclear):
			q.ways.note(supportResolve, err)
			return found, 0, errNoResolver
		case err != nil:
			return found, asked, err
		case m.TMDB > 0:
			found[i] = resolve.Answer(m)
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
	if statusOf(err) == http.StatusNotFound && q.ways.has(supportResolve) {
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
	if q.ways.note(supportResolve, err) {
		return tracker.Match{}, errNoResolver
	}
	return m, nil
}
