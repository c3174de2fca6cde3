package resolve

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Fetcher requests answers from a provider.
type Fetcher interface {
	// Fetch requests the answers to questions. An answer is nil if the provider cannot
	// answer such a question. If it fails, Fetch returns the error and the answers so far.
	Fetch(ctx context.Context, wanted []Question) (map[Question]*Answer, error)
}

// ErrRefused is wrapped by the error of a [Fetcher] if the provider refuses access, for
// example because of a wrong token: the user must act. All other errors are temporary.
var ErrRefused = errors.New("access is refused")

// The waits after an error, and after a refusal.
const (
	retryDelay   = 10 * time.Minute
	refusedDelay = 24 * time.Hour
)

// Provider answers questions with a cache, back-off after errors, and counters: the
// service, Wikidata or TMDB. It may be used from several goroutines.
type Provider struct {
	Name    string // shown to the user
	Address string // part of the cache key: another address may give other answers
	Fetcher Fetcher
	Cache   *Cache // nil for no cache
	Log     *slog.Logger

	mu        sync.Mutex
	lastError error     // the error of the last request
	retryAt   time.Time // no request before this time
	answers   map[string]int64
}

// CacheKey returns the key of this provider's answers in a [Cache].
func (p *Provider) CacheKey() string { return p.Name + " " + p.Address }

// Answers returns the number of questions by result: "remembered" (from the cache),
// "found", "none" (nothing found) and "failed" (no answer).
func (p *Provider) Answers() map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.answers)
}

// LastError returns the error of the last request; nil if it succeeded.
func (p *Provider) LastError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastError
}

// Ask returns the answer to one question; nil if there is none.
func (p *Provider) Ask(ctx context.Context, q Question) (*Answer, error) {
	found, err := p.answer(ctx, []Question{q})
	return found[q], err
}

// answer answers questions from the cache, or by requests. A cache error only causes more
// requests.
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
	lastError, retryAt := p.lastError, p.retryAt
	p.mu.Unlock()
	if lastError != nil && time.Now().Before(retryAt) {
		return found, lastError
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
	// A canceled or expired context is not the provider's fault.
	if canceled := ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded); !canceled && (err != nil || answered) {
		p.recordOutcome(err)
	}
	maps.Copy(found, fetched)
	if err := p.Cache.save(p.CacheKey(), fetched); err != nil {
		p.Log.Debug("answers are not kept", "error", err)
	}
	return found, err
}

// count counts one question by its result.
func (p *Provider) count(result string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil {
		p.answers = map[string]int64{}
	}
	p.answers[result]++
}

// recordOutcome stores the result of a request, and after an error the time of the next one.
func (p *Provider) recordOutcome(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lastError = err; err == nil {
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
