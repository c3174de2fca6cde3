package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

var errDisk = errors.New("no space left on device")

// memory is an outbox in memory with the queue's rules, so that the loop can
// be watched by a fake clock.
type memory struct {
	mu        sync.Mutex
	rows      []*queue.Entry
	leases    map[int64]time.Time // until when
	tokens    int64
	account   account.Row
	listeners map[chan struct{}]bool
	calls     int // of any kind
	leasing   int // calls of Lease
	sending   int // rows marked now
	mostSent  int // the most that ever were
	markDelay time.Duration
	failMark  error
	failWrite error // of settlements
	failSave  error
	failLease error
	settled   []queue.Settlement
	pausedAt  time.Time // when a pause was last saved
	faults    []string  // what must never be
}

func newMemory() *memory {
	return &memory{
		leases: map[int64]time.Time{}, listeners: map[chan struct{}]bool{},
		account: account.Row{Name: "default", BaseURL: "https://tracker.example/api/v1"},
	}
}

// add commits a viewing of film number film that ended at; it returns its id.
func (m *memory) add(film int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.nudge()
	return m.make(film).ID
}

// make adds a row; the caller has the lock.
func (m *memory) make(film int64) *queue.Entry {
	id := int64(len(m.rows) + 1)
	e := &queue.Entry{
		ID: id, Kind: viewing.KindViewing, State: viewing.StatePending, Account: "default", Source: "browser:1",
		EventID: fmt.Sprintf("event-%d", id), Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}, Title: "Secret Title"},
		WatchedAt: entry.Moment{Instant: viewing.At(time.Now())}, Count: 1, NextAt: time.Now(), CreatedAt: time.Now(),
	}
	m.rows = append(m.rows, e)
	return e
}

func (m *memory) nudge() {
	for c := range m.listeners {
		nudge(c)
	}
}

func (m *memory) entry(id int64) queue.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *m.rows[id-1]
}

func (m *memory) row() account.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.account
}

// set changes the fake under its lock.
func (m *memory) set(change func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func (m *memory) count(s viewing.State) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.rows {
		if e.State == s {
			n++
		}
	}
	return n
}

// free reports whether e may be leased but for its time: no lease runs, and
// no elder of its item is unfinished.
func (m *memory) free(e *queue.Entry, now time.Time) bool {
	if e.State != viewing.StatePending || now.Before(m.leases[e.ID]) {
		return false
	}
	for _, o := range m.rows {
		if o.ID < e.ID && o.Media.Key() == e.Media.Key() && !o.State.Finished() && o.State != viewing.StateHeld {
			return false
		}
	}
	return true
}

func (m *memory) Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...viewing.Lane) ([]queue.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	m.leasing++
	if err := cmp.Or(ctx.Err(), m.failLease); err != nil {
		return nil, err
	}
	now := time.Now()
	var out []queue.Entry
	for _, e := range m.rows {
		if len(out) < n && slices.Contains(lanes, e.Lane) && m.free(e, now) && !e.NextAt.After(now) {
			m.tokens++
			e.Lease = m.tokens
			m.leases[e.ID] = now.Add(ttl)
			out = append(out, *e)
		}
	}
	return out, nil
}

func (m *memory) Release(_ context.Context, entries []queue.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	for _, e := range entries {
		if m.rows[e.ID-1].Lease == e.Lease {
			delete(m.leases, e.ID)
		}
	}
	return nil
}

// Sending is the worst that a disk can do: a mark whose caller no longer
// waits is made all the same.
func (m *memory) Sending(ctx context.Context, e queue.Entry) (int64, error) {
	time.Sleep(m.markDelay)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.failMark != nil {
		return 0, m.failMark
	}
	row := m.rows[e.ID-1]
	if row.State != viewing.StatePending || row.Lease != e.Lease {
		return 0, fmt.Errorf("mark entry %d: %w", e.ID, queue.ErrLeaseLost)
	}
	if m.account.Pause.Reason != "" && m.pausedAt.Before(time.Now()) {
		m.faults = append(m.faults, fmt.Sprintf("entry %d marked while paused", e.ID))
	}
	for _, o := range m.rows[:e.ID-1] {
		if o.Media.Key() == row.Media.Key() && !o.State.Finished() && o.State != viewing.StateHeld {
			m.faults = append(m.faults, fmt.Sprintf("entry %d left before %d, which is %s", e.ID, o.ID, o.State))
		}
	}
	row.State = viewing.StateSending
	row.Attempts++
	m.sending++
	m.mostSent = max(m.mostSent, m.sending)
	m.nudge()
	return int64(row.Attempts), ctx.Err()
}

func (m *memory) Settle(ctx context.Context, s queue.Settlement) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if err := cmp.Or(ctx.Err(), m.failWrite); err != nil {
		return err
	}
	row := m.rows[s.Entry-1]
	if (row.State == viewing.StateSending) != (s.Attempt != 0) {
		return fmt.Errorf("settle entry %d: %w", s.Entry, entry.ErrState)
	}
	if s.Attempt != 0 {
		m.sending--
	}
	row.State, row.Reason, row.NextAt = s.State, s.Reason, s.NextAt
	if s.NotSent || s.Uncounted {
		row.Attempts--
	}
	if s.RaiseRevision {
		row.Revision++
	}
	delete(m.leases, row.ID)
	m.settled = append(m.settled, s)
	m.nudge()
	return nil
}

func (m *memory) NextDue(_ context.Context, _ string, lanes ...viewing.Lane) (due time.Time, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	for _, e := range m.rows {
		if slices.Contains(lanes, e.Lane) && m.free(e, time.Now()) && (!ok || e.NextAt.Before(due)) {
			due, ok = e.NextAt, true
		}
	}
	return due, ok, nil
}

func (m *memory) Newest(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if len(m.rows) == 0 {
		return 0, nil
	}
	return m.rows[len(m.rows)-1].ID, nil
}

func (m *memory) PendingAfter(_ context.Context, _ string, id int64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return slices.ContainsFunc(m.rows, func(e *queue.Entry) bool { return e.ID > id && e.State == viewing.StatePending }), nil
}

func (m *memory) Subscribe() (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	m.set(func(m *memory) { m.listeners[c] = true })
	return c, func() { m.set(func(m *memory) { delete(m.listeners, c) }) }
}

func (m *memory) Account(context.Context, string) (account.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.account, nil
}

func (m *memory) UpdateAccount(_ context.Context, _ string, change func(*account.Row)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.failSave != nil {
		return m.failSave
	}
	a := m.account
	change(&a)
	if m.account.Pause.Reason == "" && a.Pause.Reason != "" {
		m.pausedAt = time.Now()
	}
	m.account = a
	return nil
}

// remote is a tracking service that answers as the test says.
type remote struct {
	mu      sync.Mutex
	answer  func(film int64) tracker.Verdict // nil delivers
	probed  tracker.Verdict                  // the zero value is Delivered
	delay   time.Duration                    // of every answer
	proven  bool
	sends   []instant
	probes  []time.Time
	flying  int
	maximum []int // requests under way, when each one began
}

// instant is one request as it came.
type instant struct {
	at  time.Time
	req tracker.Request
}

func (s *remote) Send(ctx context.Context, r tracker.Request) tracker.Verdict {
	s.mu.Lock()
	s.flying++
	s.sends = append(s.sends, instant{time.Now(), r})
	s.maximum = append(s.maximum, s.flying)
	answer, delay := s.answer, s.delay
	s.mu.Unlock()
	verdict := tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Problem: "cut off"}
	if delay == 0 || sleep(ctx.Done(), delay) {
		verdict = tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
		if answer != nil {
			verdict = answer(r.Media.IDs.TMDB)
		}
	}
	s.mu.Lock()
	s.flying--
	s.mu.Unlock()
	return verdict
}

func (s *remote) Probe(ctx context.Context) tracker.Verdict {
	s.mu.Lock()
	s.probes = append(s.probes, time.Now())
	verdict, delay := s.probed, s.delay
	s.mu.Unlock()
	if verdict.Fate == "" {
		verdict.Fate = tracker.Delivered
	}
	if delay != 0 && !sleep(ctx.Done(), delay) {
		return tracker.Verdict{Fate: tracker.Offline}
	}
	return verdict
}

func (s *remote) Proven() bool { return s.proven }

func (s *remote) set(change func(*remote)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// seen is how many entries and probes came so far.
func (s *remote) seen() (sends, probes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sends), len(s.probes)
}

// always answers every entry in the same way.
func always(v tracker.Verdict) func(int64) tracker.Verdict {
	return func(int64) tracker.Verdict { return v }
}

// most is the jitter that always waits the longest.
func most(d time.Duration) time.Duration { return d }

// newLoop makes a loop over m and s with the longest waits.
func newLoop(t *testing.T, m Outbox, s Service, change ...func(*Options)) *Loop {
	t.Helper()
	o := Options{Account: "default", Outbox: m, Service: s, InstallationID: "installation"}
	for _, c := range change {
		c(&o)
	}
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l.jitter = most
	return l
}

// start runs l until the test ends or the function it returns is called.
func start(t *testing.T, l *Loop) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// hanging is an outbox whose writer does not run: every write waits for its
// context.
type hanging struct{ *memory }

func (hanging) Settle(ctx context.Context, _ queue.Settlement) error {
	<-ctx.Done()
	return ctx.Err()
}

func (hanging) UpdateAccount(ctx context.Context, _ string, _ func(*account.Row)) error {
	<-ctx.Done()
	return ctx.Err()
}
