package replay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// script is a service that answers as the test says.
type script struct {
	mu     sync.Mutex
	answer func(film int64) tracker.Verdict // nil delivers
	probed tracker.Verdict                  // the zero value is a good answer
	delay  time.Duration                    // of every answer
	proven bool
	sends  []sent
	probes []time.Time
	busy   int // requests under way
	most   int // the most there ever were
}

// sent is one request as it came.
type sent struct {
	at  time.Time
	req tracker.Request
}

func (s *script) Send(ctx context.Context, r tracker.Request) tracker.Verdict {
	s.mu.Lock()
	s.sends = append(s.sends, sent{time.Now(), r})
	s.busy++
	s.most = max(s.most, s.busy)
	answer, delay := s.answer, s.delay
	s.mu.Unlock()
	verdict := tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Problem: "cut off"}
	if sleep(ctx.Done(), delay) {
		verdict = delivered
		if answer != nil {
			verdict = answer(r.Media.IDs.TMDB)
		}
	}
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	return verdict
}

func (s *script) Probe(ctx context.Context) tracker.Verdict {
	s.mu.Lock()
	s.probes = append(s.probes, time.Now())
	verdict, delay := s.probed, s.delay
	s.mu.Unlock()
	if verdict.Fate == "" {
		verdict.Fate = tracker.Delivered
	}
	if !sleep(ctx.Done(), delay) {
		return tracker.Verdict{Fate: tracker.Offline}
	}
	return verdict
}

func (s *script) Proven() bool { return s.proven }

// set changes the script while the loop runs.
func (s *script) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// always has it answer every entry and every probe like that.
func (s *script) always(v tracker.Verdict) {
	s.set(func() { s.answer, s.probed = func(int64) tracker.Verdict { return v }, v })
}

// well has it take everything.
func (s *script) well() { s.set(func() { s.answer, s.probed = nil, tracker.Verdict{} }) }

// seen is how many entries and probes came so far.
func (s *script) seen() (sends, probes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sends), len(s.probes)
}

// sentAt is when entries came.
func (s *script) sentAt() (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sends {
		all = append(all, one.at)
	}
	return all
}

func (s *script) probedAt() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.probes)
}

// The answers that the tests use most.
var (
	delivered = tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
	offline   = tracker.Verdict{Fate: tracker.Offline, Problem: "the service cannot be reached"}
	refused   = tracker.Verdict{Fate: tracker.Refused, Sent: true, Status: 401, Problem: "the key is refused", Hint: "filmspool login"}
	early     = tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 425, Problem: "too early"}
	broken    = tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Status: 500, Problem: "it had trouble"}
)

var errDisk = errors.New("no space left on device")

// flaky is the queue on a disk that at times cannot be written or read.
type flaky struct {
	*queue.Store
	mu    sync.Mutex
	fails map[string]bool // by method
	slow  time.Duration   // before an entry is marked as sending
	calls int
	hits  int
}

// fail has these methods fail from now on; none ends that.
func (f *flaky) fail(methods ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.fails)
	for _, m := range methods {
		f.fails[m] = true
	}
}

// markSlowly has it take so long to mark an entry as sending.
func (f *flaky) markSlowly(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow = d
}

func (f *flaky) check(method string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.fails[method] {
		f.hits++
		return errDisk
	}
	return nil
}

// used is how many calls came, and how many of them failed.
func (f *flaky) used() (calls, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.hits
}

func (f *flaky) Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...viewing.Lane) ([]queue.Entry, error) {
	if err := f.check("Lease"); err != nil {
		return nil, err
	}
	return f.Store.Lease(ctx, account, n, ttl, lanes...)
}

func (f *flaky) NextDue(ctx context.Context, account string, lanes ...viewing.Lane) (time.Time, bool, error) {
	if err := f.check("NextDue"); err != nil {
		return time.Time{}, false, err
	}
	return f.Store.NextDue(ctx, account, lanes...)
}

func (f *flaky) Sending(ctx context.Context, e queue.Entry) (int64, error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	time.Sleep(slow)
	if err := f.check("Sending"); err != nil {
		return 0, err
	}
	return f.Store.Sending(ctx, e)
}

func (f *flaky) Settle(ctx context.Context, s queue.Settlement) error {
	if err := f.check("Settle"); err != nil {
		return err
	}
	return f.Store.Settle(ctx, s)
}

func (f *flaky) Account(ctx context.Context, name string) (account.Row, error) {
	if err := f.check("Account"); err != nil {
		return account.Row{}, err
	}
	return f.Store.Account(ctx, name)
}

func (f *flaky) UpdateAccount(ctx context.Context, name string, change func(*account.Row)) error {
	if err := f.check("UpdateAccount"); err != nil {
		return err
	}
	return f.Store.UpdateAccount(ctx, name, change)
}

func (f *flaky) NextReadBack(ctx context.Context, account string) (time.Time, bool, error) {
	if err := f.check("NextReadBack"); err != nil {
		return time.Time{}, false, err
	}
	return f.Store.NextReadBack(ctx, account)
}

func (f *flaky) RecordReadBack(ctx context.Context, r queue.ReadBack) error {
	if err := f.check("RecordReadBack"); err != nil {
		return err
	}
	return f.Store.RecordReadBack(ctx, r)
}

func (f *flaky) Claims(ctx context.Context, account string, keys []string) ([]queue.Entry, error) {
	if err := f.check("Claims"); err != nil {
		return nil, err
	}
	return f.Store.Claims(ctx, account, keys)
}

func (f *flaky) Answered(ctx context.Context, account string, since time.Time, n int) ([]entry.Sent, error) {
	if err := f.check("Answered"); err != nil {
		return nil, err
	}
	return f.Store.Answered(ctx, account, since, n)
}
