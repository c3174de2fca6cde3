package nudge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// machine is a machine with a network and clocks that a test moves.
type machine struct {
	armed  chan bool
	news   chan bool
	refuse error
	slept  atomic.Int64 // how far the wall clock is ahead of the other
	stood  atomic.Value // string

	listening atomic.Int64 // ears that are open
	looks     atomic.Int64 // at addresses and clocks

	mu    sync.Mutex
	wakes []string
	at    []time.Time
}

// bubble runs test with a fake clock and a machine that is being watched.
func bubble(t *testing.T, test func(t *testing.T, m *machine)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{armed: make(chan bool), news: make(chan bool)}
		m.stood.Store("at home")
		w := newWatcher(Options{Armed: m.armed}, m.woken)
		w.listen, w.addresses, w.clock = m.listen, m.addresses, m.clock
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.run(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil || m.listening.Load() != 0 {
				t.Errorf("run: %v; %d ears left", err, m.listening.Load())
			}
		}()
		test(t, m)
	})
}

func (m *machine) listen() (*ear, error) {
	if m.refuse != nil {
		return nil, m.refuse
	}
	m.listening.Add(1)
	return &ear{news: m.news, stop: func() { m.listening.Add(-1) }}, nil
}

func (m *machine) addresses() string {
	m.looks.Add(1)
	return m.stood.Load().(string)
}

func (m *machine) clock() reading {
	m.looks.Add(1)
	now := time.Now()
	return reading{wall: now.Add(time.Duration(m.slept.Load())), mono: now}
}

func (m *machine) woken(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wakes = append(m.wakes, reason)
	m.at = append(m.at, time.Now())
}

// wants fails unless these reasons were given since the last time it was
// asked, the last one at this very instant.
func (m *machine) wants(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(m.wakes, want) {
		t.Fatalf("woken by %q, want %q", m.wakes, want)
	}
	if n := len(m.at); n > 0 && !m.at[n-1].Equal(time.Now()) {
		t.Fatalf("woken %s ago, want now", time.Since(m.at[n-1]))
	}
	m.wakes, m.at = nil, nil
}

// exactly fails unless one wake comes at the instant in from now.
func (m *machine) exactly(t *testing.T, in time.Duration, reason string) {
	t.Helper()
	time.Sleep(in - 1)
	m.wants(t)
	time.Sleep(1)
	m.wants(t, reason)
}

// arm arms or disarms it, and waits until it has looked how things stand.
func (m *machine) arm(on bool) {
	m.armed <- on
	synctest.Wait()
}

// move changes the addresses and tells the news.
func (m *machine) move(to string) {
	m.stood.Store(to)
	m.news <- false
}

func TestNothingIsWatchedBeforeItIsArmed(t *testing.T) {
	bubble(t, func(t *testing.T, m *machine) {
		m.stood.Store("elsewhere")
		m.slept.Add(int64(time.Hour))
		time.Sleep(24 * time.Hour)
		m.wants(t)
		if m.looks.Load() != 0 || m.listening.Load() != 0 {
			t.Errorf("%d looks and %d ears while nothing waits", m.looks.Load(), m.listening.Load())
		}
		m.armed <- true
		m.armed <- true // again: no matter
		time.Sleep(time.Minute)
		if m.looks.Load() == 0 || m.listening.Load() != 1 {
			t.Errorf("%d looks and %d ears while armed", m.looks.Load(), m.listening.Load())
		}
		m.armed <- false
		synctest.Wait()
		looks := m.looks.Load()
		m.stood.Store("nowhere")
		m.slept.Add(int64(time.Hour))
		time.Sleep(24 * time.Hour)
		m.wants(t)
		if m.looks.Load() != looks || m.listening.Load() != 0 {
			t.Errorf("%d looks and %d ears after it was disarmed", m.looks.Load()-looks, m.listening.Load())
		}
	})
}

func TestClosedChannelDisarmsForGood(t *testing.T) {
	for name, first := range map[string]bool{"armed": true, "idle": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *machine) {
				m.armed <- first
				close(m.armed)
				synctest.Wait()
				looks := m.looks.Load()
				time.Sleep(time.Hour)
				if m.looks.Load() != looks || m.listening.Load() != 0 {
					t.Error("still watched")
				}
			})
		})
	}
}

func TestNewsSettlesAfterASecond(t *testing.T) {
	bubble(t, func(t *testing.T, m *machine) {
		m.arm(true)
		m.move("elsewhere")
		m.exactly(t, time.Second, Network)
		time.Sleep(time.Minute)
		m.move("at home")
		time.Sleep(time.Second - 1)
		m.move("at work") // the second begins anew
		m.exactly(t, time.Second, Network)
	})
}

func TestNewsWithoutEndSettlesAfterFiveSeconds(t *testing.T) {
	bubble(t, func(t *testing.T, m *machine) {
		m.arm(true)
		begin := time.Now()
		go func() {
			for i := range 60 {
				m.move(string(rune('a' + i)))
				time.Sleep(300 * time.Millisecond)
			}
		}()
		for _, after := range []time.Duration{
			5 * time.Second, 10100 * time.Millisecond, 15200 * time.Millisecond, // the news after each begins the next run
		} {
			time.Sleep(after - time.Since(begin))
			m.wants(t, Network)
		}
		time.Sleep(time.Minute)
	})
}

func TestTwoNudgesAreFiveSecondsApart(t *testing.T) {
	bubble(t, func(t *testing.T, m *machine) {
		m.arm(true)
		m.move("elsewhere")
		m.exactly(t, time.Second, Network)
		m.move("at home")
		m.exactly(t, 5*time.Second, Network)
		m.arm(false) // and disarming does not change it
		m.arm(true)
		m.move("elsewhere")
		m.exactly(t, 5*time.Second, Network)
	})
}

func TestNewsThatChangesNothingIsNoNudge(t *testing.T) {
	bubble(t, func(t *testing.T, m *machine) {
		m.arm(true)
		m.news <- false
		time.Sleep(time.Minute)
		m.wants(t)
		m.news <- true // a route: certain
		m.news <- false
		m.exactly(t, time.Second, Network)
	})
}

func TestWithoutNewsTheAddressesAreCompared(t *testing.T) {
	for name, deafen := range map[string]func(*machine){
		"refused": func(m *machine) { m.refuse = errors.New("address family not supported") },
		"ended":   func(m *machine) { close(m.news) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *machine) {
				deafen(m)
				m.arm(true)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				m.wakes, m.at = nil, nil // an ear that fails is news once
				m.stood.Store("elsewhere")
				m.exactly(t, 21*time.Second, Network)
				time.Sleep(time.Hour - 21*time.Second)
				m.wants(t)
			})
		})
	}
}

func TestClockThatJumpsIsANudge(t *testing.T) {
	for name, by := range map[string]time.Duration{
		"slept":    8 * time.Hour,
		"just":     time.Minute + 1,
		"set back": -time.Minute - 1,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *machine) {
				m.arm(true)
				time.Sleep(time.Hour + 10*time.Second)
				m.slept.Add(int64(by))
				m.exactly(t, 20*time.Second, Clock)
				time.Sleep(time.Hour)
				m.wants(t)
			})
		})
	}
}

func TestJumped(t *testing.T) {
	zero := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name       string
		wall, mono time.Duration
		want       bool
	}{
		{"in step", lookEvery, lookEvery, false},
		{"a busy machine", lookEvery + 50*time.Second, lookEvery + 50*time.Second, false},
		{"a minute ahead", lookEvery + time.Minute, lookEvery, false},
		{"more", lookEvery + time.Minute + 1, lookEvery, true},
		{"a minute back", lookEvery - time.Minute, lookEvery, false},
		{"further", lookEvery - time.Minute - 1, lookEvery, true},
		{"both went on in sleep", 8 * time.Hour, 8 * time.Hour, true},
	} {
		was := reading{wall: zero, mono: zero}
		now := reading{wall: zero.Add(c.wall), mono: zero.Add(c.mono)}
		if got := now.jumped(was); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if read().jumped(read()) {
		t.Error("this machine's clocks jump")
	}
}

func TestRunRefusesHalfOfIt(t *testing.T) {
	if Run(t.Context(), Options{}, func(string) {}) == nil || Run(t.Context(), Options{Armed: make(chan bool)}, nil) == nil {
		t.Error("ran without a channel or a function")
	}
}
