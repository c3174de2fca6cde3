package tmdb

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// Memory keeps answers; [*memory.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, wanted []identity.Question) (map[identity.Question]identity.Answer, error)
	Keep(ctx context.Context, answers map[identity.Question]identity.Answer) error
}

// maxRounds is how often answers may lead to further questions. The longest way
// is a search, the names of its hits, and a season.
const maxRounds = 8

// restsFor is how long TMDB is left alone after trouble, at least.
const restsFor = time.Minute

// refusedFor is how long a refused token is not shown again.
const refusedFor = 24 * time.Hour

// Resolver decides what items are, and asks TMDB what it needs to know for that.
// It may be used from several goroutines.
type Resolver struct {
	client *Client
	memory Memory
	log    *slog.Logger

	mu      sync.Mutex
	refused time.Time // when the token was refused; zero when it was not
	trouble error     // why it could not be asked the last time
	rests   time.Time // it is not asked before
}

// NewResolver makes one.
func NewResolver(client *Client, memory Memory, log *slog.Logger) *Resolver {
	return &Resolver{client: client, memory: memory, log: log}
}

// Trouble is why TMDB could not be asked the last time; it wraps [ErrToken] where
// it refuses the token. It is nil when all is well.
func (r *Resolver) Trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// Decide decides about each piece of evidence. With an error, those that lack an
// answer are left with open questions. The error wraps [ErrToken], or is a
// [*LaterError].
func (r *Resolver) Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error) {
	known := answers{}
	decided := make([]identity.Decision, len(all))
	for range maxRounds {
		var open []identity.Question
		seen := map[identity.Question]bool{}
		for i, e := range all {
			decided[i] = identity.Decide(e, known)
			for _, q := range decided[i].Open {
				if !seen[q] {
					seen[q] = true
					open = append(open, q)
				}
			}
		}
		if len(open) == 0 {
			return decided, nil
		}
		if err := r.learn(ctx, open, known); err != nil {
			return again(all, known), err
		}
	}
	return decided, nil
}

// again decides once more by what was learned before the trouble.
func again(all []identity.Evidence, known answers) []identity.Decision {
	decided := make([]identity.Decision, len(all))
	for i, e := range all {
		decided[i] = identity.Decide(e, known)
	}
	return decided
}

// learn has questions answered: by the memory, else by TMDB. A memory that fails
// costs requests, and nothing else.
func (r *Resolver) learn(ctx context.Context, open []identity.Question, known answers) error {
	remembered, err := r.memory.Recall(ctx, open)
	if err != nil {
		r.log.Warn("answers not recalled", "error", err)
	}
	for q, a := range remembered {
		known[q] = &a
	}
	var rest []identity.Question
	for _, q := range open {
		if _, ok := remembered[q]; !ok {
			rest = append(rest, q)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if err := r.mayAsk(); err != nil {
		return err
	}
	fetched, err := r.client.Fetch(ctx, rest)
	if ctx.Err() == nil { // else it was we who stopped it
		r.took(err)
	}
	keep := map[identity.Question]identity.Answer{}
	for q, a := range fetched {
		if known[q] = a; a != nil {
			keep[q] = *a
		}
	}
	if kept := r.memory.Keep(context.WithoutCancel(ctx), keep); kept != nil {
		r.log.Warn("answers not remembered", "error", kept)
	}
	return err
}

// mayAsk keeps a refused token back for a day, and leaves TMDB alone after trouble
// as long as it has asked for.
func (r *Resolver) mayAsk() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.refused.IsZero() && time.Since(r.refused) < refusedFor {
		return ErrToken
	}
	if time.Now().Before(r.rests) {
		return r.trouble
	}
	return nil
}

// took notes whether the token was taken.
func (r *Resolver) took(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble, r.refused, r.rests = err, time.Time{}, time.Time{}
	if errors.Is(err, ErrToken) {
		r.refused = time.Now()
	}
	var later *LaterError
	if errors.As(err, &later) {
		r.rests = time.Now().Add(max(later.Wait, restsFor))
	}
}

// answers are what is known; what is not can be asked. There are no mappings.
type answers map[identity.Question]*identity.Answer

// Answer implements [identity.Known].
func (a answers) Answer(q identity.Question) (*identity.Answer, bool) {
	answer, ok := a[q]
	return answer, ok
}

// Mapped implements [identity.Known].
func (a answers) Mapped(identity.Place) []identity.Place { return nil }
