package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
)

// inquiry is one round of questions to the service: what are the entries that
// have no identifier?
type inquiry struct {
	outbox  Outbox
	lookups Lookups
	account string
	service Resolver
	write   context.Context
	log     *slog.Logger
	ways    *ways
}

// subject is an entry that is asked about.
type subject struct {
	lookup    queue.Lookup
	questions []resolve.Question // the first of them is to be asked
	answer    resolve.Answer     // to that, once near is to be asked
	near      []resolve.Question // to be asked before that answer is taken
	beside    []resolve.Answer   // to those
}

// next is the question that is to be asked.
func (s *subject) next() resolve.Question {
	if len(s.near) > 0 {
		return s.near[0]
	}
	return s.questions[0]
}

// hear takes in the answer to the next question; the zero answer is none. It
// reports whether another question is left.
func (s *subject) hear(a resolve.Answer) (more bool) {
	switch {
	case len(s.near) > 0:
		s.near, s.beside = s.near[1:], append(s.beside, a)
		return len(s.near) > 0
	case a.TMDB == 0 && len(s.questions) > 1:
		s.questions = s.questions[1:]
		return true
	default:
		s.answer, s.near = a, resolve.Near(*s.lookup.Entry.Media, s.questions[0], a)
		return len(s.near) > 0
	}
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
	if !q.ways.may(supportResolveMany) && !q.ways.may(supportResolve) {
		return q.worthAsking(), nil
	}
	due, err := q.lookups.Lookups(ctx, q.account, askPage)
	if err == nil {
		err = q.ask(ctx, due)
	}
	if kept := q.ways.keep(q.write); err == nil {
		err = kept
	}
	if errors.Is(err, errNoResolver) {
		return q.worthAsking(), nil
	}
	return time.Now().Add(gather), err
}

// worthAsking is when a service that cannot say what things are is asked again.
func (q *inquiry) worthAsking() time.Time {
	known := q.ways.account.Support
	return earliest(known[supportResolve].At, known[supportResolveMany].At).Add(supportLasts)
}

// ask asks the surest question about each entry, and then the next one about
// those of which nothing is known. What was answered is kept, whatever comes
// afterwards; what was not asked stays due.
func (q *inquiry) ask(ctx context.Context, due []queue.Lookup) error {
	var open []*subject
	var settled []queue.Finding
	for _, l := range due {
		var questions []resolve.Question
		if !l.Entry.Damaged && l.Entry.Media != nil {
			questions = resolve.Questions(*l.Entry.Media)
		}
		if len(questions) == 0 {
			settled = append(settled, queue.Finding{Lookup: l}) // there is nothing to ask
			continue
		}
		open = append(open, &subject{lookup: l, questions: questions})
	}
	var trouble error
	for range resolve.MostQuestions + resolve.MostNear {
		if open, trouble = q.round(ctx, open, &settled); trouble != nil || len(open) == 0 {
			break
		}
	}
	if len(settled) == 0 {
		return trouble
	}
	q.log.Debug("asked what entries without identifier are", "entries", len(settled))
	return errors.Join(q.lookups.Found(q.write, settled), trouble)
}

// round asks one question about each entry, as many as go into one request,
// and gives those entries that have another one left.
func (q *inquiry) round(ctx context.Context, open []*subject, settled *[]queue.Finding) (more []*subject, err error) {
	wanted, place := gathered(open)
	if len(wanted) == 0 {
		return nil, nil
	}
	answers, asked, err := q.answers(ctx, wanted)
	for _, s := range open {
		at, was := place[s.next()]
		if !was || at >= asked {
			continue // in the next inquiry
		}
		if s.hear(answers[at]) {
			more = append(more, s)
			continue
		}
		*settled = append(*settled, finding(s))
	}
	return more, err
}

// gathered are the questions of one request, each once, and their places in it.
// Titles come first: a service that answers by place may count those alone.
func gathered(open []*subject) (wanted []resolve.Question, place map[resolve.Question]int) {
	place = map[resolve.Question]int{}
	for _, s := range open {
		if _, known := place[s.next()]; !known && len(wanted) < tracker.MaxResolveItems {
			place[s.next()] = 0
			wanted = append(wanted, s.next())
		}
	}
	slices.SortStableFunc(wanted, func(a, b resolve.Question) int { return min(len(a.IMDB), 1) - min(len(b.IMDB), 1) })
	for i, w := range wanted {
		place[w] = i
	}
	return wanted, place
}

// finding is what the answers mean for an entry.
func finding(s *subject) queue.Finding {
	j := resolve.Judge(*s.lookup.Entry.Media, s.questions[0], s.answer, s.beside)
	f := queue.Finding{Lookup: s.lookup, Media: j.Media, Said: j.Said}
	if j.Edit != "" {
		f.Said += fmt.Sprintf(" If that is right: filmspool queue edit %d %s", s.lookup.Entry.ID, j.Edit)
	}
	if wait, again := resolve.Again(s.lookup.Asked + 1); again && j.Media == nil {
		f.AskAt = time.Now().Add(wait)
	}
	return f
}

// answers asks questions in one request or, where the service does not take
// that, one by one, and says how many of them were answered.
func (q *inquiry) answers(ctx context.Context, wanted []resolve.Question) (found map[int]resolve.Answer, asked int, err error) {
	if q.ways.may(supportResolveMany) {
		items := make([]tracker.Wanted, len(wanted))
		for i, w := range wanted {
			items[i] = tracker.Wanted(w)
		}
		found, err := q.service.ResolveBatch(ctx, items)
		if err == nil {
			q.ways.note(supportResolveMany, nil)
			answers := make(map[int]resolve.Answer, len(found))
			for i, m := range found {
				answers[i] = resolve.Answer(m)
			}
			return answers, len(wanted), nil
		}
		if !errors.Is(err, tracker.ErrNoEndpoint) {
			return nil, 0, err
		}
		if !declined(err) || !q.ways.may(supportResolve) {
			q.ways.note(supportResolveMany, err)
		}
	}
	if !q.ways.may(supportResolve) {
		return nil, 0, errNoResolver
	}
	return q.oneByOne(ctx, wanted)
}

// declined reports whether the service has the endpoint, and refuses the
// question.
func declined(err error) bool {
	v, _ := tracker.VerdictOf(err)
	return v.Status == http.StatusBadRequest || v.Status == http.StatusUnprocessableEntity
}

// tries is how many questions have to be answered with 404 before that means
// that there is no such endpoint, where it has never answered otherwise.
const tries = 3

// oneByOne asks each question by itself. A 404 may mean that the service does
// not know the item, or that it cannot be asked: it is the latter when nothing
// else is ever said.
func (q *inquiry) oneByOne(ctx context.Context, wanted []resolve.Question) (found map[int]resolve.Answer, asked int, err error) {
	found = map[int]resolve.Answer{}
	for i, w := range wanted {
		if i > 0 && !sleep(ctx.Done(), apart) {
			err = ctx.Err()
			break
		}
		m, fault := q.service.Resolve(ctx, tracker.Wanted(w))
		if err = q.single(fault, i+1, len(wanted)); err != nil {
			break
		}
		asked = i + 1
		if m.TMDB > 0 {
			found[i] = resolve.Answer(m)
		}
	}
	if !q.ways.has(supportResolve) {
		asked = 0
	}
	return found, asked, err
}

// single takes note of how the n-th of so many questions was answered; its
// error ends them.
func (q *inquiry) single(fault error, n, of int) error {
	v, _ := tracker.VerdictOf(fault)
	unknown := v.Status == http.StatusNotFound
	switch {
	case fault == nil:
		q.ways.note(supportResolve, nil)
		return nil
	case !errors.Is(fault, tracker.ErrNoEndpoint):
		return fault
	case declined(fault): // so it is there
		q.ways.note(supportResolve, nil)
		return nil
	case unknown && (q.ways.has(supportResolve) || n < min(tries, of)):
		return nil
	default:
		q.ways.note(supportResolve, fault)
		return errNoResolver
	}
}
