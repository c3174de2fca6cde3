package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/identity"
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
	Suggestions []identity.Candidate
}

// Ask asks the service what an item is, by the rule that entries without an
// identifier are asked by. It records nothing. The error wraps [ErrNotNow], and in
// it the [*tracker.ReadError] where there was one.
func (l *Loop) Ask(ctx context.Context, m viewing.Media) (Told, error) {
	l.mu.Lock()
	service, able := l.service.(Resolver)
	state, quiet := l.health.State, time.Until(l.quiet)
	l.mu.Unlock()
	if !able || state == account.Paused || state == account.Attention || state == account.NoKey {
		return Told{}, ErrNotNow
	}
	if quiet > 0 {
		rest := tracker.Verdict{Fate: tracker.Later, Problem: "it wants to be left alone for now", RetryAfter: quiet}
		return Told{}, fmt.Errorf("%w: %w", ErrNotNow, &tracker.ReadError{Verdict: rest})
	}
	known, err := waysOf(ctx, l.outbox, l.account)
	if err != nil {
		return Told{}, fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	if !known.may(supportResolveMany) && !known.may(supportResolve) {
		return Told{}, nil // it cannot be asked at all
	}
	q := inquiry{Loop: l, service: service, write: ctx, ways: known}
	s := resolve.NewSubject(m)
	if s == nil {
		return Told{}, nil
	}
	s.OrSeries()
	for more := true; more; {
		answers, _, err := q.answers(ctx, []resolve.Question{s.Next()})
		if errors.Is(err, errNoResolver) {
			return Told{}, nil
		}
		if err != nil {
			return Told{}, fmt.Errorf("%w: %w", ErrNotNow, err)
		}
		more = s.Hear(answers[0])
	}
	if j := s.Judge(); j.Media != nil {
		return Told{Media: j.Media}, nil
	}
	return Told{Suggestions: s.Suggestions()}, nil
}

// WaitOf is how long a service that could not be asked wants to be left alone;
// 0 when it has not said.
func WaitOf(err error) time.Duration {
	v, _ := tracker.VerdictOf(err)
	return v.RetryAfter
}
