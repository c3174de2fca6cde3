package replay

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func TestNewRefuses(t *testing.T) {
	good := Options{Account: "a", Outbox: newMemory(), InstallationID: "i"}
	for name, change := range map[string]func(*Options){
		"no account":      func(o *Options) { o.Account = "" },
		"no outbox":       func(o *Options) { o.Outbox = nil },
		"no installation": func(o *Options) { o.InstallationID = "" },
		"too many":        func(o *Options) { o.MaxInFlight = 17 },
		"negative":        func(o *Options) { o.MaxInFlight = -1 },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if l, err := New(good); err != nil || l.most != DefaultInFlight || l.Health().State != account.NoKey {
		t.Errorf("good options: %v", err)
	}
}

func TestRunIsRefusedTwice(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		synctest.Wait()
		if err := l.Run(t.Context()); !errors.Is(err, ErrRunning) {
			t.Errorf("second run: %v", err)
		}
	})
}

func TestFates(t *testing.T) {
	later := tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 425}
	for name, c := range map[string]struct {
		verdict  tracker.Verdict
		state    viewing.State
		attempts int
		revision int
		paused   string
		health   account.State
	}{
		"delivered": {tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200, ListID: "L7"}, viewing.StateDelivered, 1, 0, "", account.OK},
		"rejected":  {tracker.Verdict{Fate: tracker.Rejected, Sent: true, Status: 422, Problem: "no such film"}, viewing.StateRejected, 1, 1, "", account.OK},
		"offline":   {offline(), viewing.StatePending, 0, 0, "", account.Offline},
		"refused":   {refused(), viewing.StatePending, 0, 0, account.PausedKey, account.Attention},
		"unproven":  {tracker.Verdict{Fate: tracker.Unproven, Sent: true, Status: 404}, viewing.StatePending, 0, 0, account.PausedAddress, account.Attention},
		"later":     {later, viewing.StatePending, 1, 0, "", account.OK},
		"in doubt":  {broken(), viewing.StateInDoubt, 1, 0, "", account.OK},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.answer = always(c.verdict)
				l := newLoop(t, m, s)
				id := m.add(1)
				due := m.entry(id).NextAt
				start(t, l)
				synctest.Wait()
				e, row := m.entry(id), m.row()
				if e.State != c.state || e.Attempts != c.attempts || e.Revision != c.revision {
					t.Errorf("entry is %s after %d attempts, revision %d", e.State, e.Attempts, e.Revision)
				}
				if row.Pause.Reason != c.paused || l.Health().State != c.health || l.Health().Pause != c.paused {
					t.Errorf("paused %q, health %+v", row.Pause.Reason, l.Health())
				}
				if (c.paused != "" || c.verdict.Fate == tracker.Offline) && !e.NextAt.Equal(due) {
					t.Errorf("the account's trouble has moved the entry by %s", e.NextAt.Sub(due))
				}
				if got := m.settled[0]; got.Answer.Status != c.verdict.Status || got.RemoteID != c.verdict.ListID {
					t.Errorf("settled as %+v", got)
				}
			})
		})
	}
}

func TestNoKeyLeasesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, nil)
		start(t, l)
		m.add(1)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if m.leasing != 0 || l.Health().State != account.NoKey {
			t.Fatalf("%d leases, health %s", m.leasing, l.Health().State)
		}
		l.Use(s)
		synctest.Wait()
		if _, p := s.seen(); p != 1 || m.count(viewing.StateDelivered) != 1 || l.Health().State != account.OK {
			t.Errorf("%d probes, %d delivered, health %s", p, m.count(viewing.StateDelivered), l.Health().State)
		}
		l.Use(nil)
		m.add(2)
		synctest.Wait()
		if m.count(viewing.StatePending) != 1 || l.Health().State != account.NoKey {
			t.Errorf("sent without a key; health %s", l.Health().State)
		}
	})
}

func TestNewsOfAnOldKeySaysNothingOfTheNewOne(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.delay = always(refused()), 10*time.Second
		l := newLoop(t, m, s)
		start(t, l)
		id := m.add(1)
		synctest.Wait()
		fresh := &remote{}
		l.Use(fresh)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if m.row().Pause.Reason != "" || m.entry(id).State != viewing.StateDelivered {
			t.Errorf("paused %q, entry %s", m.row().Pause.Reason, m.entry(id).State)
		}
		if n, p := fresh.seen(); n != 1 || p != 1 {
			t.Errorf("%d sends and %d probes with the new key, want one each", n, p)
		}
	})
}

func TestUserPauseIsKeptAndEndsWithAProbe(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		m.set(func(m *memory) { m.account.Pause.Reason = account.PausedUser })
		l.Wake()
		synctest.Wait()
		m.add(1)
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		if n, p := s.seen(); n+p != 0 || l.Health().State != account.Paused {
			t.Fatalf("%d sends, %d probes, health %s", n, p, l.Health().State)
		}
		l.Use(s)
		synctest.Wait()
		if n, p := s.seen(); n+p != 0 {
			t.Fatalf("a new key ended the user's pause: %d sends, %d probes", n, p)
		}
		m.set(func(m *memory) { m.account.Pause.Reason = "" })
		l.Wake()
		synctest.Wait()
		if n, p := s.seen(); n != 1 || p != 1 || l.Health().State != account.OK {
			t.Errorf("%d sends, %d probes, health %s", n, p, l.Health().State)
		}
	})
}

// TestATimedPauseEndsByItself: not a nanosecond before its time, also over a restart
// of the loop, and with a probe before the first entry.
func TestATimedPauseEndsByItself(t *testing.T) {
	for _, restart := range []time.Duration{0, time.Hour, 3 * time.Hour} {
		bubble(t, func(t *testing.T, m *memory, s *remote) {
			l := newLoop(t, m, s)
			stop := start(t, l)
			until := time.Now().Add(2 * time.Hour)
			m.set(func(m *memory) { m.account.Pause = account.ByUser(time.Now(), until, true) })
			l.Wake()
			synctest.Wait()
			m.add(1)
			if h := l.Health(); h.State != account.Paused || !h.PausedUntil.Equal(until) || !h.Drops {
				t.Errorf("%+v", h)
			}
			if restart > 0 {
				time.Sleep(time.Millisecond)
				stop()
				time.Sleep(restart - time.Millisecond)
				l = newLoop(t, m, s)
				start(t, l)
				synctest.Wait()
			}
			if time.Now().Before(until) {
				time.Sleep(time.Until(until) - 1)
				synctest.Wait()
				if n, p := s.seen(); n+p != 0 || l.Health().State != account.Paused {
					t.Fatalf("before its end: %d sends, %d probes, %s", n, p, l.Health().State)
				}
				time.Sleep(1)
				synctest.Wait()
			}
			if n, _ := s.seen(); n != 1 || l.Health().State != account.OK || m.row().Pause != (account.Pause{}) {
				t.Errorf("restart after %s: %d sends, %s, %+v", restart, n, l.Health().State, m.row().Pause)
			}
		})
	}
}

// TestATimedPauseOutlastsNoClock: it began by a clock that was a year ahead, and is
// as long as it was meant to be. A pause that was made anew counts at once.
func TestATimedPauseOutlastsNoClock(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		ahead := time.Now().AddDate(1, 0, 0)
		m.set(func(m *memory) { m.account.Pause = account.ByUser(ahead, ahead.Add(2*time.Hour), false) })
		m.add(1)
		l.Wake()
		synctest.Wait()
		time.Sleep(2*time.Hour - 1)
		synctest.Wait()
		if n, _ := s.seen(); n != 0 {
			t.Fatal("it has ended too early")
		}
		until := time.Now().Add(time.Hour)
		m.set(func(m *memory) { m.account.Pause = account.ByUser(time.Now(), until, false) })
		l.Wake()
		synctest.Wait()
		time.Sleep(time.Until(until) - 1)
		synctest.Wait()
		if n, _ := s.seen(); n != 0 {
			t.Fatal("the later end does not count")
		}
		time.Sleep(1)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 {
			t.Error("it has not ended")
		}
	})
}

func TestUserPauseWinsOverARefusedKey(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.delay = always(refused()), time.Second
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1)
		synctest.Wait()
		m.set(func(m *memory) { m.account.Pause.Reason = account.PausedUser })
		time.Sleep(time.Second)
		synctest.Wait()
		if m.row().Pause.Reason != account.PausedUser || l.Health().State != account.Paused {
			t.Errorf("paused %q, health %s", m.row().Pause.Reason, l.Health().State)
		}
	})
}

func TestProvenIsKeptForTheAddressItWasProvenFor(t *testing.T) {
	for name, c := range map[string]struct {
		verdict tracker.Verdict
		proven  bool // the client knows it from login
		moved   bool // another address is saved meanwhile
		want    bool
	}{
		"by an answer":       {tracker.Verdict{Fate: tracker.Delivered, Proves: true}, false, false, true},
		"by login":           {tracker.Verdict{Fate: tracker.Delivered}, true, false, true},
		"not yet":            {tracker.Verdict{Fate: tracker.Delivered}, false, false, false},
		"for the old adress": {tracker.Verdict{Fate: tracker.Delivered, Proves: true}, false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				s.answer, s.proven, s.delay = always(c.verdict), c.proven, time.Second
				start(t, newLoop(t, m, s))
				m.add(1)
				synctest.Wait()
				if c.moved {
					m.set(func(m *memory) { m.account.BaseURL = "https://other.example/api/v1" })
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if m.row().Proven != c.want {
					t.Errorf("proven is %v, want %v", m.row().Proven, c.want)
				}
			})
		})
	}
}

func TestPauseTurnsBackWhatIsMarkedButNotSent(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1) // widens the gate to two
		synctest.Wait()
		s.set(func(s *remote) { s.answer, s.delay = always(refused()), time.Second })
		m.add(2)
		synctest.Wait()
		m.markDelay = 2 * time.Second // the next mark ends after the pause has begun
		id := m.add(3)
		time.Sleep(time.Minute)
		synctest.Wait()
		e := m.entry(id)
		if n, _ := s.seen(); n != 2 || e.State != viewing.StatePending || e.Attempts != 0 {
			t.Errorf("%d sends, entry is %s after %d attempts", n, e.State, e.Attempts)
		}
	})
}

// What is marked for one service must not leave for it once another is used.
func TestAnotherServiceTurnsBackWhatIsMarkedButNotSent(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		m.markDelay = 2 * time.Second
		id := m.add(1)
		synctest.Wait()
		other := &remote{}
		l.Use(other)
		time.Sleep(time.Minute)
		synctest.Wait()
		before, _ := s.seen()
		after, _ := other.seen()
		if e := m.entry(id); before != 0 || after != 1 || e.State != viewing.StateDelivered || e.Attempts != 1 {
			t.Errorf("%d sends to the one, %d to the other, entry is %s after %d attempts", before, after, e.State, e.Attempts)
		}
	})
}

func TestUserPauseEndsThoughOtherNewsWaitsToBeSaved(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.delay = time.Second
		l := newLoop(t, m, s)
		start(t, l)
		m.add(1)
		synctest.Wait()
		m.set(func(m *memory) { m.account.Pause.Reason = account.PausedUser })
		l.Wake()
		synctest.Wait()
		m.set(func(m *memory) { m.failSave = errDisk })
		time.Sleep(time.Hour) // the time of the delivery cannot be saved
		m.set(func(m *memory) { m.account.Pause.Reason, m.failSave = "", nil })
		l.Wake()
		time.Sleep(time.Minute)
		synctest.Wait()
		if m.row().Pause.Reason != "" || m.row().LastDelivered.IsZero() || l.Health().State != account.OK {
			t.Errorf("row is %+v, health %+v", m.row(), l.Health())
		}
	})
}

func TestLastDeliveredIsSavedWhenIdleAndInALongRun(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		start(t, newLoop(t, m, s, func(o *Options) { o.MaxInFlight = 1 }))
		for film := range int64(2) {
			time.Sleep(time.Second)
			m.add(film + 100)
			synctest.Wait()
			if at := m.row().LastDelivered; !at.Equal(time.Now()) {
				t.Errorf("idle, last delivered is %s", at)
			}
		}
		s.set(func(s *remote) { s.delay = time.Second })
		for i := range int64(60) {
			m.add(i + 2)
		}
		time.Sleep(30*time.Second + 1)
		synctest.Wait()
		if at := m.row().LastDelivered; time.Since(at) > savePause {
			t.Errorf("in a long run, last delivered is %s old", time.Since(at))
		}
	})
}

func TestResendSaysSo(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer = always(early())
		start(t, newLoop(t, m, s))
		m.add(1)
		time.Sleep(time.Second)
		synctest.Wait()
		if n, _ := s.seen(); n != 2 {
			t.Fatalf("%d sends, want 2", n)
		}
		first, second := s.sends[0].req, s.sends[1].req
		again := first
		again.Resend = true
		if first.Resend || !cmp.Equal(second, again) {
			t.Errorf("first %+v, second %+v", first, second)
		}
	})
}

func TestUnidentifiedEntryIsHeldUnsent(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		start(t, newLoop(t, m, s))
		id := m.add(0)
		synctest.Wait()
		if e := m.entry(id); e.State != viewing.StateHeld || e.Reason != "unresolved" || e.Attempts != 0 {
			t.Errorf("entry is %s (%s) after %d attempts", e.State, e.Reason, e.Attempts)
		}
		if n, _ := s.seen(); n != 0 {
			t.Errorf("%d requests for an item without identifier", n)
		}
	})
}

func TestIdempotencyKeyNamesTheAct(t *testing.T) {
	base := queue.Entry{Source: "browser:1", EventID: "e", Part: 0, Account: "default", Revision: 0}
	key := idempotencyKey("i", base)
	if len(key) != 64 {
		t.Fatalf("key %q has %d characters, want 64", key, len(key))
	}
	same := base
	same.Source, same.Attempts, same.ID, same.Lease = "browser:2", 5, 9, 3
	if idempotencyKey("i", same) != key {
		t.Error("another browser with the same event makes another key")
	}
	seen := map[string]string{key: "base", idempotencyKey("j", base): "installation"}
	for name, change := range map[string]func(*queue.Entry){
		"source":   func(e *queue.Entry) { e.Source = "kodi:1" },
		"event":    func(e *queue.Entry) { e.EventID = "f" },
		"part":     func(e *queue.Entry) { e.Part = 1 },
		"account":  func(e *queue.Entry) { e.Account = "other" },
		"revision": func(e *queue.Entry) { e.Revision = 1 },
		"shifted":  func(e *queue.Entry) { e.EventID, e.Account = "e,1:0,7:d", "efault" },
	} {
		e := base
		change(&e)
		seen[idempotencyKey("i", e)] = name
	}
	if len(seen) != 8 {
		t.Errorf("keys collide: %v", seen)
	}
}

func TestTroubleIsLoggedOnceAndWithoutTitles(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		var out bytes.Buffer
		s.answer, s.probed = always(offline()), offline()
		l := newLoop(t, m, s, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
		stop := start(t, l)
		m.add(1)
		time.Sleep(24 * time.Hour)
		s.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
		time.Sleep(time.Hour)
		stop()
		text := out.String()
		if n := strings.Count(text, "level=WARN"); n != 1 {
			t.Errorf("%d warnings in a day offline(), want 1:\n%s", n, text)
		}
		if n := strings.Count(text, "account delivers again"); n != 1 {
			t.Errorf("%d recoveries logged, want 1:\n%s", n, text)
		}
		if contains(text, "Secret") {
			t.Errorf("a title stands above debug:\n%s", text)
		}
	})
}

func TestHealthSubscription(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer, s.probed = always(refused()), refused()
		l := newLoop(t, m, s)
		changed, stop := l.Subscribe()
		start(t, l)
		m.add(1)
		synctest.Wait()
		select {
		case <-changed:
		default:
			t.Error("no nudge when the account was paused")
		}
		stop()
		l.Use(nil)
		synctest.Wait()
		select {
		case <-changed:
			t.Error("a nudge after the subscription's end")
		default:
		}
	})
}
