package replay

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The answers that the tests use most.
func offline() tracker.Verdict {
	return tracker.Verdict{Fate: tracker.Offline, Problem: "the service cannot be reached"}
}

func refused() tracker.Verdict {
	return tracker.Verdict{Fate: tracker.Refused, Sent: true, Status: 401, Problem: "the key is refused", Hint: "filmspool login"}
}

func early() tracker.Verdict {
	return tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 425, Problem: "too early"}
}

func broken() tracker.Verdict {
	return tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Status: 500, Problem: "it had trouble"}
}

// exactly fails unless count goes up by one at the instant in from now, and
// not a nanosecond before.
func exactly(t *testing.T, in time.Duration, what string, count func() int) {
	t.Helper()
	before := count()
	time.Sleep(in - 1)
	synctest.Wait()
	if n := count(); n != before {
		t.Fatalf("%s: %d came before %s were over", what, n-before, in)
	}
	time.Sleep(1)
	synctest.Wait()
	if n := count(); n != before+1 {
		t.Fatalf("%s: %d came by %s, want 1", what, n-before, in)
	}
}

// bubble runs test with a fake clock, an empty outbox and a good service.
func bubble(t *testing.T, test func(t *testing.T, m *memory, s *remote)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newMemory(), &remote{}) })
}

func sends(s *remote) func() int  { return func() int { n, _ := s.seen(); return n } }
func probes(s *remote) func() int { return func() int { _, n := s.seen(); return n } }

func TestRowBackoffDoublesToItsCap(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer = always(early())
		start(t, newLoop(t, m, s))
		id := m.add(1)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 {
			t.Fatalf("%d sends at once, want 1", n)
		}
		for _, seconds := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900} {
			exactly(t, time.Duration(seconds)*time.Second, "resend", sends(s))
		}
		if e := m.entry(id); e.State != viewing.StatePending || e.Attempts != 13 {
			t.Errorf("entry is %s after %d attempts, want pending after 13", e.State, e.Attempts)
		}
		s.set(func(s *remote) { s.answer = nil })
		exactly(t, 900*time.Second, "resend", sends(s))
		if e := m.entry(id); e.State != viewing.StateDelivered {
			t.Errorf("entry is %s, want delivered", e.State)
		}
	})
}

func TestOfflineIsProbedByBackoffAndCountsNoAttempt(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(offline()), offline()
		l := newLoop(t, m, s)
		start(t, l)
		id := m.add(1)
		synctest.Wait()
		for _, seconds := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900} {
			exactly(t, time.Duration(seconds)*time.Second, "probe", probes(s))
		}
		if h := l.Health(); h.State != account.Offline || h.Reason != offline().Problem || h.NextTry.Sub(time.Now()) != 900*time.Second {
			t.Errorf("health is %+v", h)
		}
		if e := m.entry(id); e.State != viewing.StatePending || e.Attempts != 0 {
			t.Errorf("entry is %s after %d attempts, want pending after 0", e.State, e.Attempts)
		}
		s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
		exactly(t, 900*time.Second, "probe", probes(s))
		if n, _ := s.seen(); n != 2 || m.entry(id).State != viewing.StateDelivered || l.Health().State != account.OK {
			t.Errorf("%d sends, entry %s, health %s", n, m.entry(id).State, l.Health().State)
		}
	})
}

func TestOfflineEndsByWakeOrNewWork(t *testing.T) {
	for name, act := range map[string]func(*Loop, *memory){
		"wake":     func(l *Loop, _ *memory) { l.Wake() },
		"new work": func(_ *Loop, m *memory) { m.add(2) },
		"use":      func(l *Loop, _ *memory) { l.Use(l.service) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.answer, s.probed = always(offline()), offline()
				l := newLoop(t, m, s)
				start(t, l)
				m.add(1)
				time.Sleep(time.Hour)
				synctest.Wait()
				_, before := s.seen()
				s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
				act(l, m)
				synctest.Wait()
				if _, n := s.seen(); n != before+1 {
					t.Errorf("%d probes at once, want 1", n-before)
				}
				if n := m.count(viewing.StatePending); n != 0 {
					t.Errorf("%d entries still wait", n)
				}
			})
		})
	}
}

func TestFailedProbeForNewWorkLeavesTheBackoff(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(offline()), offline()
		start(t, newLoop(t, m, s))
		m.add(1)
		time.Sleep(15 * time.Second) // probes after 1, 3, 7, 15 s
		synctest.Wait()
		time.Sleep(6 * time.Second)
		m.add(2)
		synctest.Wait()
		if _, n := s.seen(); n != 5 {
			t.Fatalf("%d probes, want the fifth with the new work", n)
		}
		m.add(3) // at once again: the base is kept between two tries
		exactly(t, time.Second, "probe", probes(s))
		exactly(t, 9*time.Second, "probe", probes(s)) // as it was planned at 15 s
		exactly(t, 32*time.Second, "probe", probes(s))
	})
}

func TestChangesWithoutNewWorkAreNoReasonToProbe(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(offline()), offline()
		start(t, newLoop(t, m, s))
		m.add(1)
		time.Sleep(21 * time.Second) // probes after 1, 3, 7, 15 s
		m.set(func(m *memory) { m.nudge() })
		exactly(t, 10*time.Second, "probe", probes(s))
	})
}

func TestWakeDuringAProbeAsksForAnother(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(offline()), offline()
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1)
		time.Sleep(15*time.Second - 1)
		s.set(func(s *remote) { s.delay = 10 * time.Second })
		time.Sleep(5 * time.Second) // the probe of 15 s is under way, over the old network
		l.Wake()
		synctest.Wait()
		exactly(t, 5*time.Second+1, "probe", probes(s))
	})
}

func TestOfflineProbesOfAPausedAccountDoNotLengthenTheWait(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(refused()), offline()
		start(t, newLoop(t, m, s))
		m.add(1)
		synctest.Wait()
		for range 5 {
			exactly(t, 5*time.Minute, "probe", probes(s))
		}
		s.set(func(s *remote) { s.probed = refused() })
		exactly(t, 5*time.Minute, "probe", probes(s))
		exactly(t, 10*time.Minute, "probe", probes(s))
	})
}

func TestPausedAccountIsProbedFromFiveMinutesToSixHours(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(refused()), refused()
		l := newLoop(t, m, s)
		start(t, l)
		id := m.add(1)
		since := time.Now()
		synctest.Wait()
		for step, minutes := range []int{5, 10, 20, 40, 80, 160, 320, 360, 360} {
			row := m.row()
			if row.Pause.Reason != account.PausedKey || row.Pause.ProbeStep != min(step, 7) || !row.Pause.Since.Equal(since) ||
				row.Pause.Problem != refused().Problem || row.Pause.Hint != refused().Hint {
				t.Fatalf("step %d: row is %+v", step, row)
			}
			m.add(int64(step + 2)) // new work is no reason to ask with a refused key
			exactly(t, time.Duration(minutes)*time.Minute, "probe", probes(s))
		}
		if n, _ := s.seen(); n != 1 || m.entry(id).State != viewing.StatePending || len(m.faults) > 0 {
			t.Errorf("%d sends, entry %s, %v", n, m.entry(id).State, m.faults)
		}
		s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
		exactly(t, 6*time.Hour, "probe", probes(s))
		row, waiting := m.row(), m.count(viewing.StatePending)
		if row.Pause.Reason != "" || row.Pause.Problem != "" || !row.Pause.ProbeAt.IsZero() || row.Pause.ProbeStep != 0 || waiting != 0 {
			t.Errorf("row is %+v, %d wait", row, waiting)
		}
	})
}

func TestPauseEndsAtOnceByUseOrWake(t *testing.T) {
	for name, act := range map[string]func(*Loop, Service){
		"wake": func(l *Loop, _ Service) { l.Wake() },
		"use":  func(l *Loop, s Service) { l.Use(s) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.answer, s.probed = always(refused()), refused()
				l := newLoop(t, m, s)
				start(t, l)
				m.add(1)
				time.Sleep(31 * time.Minute)
				synctest.Wait()
				_, before := s.seen()
				act(l, s)
				synctest.Wait()
				if _, n := s.seen(); n != before+1 || m.row().Pause.Reason != account.PausedKey {
					t.Fatalf("%d probes, paused %q", n-before, m.row().Pause.Reason)
				}
				step := map[string]time.Duration{"wake": 20 * time.Minute, "use": 5 * time.Minute}[name]
				if at := m.row().Pause.ProbeAt; at.Sub(time.Now()) != step {
					t.Errorf("next probe in %s, want %s", at.Sub(time.Now()), step)
				}
				s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
				act(l, s)
				synctest.Wait()
				if m.row().Pause.Reason != "" || m.count(viewing.StateDelivered) != 1 {
					t.Errorf("paused %q, %d delivered", m.row().Pause.Reason, m.count(viewing.StateDelivered))
				}
			})
		})
	}
}

func TestPauseSurvivesRestart(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(refused()), refused()
		stop := start(t, newLoop(t, m, s))
		m.add(1)
		time.Sleep(6 * time.Minute) // one probe was in vain; the next comes at 15 min
		synctest.Wait()
		stop()
		time.Sleep(4 * time.Minute)
		l := newLoop(t, m, s)
		start(t, l)
		synctest.Wait()
		if h := l.Health(); h.State != account.Attention || h.Pause != account.PausedKey || h.Reason != refused().Problem || time.Since(h.Since) != 10*time.Minute {
			t.Errorf("health is %+v", h)
		}
		exactly(t, 5*time.Minute, "probe", probes(s))
		if n, _ := s.seen(); n != 1 {
			t.Errorf("%d sends, want only the one before the pause", n)
		}
	})
}

func TestRetryAfterHoldsTheWholeAccount(t *testing.T) {
	for name, c := range map[string]struct{ asked, kept time.Duration }{
		"exactly": {90 * time.Second, 90 * time.Second},
		"capped":  {7 * 24 * time.Hour, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.answer = always(tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 429, RetryAfter: c.asked, Problem: "wait"})
				l := newLoop(t, m, s)
				start(t, l)
				id := m.add(1)
				synctest.Wait()
				s.set(func(s *remote) { s.answer = nil })
				m.add(2)
				l.Wake() // neither new work nor a wish shortens it
				synctest.Wait()
				if at := m.entry(id).NextAt; at.Sub(time.Now()) != c.kept {
					t.Errorf("row is due in %s, want %s", at.Sub(time.Now()), c.kept)
				}
				time.Sleep(c.kept - 1)
				synctest.Wait()
				if h := l.Health(); h.Reason != "wait" || !h.NextTry.Equal(time.Now().Add(1)) {
					t.Errorf("health during the wait is %+v", h)
				}
				if n, p := s.seen(); n != 1 || p != 0 || l.Health().State != account.Offline {
					t.Fatalf("%d sends and %d probes during the wait, health %s", n, p, l.Health().State)
				}
				time.Sleep(1)
				synctest.Wait()
				if n := m.count(viewing.StateDelivered); n != 2 || l.Health().State != account.OK {
					t.Errorf("%d delivered after the wait, health %s", n, l.Health().State)
				}
			})
		})
	}
}

func TestNewKeyEndsTheWaitOfTheOldOne(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer = always(tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 429, RetryAfter: time.Hour})
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1)
		synctest.Wait()
		id := m.add(2)
		l.Use(&remote{})
		synctest.Wait()
		if e := m.entry(id); e.State != viewing.StateDelivered {
			t.Errorf("entry is %s with the new key, want delivered", e.State)
		}
	})
}

func TestGateWidensInRoundsAndHalves(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.delay = time.Second
		for i := range int64(40) {
			m.add(i + 1)
		}
		start(t, newLoop(t, m, s, func(o *Options) { o.MaxInFlight = 8 }))
		rounds := []int{}
		for range 4 {
			synctest.Wait()
			s.mu.Lock()
			rounds = append(rounds, s.flying)
			s.mu.Unlock()
			time.Sleep(time.Second)
		}
		if want := []int{1, 2, 4, 8}; !equal(rounds, want) {
			t.Fatalf("requests at once are %v, want %v", rounds, want)
		}
		synctest.Wait()
		s.set(func(s *remote) { s.answer = always(tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 429}) })
		time.Sleep(time.Second) // the next eight will get it
		synctest.Wait()
		time.Sleep(time.Second) // and halve the gate until it closes
		synctest.Wait()
		_, p := s.seen()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.flying != 0 || p != 0 {
			t.Errorf("%d requests and %d probes right after eight answers of 429, want none", s.flying, p)
		}
	})
}

func equal(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestAfterOfflineOneProbeThenOneTwoFour(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer = always(offline())
		l := newLoop(t, m, s)
		start(t, l)
		for i := range int64(20) {
			m.add(i + 1)
		}
		synctest.Wait()
		s.set(func(s *remote) { s.answer, s.delay = nil, time.Second })
		l.Wake()
		var rounds []int
		for range 4 {
			synctest.Wait()
			s.mu.Lock()
			rounds = append(rounds, s.flying)
			s.mu.Unlock()
			time.Sleep(time.Second)
		}
		if want := []int{0, 1, 2, 4}; !equal(rounds, want) {
			t.Errorf("requests at once are %v, want %v", rounds, want)
		}
	})
}

func TestBrokenServiceLeavesFewDoubts(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(broken()), offline()
		l := newLoop(t, m, s)
		for i := range int64(100) {
			m.add(i + 1)
		}
		start(t, l)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := m.count(viewing.StateInDoubt); n != strikesToClose {
			t.Errorf("%d entries in doubt, want %d", n, strikesToClose)
		}
		if h := l.Health(); h.State != account.Offline {
			t.Errorf("health is %+v", h)
		}
		s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
		l.Wake()
		synctest.Wait()
		if n := m.count(viewing.StateDelivered); n != 100-strikesToClose || l.Health().State != account.OK {
			t.Errorf("%d delivered, health %s", n, l.Health().State)
		}
	})
}

func TestTroubleOfOneEntryBlocksNoOther(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		busy := tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 503, Problem: "busy"}
		s.answer = func(film int64) tracker.Verdict {
			if film == 1 {
				return busy
			}
			return tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
		}
		start(t, newLoop(t, m, s))
		m.add(1)
		second := m.add(1) // the same film: waits for the first
		for i := range int64(50) {
			time.Sleep(time.Minute)
			id := m.add(i + 2)
			synctest.Wait()
			if e := m.entry(id); e.State != viewing.StateDelivered {
				t.Fatalf("entry %d is %s at once, want delivered", id, e.State)
			}
		}
		if e := m.entry(second); e.Attempts != 0 {
			t.Errorf("the younger viewing of the same film was sent before the elder")
		}
		if _, p := s.seen(); p != 0 {
			t.Errorf("%d probes for the trouble of one entry", p)
		}
	})
}

func TestIdleLoopSleeps(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		start(t, newLoop(t, m, s))
		m.add(1)
		synctest.Wait()
		before := m.calls
		time.Sleep(7 * 24 * time.Hour)
		synctest.Wait()
		if m.calls != before {
			t.Errorf("%d calls to the outbox in an idle week", m.calls-before)
		}
	})
}

func TestProbePlannedByAWrongClockComesAtOnce(t *testing.T) {
	for ahead, atOnce := range map[time.Duration]bool{6 * time.Hour: false, 6*time.Hour + 1: true, 4 * 365 * 24 * time.Hour: true} {
		bubble(t, func(t *testing.T, m *memory, s *remote) {
			m.account.Pause.Reason, m.account.Pause.ProbeAt, m.account.Pause.ProbeStep = account.PausedKey, time.Now().Add(ahead), 7
			s.probed = refused()
			start(t, newLoop(t, m, s))
			synctest.Wait()
			if _, n := s.seen(); (n == 1) != atOnce {
				t.Errorf("%d probes at once when planned in %s", n, ahead)
			}
			exactly(t, 6*time.Hour, "probe", probes(s))
		})
	}
}
