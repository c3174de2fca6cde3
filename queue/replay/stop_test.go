package replay

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestStopWaitsForAnAnswerWithinTheGrace(t *testing.T) {
	for name, c := range map[string]struct {
		delay, takes time.Duration
		state        viewing.State
	}{
		"answered":  {4 * time.Second, 4 * time.Second, viewing.StateDelivered},
		"cut off":   {time.Minute, grace, viewing.StateInDoubt},
		"to the ns": {grace - 1, grace - 1, viewing.StateDelivered},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.delay = c.delay
				stop := start(t, newLoop(t, m, s))
				id := m.add(1)
				other := m.add(2)
				synctest.Wait()
				began := time.Now()
				stop()
				if took := time.Since(began); took != c.takes {
					t.Errorf("stopping took %s, want %s", took, c.takes)
				}
				if e := m.entry(id); e.State != c.state {
					t.Errorf("entry is %s, want %s", e.State, c.state)
				}
				if e := m.entry(other); e.State != viewing.StatePending || len(m.leases) != 0 {
					t.Errorf("the other entry is %s, leases %v", e.State, m.leases)
				}
			})
		})
	}
}

func TestStopWhileMarkingSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		m.markDelay = time.Second
		stop := start(t, newLoop(t, m, s))
		id := m.add(1)
		synctest.Wait()
		stop()
		e := m.entry(id)
		if n, _ := s.seen(); n != 0 || e.State != viewing.StatePending || e.Attempts != 0 {
			t.Errorf("%d sends, entry is %s after %d attempts", n, e.State, e.Attempts)
		}
	})
}

func TestStopIsBoundedWhenTheOutboxHangs(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		stop := start(t, newLoop(t, &hanging{m}, s))
		m.add(1)
		synctest.Wait()
		began := time.Now()
		stop()
		if took := time.Since(began); took > grace+lastWord {
			t.Errorf("stopping took %s", took)
		}
	})
}

func TestPauseFoundWhileStoppingIsSaved(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.delay = always(refused()), time.Second
		stop := start(t, newLoop(t, m, s))
		m.add(1)
		synctest.Wait()
		stop()
		if m.row().Pause.Reason != account.PausedKey || m.count(viewing.StatePending) != 1 {
			t.Errorf("paused %q, %d pending", m.row().Pause.Reason, m.count(viewing.StatePending))
		}
	})
}

func TestFullDiskStopsClaimingAndSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		m.failMark = errDisk
		l := newLoop(t, m, s)
		start(t, l)
		for i := range int64(20) {
			m.add(i + 1)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, _ := s.seen(); n != 0 {
			t.Fatalf("%d requests of entries that could not be marked", n)
		}
		if h := l.Health(); h.State != account.Attention || !strings.Contains(h.Reason, errDisk.Error()) || h.Hint == "" {
			t.Errorf("health is %+v", h)
		}
		if m.calls > 500 {
			t.Errorf("%d calls to a full disk in an hour", m.calls)
		}
		m.set(func(m *memory) { m.failMark = nil })
		time.Sleep(storageCap)
		synctest.Wait()
		if n := m.count(viewing.StateDelivered); n != 20 || l.Health().State != account.OK {
			t.Errorf("%d delivered after a minute, health %+v", n, l.Health())
		}
	})
}

func TestAnswerIsWrittenDownAgainAndAgain(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		m.failWrite = errDisk
		l := newLoop(t, m, s)
		start(t, l)
		id := m.add(1)
		synctest.Wait()
		m.add(2)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 || l.Health().State != account.Attention {
			t.Fatalf("%d sends while an answer is not written down, health %s", n, l.Health().State)
		}
		m.set(func(m *memory) { m.failWrite = nil })
		time.Sleep(storageCap)
		synctest.Wait()
		if n, _ := s.seen(); n != 2 || m.entry(id).State != viewing.StateDelivered || l.Health().State != account.OK {
			t.Errorf("%d sends, entry %s, health %+v", n, m.entry(id).State, l.Health())
		}
	})
}

func TestAnswerNeverWrittenStaysSending(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		m.failWrite = errDisk
		stop := start(t, newLoop(t, m, s))
		id := m.add(1)
		synctest.Wait()
		stop()
		if e := m.entry(id); e.State != viewing.StateSending {
			t.Errorf("entry is %s, want sending, for the next start to doubt it", e.State)
		}
	})
}

func TestUnsavedPauseSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed, m.failSave = always(refused()), refused(), errDisk
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1)
		m.add(2)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 || l.Health().State != account.Attention {
			t.Fatalf("%d sends, health %s", n, l.Health().State)
		}
		m.set(func(m *memory) { m.failSave = nil })
		time.Sleep(storageCap)
		synctest.Wait()
		if m.row().Pause.Reason != account.PausedKey {
			t.Errorf("paused %q", m.row().Pause.Reason)
		}
	})
}
