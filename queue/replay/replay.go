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
	// Account is the name of the account whose entries are sent.
	Account string
	Outbox  *queue.Store
	// Service is nil as long as there is no key.
	Service *tracker.Client
	// Rate is how many entries may be sent a second, and BackfillRate how many of
	// those may be of imports; 0 is no limit.
	Rate, BackfillRate float64
	// Others are those that are asked after the service what an item is: Wikidata and
	// TMDB, where the user turned them on. nil is for none.
	Providers func() resolve.Chain
	// InDoubt is what becomes of those that reading back cannot settle; "" is
	// [doubt.Hold].
	InDoubt doubt.Setting
	// Idempotent says that the service records a request with the same
	// Idempotency-Key once: what is in doubt is then sent again for 12 hours,
	// and held afterwards.
	Idempotent bool
	// Waits are those of reading back; zero values are package doubt's own. A
	// shorter first one also brings resends with the same key forward.
	Waits doubt.Waits
	// InstallationID goes into the Idempotency-Key of each request.
	InstallationID string
	// Logger names the account already; nil discards.
	Logger *slog.Logger
	// Step is called at each step, in tests: an error is one of the disk.
	Step func(Step) error
}

// Step is a point in the loop where it writes the queue.
type Step string

// The steps: before and after an entry is marked as sending, before its answer is written,
// and before anything else is written.
const (
	StepMark   Step = "mark"
	StepMarked Step = "marked"
	StepSettle Step = "settle"
	StepSave   Step = "save"
)

// Loop sends the entries of one account. Its methods may be called from any
// goroutine.
type Loop struct {
	o      Options
	policy doubt.Policy
	jitter jitter

	wakeups chan struct{} // of Wake
	changes queue.Changes // of the health

	mu         sync.Mutex
	service    *tracker.Client
	cancelWork context.CancelCauseFunc // ends what is done with the service before
	health     Health
	sends      map[string]int64 // see Sends
}

// New makes a loop that does nothing until [Loop.Run].
func New(o Options) *Loop {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Step == nil {
		o.Step = func(Step) error { return nil }
	}
	l := &Loop{
		o: o, policy: doubt.Policy{Setting: cmp.Or(o.InDoubt, doubt.Hold), Idempotent: o.Idempotent, Waits: o.Waits}, jitter: fullJitter,
		wakeups: make(chan struct{}, 1), health: Health{State: account.OK, Since: time.Now()}, sends: map[string]int64{},
		service: o.Service, cancelWork: func(error) {},
	}
	if o.Service == nil {
		l.health.State = account.NoKey
	}
	return l
}

// Wake tells the loop that things may have changed for the better: the
// network is back, the machine has resumed, the user asked to try again or
// has changed the account's row (to pause or resume it, say). An account that
// is offline or paused is probed at once. A Retry-After still holds.
func (l *Loop) Wake() {
	select {
	case l.wakeups <- struct{}{}:
	default:
	}
}

// Use takes another service: a new key or address; nil takes the key away. The account
// is probed at once, and goes on when the probe is answered well. A request under way
// ends with the service it began with; what that one says of the key or the address no
// longer counts.
func (l *Loop) SetService(s *tracker.Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.service = s
	l.cancelWork(errServiceReplaced)
}

// errReplaced is why something ends when another service is to be used.
var errServiceReplaced = errors.New("another service is used")

// Sends are the requests for entries since [New], by what the answer meant: a
// [tracker.Fate], "unreachable" for [tracker.Offline], or "throttled" for a 429.
func (l *Loop) Sends() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.sends)
}

func (l *Loop) countSend(v tracker.Verdict) {
	result := string(v.Fate)
	switch {
	case v.Status == http.StatusTooManyRequests:
		result = "throttled"
	case v.Fate == tracker.Offline:
		result = "unreachable"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sends[result]++
}
