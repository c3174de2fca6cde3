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
	known.add(remembered)
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
	r.took(err)
	known.add(fetched)
	if kept := r.memory.Keep(context.WithoutCancel(ctx), fetched); kept != nil {
		r.log.Warn("answers not remembered", "error", kept)
	}
	return err
}

// mayAsk keeps a refused token back for a day.
func (r *Resolver) mayAsk() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.refused.IsZero() && time.Since(r.refused) < refusedFor {
		return ErrToken
	}
	return nil
}

// took notes whether the token was taken.
func (r *Resolver) took(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, context.Canceled) {
		return // we have stopped it
	}
	r.trouble, r.refused = err, time.Time{}
	if errors.Is(err, ErrToken) {
		r.refused = time.Now()
	}
}

// answers are what is known; what is not can be asked. There are no mappings.
type answers map[identity.Question]*identity.Answer

func (a answers) add(more map[identity.Question]identity.Answer) {
	for q, answer := range more {
		a[q] = &answer
	}
}

// Answer implements [identity.Known].
func (a answers) Answer(q identity.Question) (*identity.Answer, bool) {
	answer, ok := a[q]
	return answer, ok
}

// Mapped implements [identity.Known].
func (a answers) Mapped(identity.Place) []identity.Place { return nil }
