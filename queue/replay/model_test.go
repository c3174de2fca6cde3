package replay

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// judge is a service that keeps watch over what must never come.
type judge struct {
	mu     sync.Mutex
	script []tracker.Verdict // what it answers, over and over
	delays []time.Duration
	turn   int
	closed map[string]tracker.Fate // by Idempotency-Key: what may never be sent again
	hold   time.Time               // the end of the wait it asked for
	asked  time.Time               // when it did
	faults []string

	key int // how often the key was changed
}

// face is the judge as the holder of one key sees it: the waits it asks for
// hold for that key.
type face struct {
	*judge
	key int
}

// next is the next answer and how long it takes. The caller holds the lock.
func (j *judge) next() (tracker.Verdict, time.Duration) {
	j.turn++
	return j.script[j.turn%len(j.script)], j.delays[j.turn%len(j.delays)]
}

// receive takes note of a request.
func (j *judge) receive(what string) {
	if now := time.Now(); now.Before(j.hold) && now.After(j.asked) {
		j.faults = append(j.faults, fmt.Sprintf("%s came %s before the wait was over", what, j.hold.Sub(now)))
	}
}

func (j face) Send(ctx context.Context, r tracker.Request) tracker.Verdict {
	j.mu.Lock()
	j.receive("an entry")
	if fate, ok := j.closed[r.IdempotencyKey]; ok {
		j.faults = append(j.faults, fmt.Sprintf("sent again after %s: %+v", fate, r))
	}
	// Until it is known to be harmless, a second sending would be a fault.
	j.closed[r.IdempotencyKey] = "nothing was known of it"
	v, delay := j.next()
	j.mu.Unlock()
	if !sleep(ctx.Done(), delay) {
		v = tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Problem: "cut off"}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected, tracker.InDoubt:
		j.closed[r.IdempotencyKey] = v.Fate
	default:
		delete(j.closed, r.IdempotencyKey)
	}
	j.postpone(v)
	return v
}

func (j face) Probe(ctx context.Context) tracker.Verdict {
	j.mu.Lock()
	j.receive("a probe")
	v, delay := j.next()
	j.mu.Unlock()
	if !sleep(ctx.Done(), delay) {
		return tracker.Verdict{Fate: tracker.Offline}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.postpone(v)
	return v
}

// postpone begins the wait that v asks for. What begins at the same instant
// cannot know of it.
func (j face) postpone(v tracker.Verdict) {
	if v.RetryAfter > 0 && j.key == j.judge.key {
		j.asked = time.Now()
		j.hold = later(j.hold, j.asked.Add(v.RetryAfter))
	}
}

func (j *judge) Proven() bool { return false }

// world is the state machine: the loop between a fake outbox and a judge.
type world struct {
	m     *memory
	j     *judge
	loop  *Loop
	most  int
	end   context.CancelFunc
	ended chan struct{}

	failure error // of the last run
}

func (w *world) start() {
	l, err := New(Options{Account: "default", Outbox: w.m, Service: face{w.j, w.j.key}, InstallationID: "i", MaxInFlight: w.most})
	if err != nil {
		broke("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.loop, w.end, w.ended = l, cancel, make(chan struct{})
	go func() {
		defer close(w.ended)
		w.failure = l.Run(ctx)
	}()
}

func (w *world) stop() {
	began := time.Now()
	w.end()
	<-w.ended
	if w.failure != nil {
		broke("run: %v", w.failure)
	}
	if took := time.Since(began); took > grace+lastWord {
		broke("stopping took %s", took)
	}
	if len(w.m.leases) > w.m.count(viewing.StateSending) {
		broke("leases are left: %v", w.m.leases)
	}
	for _, e := range w.m.rows { // as the real queue does when it is opened
		if e.State == viewing.StateSending {
			e.State = viewing.StateInDoubt
			w.m.sending--
			delete(w.m.leases, e.ID)
		}
	}
	w.j.hold = time.Time{} // it is not kept over a restart
}

// verdicts are answers of every fate.
func verdicts() []tracker.Verdict {
	ok := tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
	return []tracker.Verdict{
		ok, ok, ok, offline(), refused(), early(), broken(),
		{Fate: tracker.Rejected, Sent: true, Status: 422},
		{Fate: tracker.Unproven, Sent: true, Status: 404},
		{Fate: tracker.Later, Sent: true, Status: 429, RetryAfter: 30 * time.Second},
		{Fate: tracker.Later, Sent: true, Status: 503},
	}
}

// TestModel drives the loop through whatever can happen to it.
func TestModel(t *testing.T) { keepsPromises(t, live) }

// keepsPromises lives many lives, each in a bubble of its own. A life gives
// back what it panicked with.
func keepsPromises(t *testing.T, live func(*rapid.T) any) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		var failure any
		synctest.Test(t, func(*testing.T) { failure = live(r) })
		switch what := failure.(type) {
		case nil:
		case promise:
			r.Fatalf("broken promise: %s", string(what))
		default:
			panic(failure)
		}
	})
}

// promise is one that was broken, as a panic: only the goroutine that rapid
// began may fail the test, and that one is outside the bubble.
type promise string

func broke(format string, args ...any) { panic(promise(fmt.Sprintf(format, args...))) }

// live is one life in a bubble of its own. It gives back what rapid panics
// with, since only the goroutine that rapid began may end so.
func live(t *rapid.T) (failure any) {
	w := &world{m: newMemory(), j: &judge{closed: map[string]tracker.Fate{}}, end: func() {}}
	w.j.script, w.j.delays = verdicts()[:1], []time.Duration{0}
	defer func() {
		failure = recover()
		w.end()
		if w.ended != nil {
			<-w.ended
		}
	}()
	w.most = rapid.IntRange(1, 6).Draw(t, "most")
	w.start()
	t.Repeat(w.actions())
	w.recover()
	return nil
}

func (w *world) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			for _, film := range rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 8).Draw(t, "films") {
				w.m.add(film)
			}
		},
		"advance": func(t *rapid.T) {
			time.Sleep(rapid.SampledFrom([]time.Duration{1, time.Second, 31 * time.Second, 10 * time.Minute, 7 * time.Hour}).Draw(t, "by"))
		},
		"answers": func(t *rapid.T) {
			script := rapid.SliceOfN(rapid.SampledFrom(verdicts()), 1, 6).Draw(t, "script")
			delays := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{0, time.Second, 40 * time.Second}), 1, 3).Draw(t, "delays")
			w.j.mu.Lock()
			defer w.j.mu.Unlock()
			w.j.script, w.j.delays = script, delays
		},
		"wake": func(*rapid.T) { w.loop.Wake() },
		"use": func(*rapid.T) {
			w.j.mu.Lock()
			w.j.hold = time.Time{}
			w.j.key++
			w.j.mu.Unlock()
			w.loop.Use(face{w.j, w.j.key})
		},
		"disk": func(t *rapid.T) {
			broken := rapid.Permutation([]error{errDisk, nil, nil}).Draw(t, "broken")
			w.m.set(func(m *memory) { m.failMark, m.failWrite, m.failSave = broken[0], broken[1], broken[2] })
		},
		"disk is fine": func(*rapid.T) { w.repair() },
		"pause": func(*rapid.T) {
			w.m.set(func(m *memory) { m.account.Pause.Reason, m.pausedAt = account.PausedUser, time.Now() })
			w.loop.Wake()
		},
		"resume":  func(*rapid.T) { w.resume() },
		"restart": func(*rapid.T) { w.stop(); w.start() },
		"":        func(*rapid.T) { w.check() },
	}
}

func (w *world) repair() {
	w.m.set(func(m *memory) { m.failMark, m.failWrite, m.failSave = nil, nil, nil })
}

func (w *world) resume() {
	w.m.set(func(m *memory) {
		if m.account.Pause.Reason == account.PausedUser {
			m.account.Pause.Reason = ""
		}
	})
	w.loop.Wake()
}

// check holds the promises against what was seen.
func (w *world) check() {
	synctest.Wait()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	if w.m.mostSent > w.most {
		broke("%d rows were marked at once, at most %d may be", w.m.mostSent, w.most)
	}
	for _, fault := range append(w.m.faults, w.j.faults...) {
		broke("%s", fault)
	}
}

// recover makes all well again: then everything must arrive, but for what
// waits behind a doubt.
func (w *world) recover() {
	w.repair()
	w.j.mu.Lock()
	w.j.script, w.j.delays = verdicts()[:1], []time.Duration{time.Second}
	w.j.mu.Unlock()
	w.resume()
	time.Sleep(24 * time.Hour)
	w.check()
	doubted := map[string]bool{}
	for _, e := range w.m.rows {
		doubted[e.Media.Key()] = doubted[e.Media.Key()] || e.State == viewing.StateInDoubt
		if !e.State.Finished() && !doubted[e.Media.Key()] {
			broke("entry %d is %s a day after all was well; account %+v, health %+v", e.ID, e.State, w.m.account, w.loop.Health())
		}
	}
	if h := w.loop.Health(); h.State != account.OK {
		broke("health is %+v", h)
	}
	w.stop()
}
