package resolve

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Asker asks somebody.
type Fetcher interface {
	// Fetch asks questions and gives what was answered; nil for what cannot be
	// answered there. With an error, that is what was answered before it.
	Fetch(ctx context.Context, wanted []Question) (map[Question]*Answer, error)
}

// ErrRefused is wrapped by the error of an [Fetcher] that is refused, as with a wrong
// token: a person must act. All other errors pass by themselves.
var ErrRefused = errors.New("access is refused")

// How long somebody is left alone after trouble, and after a refusal.
const (
	retryDelay   = 10 * time.Minute
	refusedDelay = 24 * time.Hour
)

// Provider is one that is asked: the service, Wikidata or TMDB. It may be used from
// several goroutines.
type Provider struct {
	Name    string // for a person
	Address string // its address: another one may give other answers
	Fetcher Fetcher
	Cache   *Cache // nil remembers nothing
	Log     *slog.Logger

	mu      sync.Mutex
	trouble error     // why it could not be asked the last time
	retryAt time.Time // it is not asked before
	answers map[string]int64
}

// Key names whose answers are kept.
func (p *Provider) CacheKey() string { return p.Name + " " + p.Address }

// Answers counts questions: "remembered", "found", "none" where it knows nothing, and
// "failed" where there was no answer.
func (p *Provider) Answers() map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.answers)
}

// Trouble is why it could not be asked the last time; nil when all is well.
func (p *Provider) Trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble
}

// Ask has one question answered; nil where it cannot be.
func (p *Provider) Ask(ctx context.Context, q Question) (*Answer, error) {
	found, err := p.answer(ctx, []Question{q})
	return found[q], err
}

// learn has questions answered: by the cache, else by asking. A cache that fails
// costs requests, and nothing else.
func (p *Provider) answer(ctx context.Context, open []Question) (found map[Question]*Answer, err error) {
	found = p.Cache.load(p.CacheKey(), open)
	var rest []Question
	for _, q := range open {
		if a, ok := found[q]; ok {
			a.By, a.FromCache = p.Name, true
			p.count("remembered")
		} else {
			rest = append(rest, q)
		}
	}
	if len(rest) == 0 {
		return found, nil
	}
	p.mu.Lock()
	trouble, rests := p.trouble, p.retryAt
	p.mu.Unlock()
	if trouble != nil && time.Now().Before(rests) {
		return found, trouble
	}
	fetched, err := p.Fetcher.Fetch(ctx, rest)
	answered := false
	for _, q := range rest {
		a, ok := fetched[q]
		switch {
		case !ok:
			p.count("failed")
		case a.isEmpty():
			p.count("none")
		default:
			p.count("found")
		}
		if a != nil {
			a.By, answered = p.Name, true
		}
	}
	// Where it was we who had no time, it is in no trouble.
	if ours := ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded); !ours && (err != nil || answered) {
		p.recordOutcome(err)
	}
	maps.Copy(found, fetched)
	if err := p.Cache.save(p.CacheKey(), fetched); err != nil {
		p.Log.Debug("answers are not kept", "error", err)
	}
	return found, err
}

func (p *Provider) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil {
		p.answers = map[string]int64{}
	}
	p.answers[what]++
}

// record stores how an attempt to ask has ended.
func (p *Provider) recordOutcome(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble = err; err == nil {
		return
	}
	wait := retryDelay
	if errors.Is(err, ErrRefused) {
		wait = refusedDelay
	}
	if later, ok := errors.AsType[*UnavailableError](err); ok {
		wait = max(wait, later.Wait)
	}
	p.retryAt = time.Now().Add(wait)
}
