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
	answers map[string]int64
	amiss   string // why answers were not remembered the last time
}

// NewLink makes one. name is for a person to read.
func NewLink(name string, asker Asker, memory Memory, log *slog.Logger) *Link {
	return &Link{name: name, asker: asker, memory: memory, log: log, answers: map[string]int64{}}
}

// Answers counts questions since [NewLink]: "remembered", "found", "none" where it
// knows nothing, and "failed" where there was no answer.
func (l *Link) Answers() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.answers)
}

// count takes note of how many questions were answered by the memory, and of how
// those were answered that somebody was asked.
func (l *Link) count(remembered int, asked []identity.Question, answers map[identity.Question]*identity.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers["remembered"] += int64(remembered)
	for _, q := range asked {
		switch a, answered := answers[q]; {
		case !answered:
			l.answers["failed"]++
		case said{a, ""}.empty():
			l.answers["none"]++
		default:
			l.answers["found"]++
		}
	}
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
	remembered, amiss := l.memory.Recall(ctx, open)
	defer func() { l.remembers(amiss) }()
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
		l.count(len(open), nil, nil)
		return nil
	}
	if err := l.mayAsk(); err != nil {
		return err
	}
	fetched, err := l.asker.Fetch(ctx, rest)
	l.count(len(open)-len(rest), rest, fetched)
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
	amiss = errors.Join(amiss, l.memory.Keep(context.WithoutCancel(ctx), keep))
	return err
}

// remembers logs that the memory begins to fail, and that this is over.
func (l *Link) remembers(err error) {
	now := ""
	if err != nil {
		now = err.Error()
	}
	l.mu.Lock()
	was := l.amiss
	l.amiss = now
	l.mu.Unlock()
	switch {
	case was == now:
	case err != nil:
		l.log.Warn("answers not remembered", "error", err)
	default:
		l.log.Info("answers are remembered again")
	}
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
