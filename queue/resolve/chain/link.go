package chain

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/web"
)

// Asker asks somebody.
type Asker interface {
	// Fetch asks questions and gives what was answered; nil for what cannot be
	// answered there. With an error, that is what was answered before it. Other
	// errors than a [*web.LaterError] say that we are refused.
	Fetch(ctx context.Context, wanted []identity.Question) (map[identity.Question]*identity.Answer, error)
}

// Memory keeps answers; [*memory.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, wanted []identity.Question) (map[identity.Question]identity.Answer, error)
	Keep(ctx context.Context, answers map[identity.Question]identity.Answer) error
}

// How long somebody is left alone after trouble, and after a refusal. The first
// doubles with each further trouble.
const (
	restsFor   = time.Minute
	restsMost  = time.Hour
	refusedFor = 24 * time.Hour
)

// Link is one that is asked. It may be used from several goroutines.
type Link struct {
	name   string
	asker  Asker
	memory Memory
	log    *slog.Logger

	mu      sync.Mutex
	trouble error         // why it could not be asked the last time
	rested  time.Duration // how long it was left alone for that
	rests   time.Time     // it is not asked before
}

// NewLink makes one. name is for a person to read.
func NewLink(name string, asker Asker, memory Memory, log *slog.Logger) *Link {
	return &Link{name: name, asker: asker, memory: memory, log: log}
}

// Trouble is why it could not be asked the last time; nil when all is well.
func (l *Link) Trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}

// learn has questions answered: by the memory, else by asking. A memory that
// fails costs requests, and nothing else.
func (l *Link) learn(ctx context.Context, open []identity.Question, known map[identity.Question]*identity.Answer) error {
	remembered, err := l.memory.Recall(ctx, open)
	if err != nil {
		l.log.Warn("answers not recalled", "error", err)
	}
	var rest []identity.Question
	for _, q := range open {
		if a, ok := remembered[q]; ok {
			a.Kept = true
			known[q] = &a
		} else {
			rest = append(rest, q)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if err := l.mayAsk(); err != nil {
		return err
	}
	fetched, err := l.asker.Fetch(ctx, rest)
	ours := ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) // it was we who had no time
	told := slices.ContainsFunc(slices.Collect(maps.Values(fetched)), func(a *identity.Answer) bool { return a != nil })
	if !ours && (err != nil || told) {
		l.took(err)
	}
	maps.Copy(known, fetched)
	keep := map[identity.Question]identity.Answer{}
	for q, a := range fetched {
		if a != nil {
			keep[q] = *a
		}
	}
	if kept := l.memory.Keep(context.WithoutCancel(ctx), keep); kept != nil {
		l.log.Warn("answers not remembered", "error", kept)
	}
	return err
}

// mayAsk is the last trouble while it is to be left alone.
func (l *Link) mayAsk() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.rests) {
		return l.trouble
	}
	return nil
}

// took notes how an attempt to ask has ended.
func (l *Link) took(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = err
	if err == nil {
		l.rested = 0
		return
	}
	l.rested = min(max(restsFor, 2*l.rested), restsMost)
	wait := refusedFor
	if later, ok := errors.AsType[*web.LaterError](err); ok {
		wait = max(later.Wait, l.rested)
	}
	l.rests = time.Now().Add(wait)
}
