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

// Identify says what an item is, by the rule that entries without an identifier are
// asked by: the service is asked, and the others where they are turned on. It records
// nothing. Where the service cannot be asked, the others decide; the error then wraps
// [ErrNotNow], and in it the [*tracker.ReadError] where there was one.
func (l *Loop) Identify(ctx context.Context, e resolve.Evidence) (resolve.Decision, error) {
	q := inquiry{Loop: l, write: ctx}
	away := q.mayAsk(ctx)
	var c resolve.Chain
	if away == nil {
		c = q.chain()
	} else if l.others != nil {
		c = l.others()
	}
	decided, err := c.Decide(ctx, []resolve.Evidence{e})
	if q.trouble != nil {
		away = fmt.Errorf("%w: %w", ErrNotNow, q.trouble)
	}
	if d := decided[0]; len(d.Open) > 0 {
		return resolve.Alone(e), errors.Join(away, err)
	}
	return decided[0], away
}

// mayAsk refuses to ask a service that cannot be asked now.
func (q *inquiry) mayAsk(ctx context.Context) error {
	l := q.Loop
	l.mu.Lock()
	service, state, quiet := l.service, l.health.State, time.Until(l.quiet)
	l.mu.Unlock()
	if service == nil || state == account.Paused || state == account.Attention || state == account.NoKey {
		return ErrNotNow
	}
	if quiet > 0 {
		rest := tracker.Verdict{Fate: tracker.Later, Problem: viewing.Say("resting"), RetryAfter: quiet}
		return fmt.Errorf("%w: %w", ErrNotNow, &tracker.ReadError{Verdict: rest})
	}
	row, err := l.outbox.Account(ctx, l.account)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	q.service, q.row = service, row
	return nil
}
