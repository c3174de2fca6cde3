package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrNotNow says that the service cannot be asked now: there is no key, the
// account is paused, or no good answer came.
var ErrNotNow = errors.New("the service cannot be asked now")

// Told is what the service says of an item that somebody asks about.
type Told struct {
	// Media is the item with its identifier; nil when that is not certain.
	Media *viewing.Media
	// Suggestions are what it may be; none where nothing is known of it.
	Suggestions []resolve.Answer
}

// Ask asks the service what an item is, by the rule that entries without an
// identifier are asked by. It keeps nothing and records nothing. The error
// wraps [ErrNotNow], and in it the [*tracker.ReadError] where there was one.
func (l *Loop) Ask(ctx context.Context, m viewing.Media) (Told, error) {
	l.mu.Lock()
	service, able := l.service.(Resolver)
	state := l.health.State
	l.mu.Unlock()
	if !able || state == account.Paused || state == account.Attention || state == account.NoKey {
		return Told{}, ErrNotNow
	}
	known, err := waysOf(ctx, l.outbox, l.account)
	if err != nil {
		return Told{}, fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	if !known.may(supportResolveMany) && !known.may(supportResolve) {
		return Told{}, nil // it cannot be asked at all
	}
	q := inquiry{outbox: l.outbox, account: l.account, service: service, write: ctx, log: l.log, ways: known}
	for _, question := range resolve.Questions(m) {
		answers, asked, err := q.answers(ctx, []resolve.Question{question})
		switch {
		case errors.Is(err, errNoResolver):
			return Told{}, nil
		case err != nil:
			return Told{}, fmt.Errorf("%w: %w", ErrNotNow, err)
		case asked == 0:
			continue
		}
		if a, found := answers[0]; found {
			return q.told(ctx, m, question, a)
		}
	}
	return Told{}, nil
}

// told is what an answer means for an item. Before a title's answer is taken,
// the years beside are asked about.
func (q *inquiry) told(ctx context.Context, m viewing.Media, question resolve.Question, a resolve.Answer) (Told, error) {
	if a.TMDB <= 0 || a.Type != string(viewing.Movie) && a.Type != string(viewing.TV) {
		return Told{}, nil
	}
	beside := []resolve.Answer{}
	if near := resolve.Near(m, question, a); len(near) > 0 {
		answers, asked, err := q.answers(ctx, near)
		if err != nil {
			return Told{}, fmt.Errorf("%w: %w", ErrNotNow, err)
		}
		if asked < len(near) {
			return Told{Suggestions: []resolve.Answer{a}}, nil
		}
		for i := range near {
			if other := answers[i]; other.Type == a.Type && other.TMDB != a.TMDB {
				beside = append(beside, other)
			}
		}
	}
	if j := resolve.Judge(m, question, a, beside); j.Media != nil {
		return Told{Media: j.Media}, nil
	}
	return Told{Suggestions: append([]resolve.Answer{a}, beside...)}, nil
}

// WaitOf is how long a service that could not be asked wants to be left alone;
// 0 when it has not said.
func WaitOf(err error) time.Duration {
	v, _ := tracker.VerdictOf(err)
	return v.RetryAfter
}
