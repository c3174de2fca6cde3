package replay

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
)

// Options configures [New].
type Options struct {
	// Account is the name of the account to send for.
	Account string
	Outbox  *queue.Store
	// Service is nil while there is no key.
	Service *tracker.Client
	// Rate limits the entries sent per second, BackfillRate the imported ones
	// among them; 0 means no limit.
	Rate, BackfillRate float64
	// Providers returns the providers that identify items besides the service:
	// Wikidata and TMDB, if the user enabled them. nil means none.
	Providers func() resolve.Chain
	// InDoubt decides about entries in doubt that reading back cannot resolve; ""
	// means [doubt.Hold].
	InDoubt doubt.Setting
	// Idempotent says that the service records a request with the same
	// Idempotency-Key only once: entries in doubt are then sent again for 12
	// hours, and held afterwards.
	Idempotent bool
	// Waits are the waits before reading back; zero values mean the defaults of
	// package doubt. A shorter First also shortens the wait before a resend with
	// the same Idempotency-Key.
	Waits doubt.Waits
	// InstallationID goes into the Idempotency-Key of each request.
	InstallationID string
	// Logger already carries the account's name; nil discards.
	Logger *slog.Logger
	// Step is called before each write in tests; its error is treated as a disk error.
	Step func(Step) error
}

// Step is a point in the loop where it writes the queue.
type Step string

// The steps: before and after an entry is marked as sending, before the result of its
// request is written, and before anything else is written.
const (
	StepMark   Step = "mark"
	StepMarked Step = "marked"
	StepSettle Step = "settle"
	StepSave   Step = "save"
)

// Loop sends the entries of one account. Its methods may be called from any
// goroutine.
type Loop struct {
	options Options
	policy  doubt.Policy
	jitter  jitter

	wakeups chan struct{} // filled by Wake
	changes queue.Changes // notifies subscribers of a changed Health

	mu         sync.Mutex
	service    *tracker.Client
	cancelWork context.CancelCauseFunc // cancels run.ctx when the service is replaced
	health     Health
	sends      map[string]int64 // see Sends
}

// New returns a loop that does nothing until [Loop.Run].
func New(o Options) *Loop {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Step == nil {
		o.Step = func(Step) error { return nil }
	}
	l := &Loop{
		options: o, policy: doubt.Policy{Setting: cmp.Or(o.InDoubt, doubt.Hold), Idempotent: o.Idempotent, Waits: o.Waits}, jitter: fullJitter,
		wakeups: make(chan struct{}, 1), health: Health{State: account.OK, Since: time.Now()}, sends: map[string]int64{},
		service: o.Service, cancelWork: func(error) {},
	}
	if o.Service == nil {
		l.health.State = account.NoKey
	}
	return l
}

// Wake makes the loop retry now: the network is back, the machine has resumed,
// the user asked for a retry or changed the account's row (for example to pause
// or resume it). An account that is offline or paused is probed at once, but not
// before the end of a Retry-After.
func (l *Loop) Wake() {
	select {
	case l.wakeups <- struct{}{}:
	default:
	}
}

// SetService replaces the service after a change of key or address; nil removes the key.
// The account is probed at once, and sends again after a successful probe. A request
// in progress finishes with the old service; its response no longer affects the state of
// the key or the address.
func (l *Loop) SetService(s *tracker.Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.service = s
	l.cancelWork(errServiceReplaced)
}

// errServiceReplaced is the cause with which [Loop.SetService] cancels the current work.
var errServiceReplaced = errors.New("another service is used")

// Sends returns the number of requests for entries since [New] by their result: a
// [tracker.Outcome], "unreachable" for [tracker.Offline], or "throttled" for a 429.
func (l *Loop) Sends() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.sends)
}

// countSend counts one request for an entry by its result.
func (l *Loop) countSend(v tracker.Verdict) {
	result := string(v.Outcome)
	switch {
	case v.Status == http.StatusTooManyRequests:
		result = "throttled"
	case v.Outcome == tracker.Offline:
		result = "unreachable"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sends[result]++
}
