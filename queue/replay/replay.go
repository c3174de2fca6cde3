package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Outbox is what the loop needs of the queue; [*queue.Store] has it.
type Outbox interface {
	Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...viewing.Lane) ([]queue.Entry, error)
	Release(ctx context.Context, entries []queue.Entry) error
	Sending(ctx context.Context, e queue.Entry) (attempt int64, err error)
	Settle(ctx context.Context, t queue.Settlement) error
	NextDue(ctx context.Context, account string, lanes ...viewing.Lane) (t time.Time, ok bool, err error)
	Newest(ctx context.Context) (int64, error)
	PendingAfter(ctx context.Context, account string, id int64) (bool, error)
	Subscribe() (ch <-chan struct{}, stop func())
	Account(ctx context.Context, name string) (account.Row, error)
	UpdateAccount(ctx context.Context, name string, edit func(*account.Row)) error
}

// Service is what the loop needs of the tracking service; [*tracker.Client]
// has it. Each call is one request at most, bounded in time by the service.
type Service interface {
	// Send asks for one entry to be recorded.
	Send(ctx context.Context, r tracker.Request) tracker.Verdict
	// Probe records nothing; Delivered means that requests would be taken now.
	Probe(ctx context.Context) tracker.Verdict
	// Proven reports whether the address has answered as the service does.
	Proven() bool
}

// Doubts is where entries in doubt are kept; [*queue.Store] has it.
type Doubts interface {
	Doubts(ctx context.Context, account string) ([]queue.Doubt, error)
	Doubt(ctx context.Context, entry int64) (d queue.Doubt, ok bool, err error)
	NextReadBack(ctx context.Context, account string) (t time.Time, ok bool, err error)
	RecordReadBack(ctx context.Context, m queue.ReadBack) error
	Answered(ctx context.Context, account string, since time.Time, n int) ([]entry.Sent, error)
	Claims(ctx context.Context, account string, keys []string) ([]queue.Entry, error)
	WatchedSince(ctx context.Context, account string, m viewing.Media, since time.Time) (bool, error)
	KeepLists(ctx context.Context, entry int64, ids []string) error
	Kin(ctx context.Context, entry int64) (entry.Kin, error)
}

// Reader is a [Service] that can be read back; [*tracker.Client] is one. Any
// of its endpoints may be missing.
type Reader interface {
	Me(ctx context.Context) (tracker.User, error)
	AllHistory(ctx context.Context, t viewing.MediaType) (tracker.Reading, error)
	MediaStatus(ctx context.Context, items []viewing.Media) (map[string]tracker.ItemStatus, error)
	Lists(ctx context.Context) (lists []tracker.RemoteList, complete bool, err error)
}

// Lookups is where entries without an identifier are kept; [*queue.Store] has it.
type Lookups interface {
	Lookups(ctx context.Context, account string, n int) ([]queue.Lookup, error)
	NextLookup(ctx context.Context, account string) (t time.Time, ok bool, err error)
	Found(ctx context.Context, findings []queue.Finding) error
}

// Resolver is a [Service] that can say what an item is; [*tracker.Client] is
// one. Any of its endpoints may be missing.
type Resolver interface {
	ResolveBatch(ctx context.Context, items []tracker.Wanted) (map[int]tracker.Match, error)
	Resolve(ctx context.Context, w tracker.Wanted) (tracker.Match, error)
}

// The number of requests under way at once.
const (
	DefaultInFlight = 4
	MaxInFlight     = 16
)

// Options configures [New].
type Options struct {
	// Account is the name of the account whose entries are sent.
	Account string
	Outbox  Outbox
	// Service is nil as long as there is no key: nothing is leased then.
	Service Service
	// MaxInFlight is the largest number of requests under way at once, 1 to
	// 16; 0 is 4.
	MaxInFlight int
	// Rate is how many entries a second may begin to leave, and BackfillRate how
	// many of those may be of imports; 0 is no limit. Questions that record
	// nothing come besides.
	Rate, BackfillRate float64
	// Doubts is where entries in doubt are kept; nil leaves them to the user.
	Doubts Doubts
	// Lookups is where entries without an identifier are kept, of which the
	// service is asked what they are; nil leaves them to the user.
	Lookups Lookups
	// Others are those that are asked after the service what an item is: Wikidata and
	// TMDB where they are turned on, and can be asked now; nil for none.
	Others func() resolve.Chain
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
}

// ErrRunning is returned by [Loop.Run] when the loop runs already.
var ErrRunning = errors.New("replay runs already")

// Loop sends the entries of one account. Its methods may be called from any
// goroutine.
type Loop struct {
	account      string
	installation string
	outbox       Outbox
	most         int
	rate         float64 // requests a second; 0 is no limit
	backfillRate float64 // of these, of imports
	doubts       Doubts
	lookups      Lookups
	others       func() resolve.Chain
	policy       doubt.Policy
	log          *slog.Logger
	jitter       jitter

	woken  chan struct{} // one slot each: several nudges melt into one
	used   chan struct{}
	called chan struct{} // no slot: whether the loop comes round

	running  atomic.Bool
	mu       sync.Mutex
	service  Service
	health   Health
	watchers map[chan struct{}]bool
	quiet    time.Time        // the service wants to be left alone until then
	sends    map[string]int64 // see Sends
}

// New makes a loop that does nothing until [Loop.Run].
func New(o Options) (*Loop, error) {
	if o.MaxInFlight == 0 {
		o.MaxInFlight = DefaultInFlight
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.InDoubt == "" {
		o.InDoubt = doubt.Hold
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("make replay: %w", err)
	}
	return &Loop{
		account: o.Account, installation: o.InstallationID, outbox: o.Outbox, service: o.Service,
		most: o.MaxInFlight, rate: o.Rate, backfillRate: o.BackfillRate, log: o.Logger, jitter: fullJitter,
		doubts: o.Doubts, lookups: o.Lookups, others: o.Others, policy: doubt.Policy{Setting: o.InDoubt, Idempotent: o.Idempotent, Waits: o.Waits},
		woken: make(chan struct{}, 1), used: make(chan struct{}, 1), called: make(chan struct{}),
		health:   Health{State: first(o.Service), Since: time.Now()},
		watchers: map[chan struct{}]bool{}, sends: map[string]int64{},
	}, nil
}

func (o Options) check() error {
	var faults []error
	if o.Account == "" {
		faults = append(faults, errors.New("account has no name"))
	}
	if o.Outbox == nil {
		faults = append(faults, errors.New("outbox is missing"))
	}
	if o.InstallationID == "" {
		faults = append(faults, errors.New("installation id is missing"))
	}
	if o.MaxInFlight < 1 || o.MaxInFlight > MaxInFlight {
		faults = append(faults, fmt.Errorf("max in flight is %d, must be from 1 to %d", o.MaxInFlight, MaxInFlight))
	}
	if !(o.Rate >= 0 && o.BackfillRate >= 0) { // NaN is neither
		faults = append(faults, fmt.Errorf("rate is %g, of imports %g, must not be negative", o.Rate, o.BackfillRate))
	}
	if !o.InDoubt.Valid() {
		faults = append(faults, fmt.Errorf("in doubt is %q, must be hold, resend or delivered", o.InDoubt))
	}
	return errors.Join(faults...)
}

// Wake tells the loop that things may have changed for the better: the
// network is back, the machine has resumed, the user asked to try again or
// has changed the account's row (to pause or resume it, say). An account that
// is offline or paused is probed at once. A Retry-After still holds.
func (l *Loop) Wake() { nudge(l.woken) }

// Use takes another service: a new key or address. The account is probed at
// once, and goes on when the probe is answered well. Requests under way end
// with the service they began with; what that one says of itself no longer
// counts. nil takes the key away. A nil pointer in s is not nil: do not pass one.
func (l *Loop) Use(s Service) {
	l.mu.Lock()
	l.service = s
	l.mu.Unlock()
	nudge(l.used)
}

// nudge leaves word in a channel of one slot.
func nudge(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
