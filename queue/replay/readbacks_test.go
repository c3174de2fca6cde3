package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// glanceAfter is from a doubt to the early look, as package doubt has it.
const glanceAfter = 2 * time.Second

// keeper is an outbox in memory that keeps doubts as the queue does, to the
// nanosecond.
type keeper struct {
	*memory
	doubts   map[int64]*queue.Doubt
	answered []entry.Sent
}

func newKeeper() *keeper { return &keeper{memory: newMemory(), doubts: map[int64]*queue.Doubt{}} }

func (k *keeper) Settle(ctx context.Context, s queue.Settlement) error {
	err := k.memory.Settle(ctx, s)
	if err != nil {
		return err
	}
	k.set(func(m *memory) {
		if s.State == viewing.StateDelivered && s.Attempt > 0 {
			k.answered = append([]entry.Sent{{Entry: *m.rows[s.Entry-1], At: time.Now()}}, k.answered...)
		}
		if s.State != viewing.StateInDoubt {
			return
		}
		since := time.Now()
		if was := k.doubts[s.Entry]; was != nil {
			since = was.Since
		}
		k.doubts[s.Entry] = &queue.Doubt{Since: since, At: time.Now(), ReadAt: s.NextAt, SentAt: time.Now()}
	})
	return nil
}

func (k *keeper) Doubts(context.Context, string) (all []queue.Doubt, err error) {
	k.set(func(m *memory) {
		for _, e := range m.rows {
			if d := k.doubts[e.ID]; d != nil && e.State == viewing.StateInDoubt {
				found := *d
				found.Entry = *e
				all = append(all, found)
			}
		}
	})
	return all, nil
}

func (k *keeper) Doubt(_ context.Context, id int64) (found queue.Doubt, ok bool, err error) {
	k.set(func(m *memory) {
		if d := k.doubts[id]; d != nil {
			found, ok = *d, true
			found.Entry = *m.rows[id-1]
		}
	})
	return found, ok, nil
}

func (k *keeper) NextReadBack(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	all, err := k.Doubts(ctx, account)
	for _, d := range all {
		t, ok = earliest(t, d.ReadAt), ok || !d.ReadAt.IsZero()
	}
	return t, ok, err
}

func (k *keeper) RecordReadBack(_ context.Context, r queue.ReadBack) (err error) {
	k.set(func(m *memory) {
		row := m.rows[r.Doubt.Entry.ID-1]
		if row.State != viewing.StateInDoubt {
			err = fmt.Errorf("resolve: %w", entry.ErrState)
			return
		}
		row.State, row.Reason = r.State, r.Reason
		switch {
		case r.State == viewing.StateInDoubt:
			d := k.doubts[row.ID]
			d.ReadAt, d.Taken, d.Readings = r.ReadAt, r.Taken, r.Readings
		case !r.Resend:
			delete(k.doubts, row.ID)
		}
		if r.State == viewing.StatePending {
			row.NextAt = time.Now()
		}
		m.nudge()
	})
	return err
}

func (k *keeper) Answered(_ context.Context, _ string, _ time.Time, n int) (sent []entry.Sent, err error) {
	k.set(func(*memory) { sent = slices.Clone(k.answered[:min(n, len(k.answered))]) })
	return sent, nil
}

func (k *keeper) Claims(_ context.Context, _ string, keys []string) (claims []queue.Entry, err error) {
	k.set(func(m *memory) {
		for _, e := range m.rows {
			if e.State == viewing.StateDelivered && slices.Contains(keys, e.Media.Key()) {
				claims = append(claims, *e)
			}
		}
	})
	return claims, nil
}

func (k *keeper) KeepLists(context.Context, int64, []string) error { return nil }
func (k *keeper) Kin(context.Context, int64) (entry.Kin, error)    { return entry.Kin{}, nil }
func (k *keeper) Told(context.Context, int64) ([]time.Time, error) { return nil, nil }
func (k *keeper) WatchedSince(context.Context, string, viewing.Media, time.Time) (bool, error) {
	return false, nil
}

// mirror is a service that shows its history as the test says.
type mirror struct {
	*remote
	show  func(look int) tracker.Reading
	looks []time.Time
}

func (s *mirror) Me(context.Context) (tracker.User, error) { return tracker.User{ID: "usr_1"}, nil }
func (s *mirror) MediaStatus(context.Context, []viewing.Media) (map[string]tracker.ItemStatus, error) {
	return nil, &tracker.ReadError{Verdict: tracker.Verdict{Fate: tracker.Rejected, Sent: true, Status: 404}}
}

func (s *mirror) Lists(context.Context) ([]tracker.RemoteList, bool, error) { return nil, true, nil }

func (s *mirror) AllHistory(context.Context, viewing.MediaType) (tracker.Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks = append(s.looks, time.Now())
	return s.show(len(s.looks)), nil
}

func (s *mirror) looked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.looks)
}

// reflect runs a test with one film in doubt, and another known to be there.
func reflect(t *testing.T, show func(look int, anchor tracker.HistoryItem) tracker.Reading, change func(*Options), test func(k *keeper, s *mirror, l *Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		at := time.Now().Add(-50*time.Hour - 7*time.Millisecond)
		known := queue.Entry{Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 999}}, WatchedAt: entry.Moment{Instant: viewing.At(at)}}
		k.answered = []entry.Sent{{Entry: known, At: time.Now().Add(-time.Hour)}}
		item := tracker.HistoryItem{Type: "movie", ID: 999, WatchedAt: known.WatchedAt.Time()}
		s := &mirror{remote: &remote{answer: always(broken())}}
		s.show = func(look int) tracker.Reading { return show(look, item) }
		l := newLoop(t, k, s, func(o *Options) {
			o.Doubts = k
			if change != nil {
				change(o)
			}
		})
		start(t, l)
		k.add(1)
		synctest.Wait()
		s.set(func(s *remote) { s.answer = nil })
		if e := k.entry(1); e.State != viewing.StateInDoubt {
			t.Fatalf("entry is %s", e.State)
		}
		test(k, s, l)
	})
}

// same shows the same history at each look; other does not.
func same(_ int, anchor tracker.HistoryItem) tracker.Reading {
	return tracker.Reading{Items: []tracker.HistoryItem{anchor}, Complete: true, Print: "same"}
}

func other(look int, anchor tracker.HistoryItem) tracker.Reading {
	r := same(look, anchor)
	r.Print = fmt.Sprint(look)
	return r
}

// glance waits for the early look, which finds nothing and changes nothing.
func glance(t *testing.T, k *keeper, s *mirror) {
	t.Helper()
	before, _, _ := k.Doubt(t.Context(), 1)
	exactly(t, glanceAfter, "early look", s.looked)
	if after, _, _ := k.Doubt(t.Context(), 1); !cmp.Equal(before, after) || len(s.sends) != 1 {
		t.Errorf("after the early look %+v, before %+v, %d sends", after, before, len(s.sends))
	}
}

func TestLooksAreFiveMinutesAndThirtySecondsApart(t *testing.T) {
	reflect(t, same, nil, func(k *keeper, s *mirror, _ *Loop) {
		glance(t, k, s)
		exactly(t, 5*time.Minute-glanceAfter, "look", s.looked)
		if e := k.entry(1); e.State != viewing.StateInDoubt || len(s.sends) != 1 {
			t.Errorf("after one look: %+v", e)
		}
		exactly(t, 30*time.Second, "look", s.looked)
		e := k.entry(1)
		if e.State != viewing.StateDelivered || e.Revision != 0 || len(s.sends) != 2 || s.sends[0].req.IdempotencyKey != s.sends[1].req.IdempotencyKey {
			t.Errorf("after two looks: %+v, %d sends", e, len(s.sends))
		}
		if a := k.row(); a.Keeps != "exact" || a.Owner != "usr_1" || !a.Support["history"].Has || a.Support["status"].Has {
			t.Errorf("learned %+v", a)
		}
	})
}

// TestDeliveriesOfAnotherUserProveNothing: what left with another's key says
// nothing of this history, so that what it lacks is not sent again.
func TestDeliveriesOfAnotherUserProveNothing(t *testing.T) {
	anothers := func(o *Options) { o.Doubts.(*keeper).answered[0].Owner = "usr_2" }
	reflect(t, same, anothers, func(k *keeper, s *mirror, _ *Loop) {
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if e := k.entry(1); e.State != viewing.StateInDoubt || len(s.sends) != 1 || s.looked() < 3 || k.row().Keeps != "" {
			t.Errorf("%+v, %d sends, %d looks, learned %+v", e, len(s.sends), s.looked(), k.row())
		}
	})
}

// TestEarliestDoubtSetsTheNextLook: a later doubt does not put off an earlier one.
func TestEarliestDoubtSetsTheNextLook(t *testing.T) {
	reflect(t, same, nil, func(k *keeper, s *mirror, _ *Loop) {
		time.Sleep(3 * time.Minute)
		s.set(func(s *remote) { s.answer = always(broken()) })
		k.add(2)
		synctest.Wait()
		s.set(func(s *remote) { s.answer = nil })
		time.Sleep(glanceAfter)
		synctest.Wait()
		exactly(t, 2*time.Minute-glanceAfter, "look for the first", s.looked)
		exactly(t, 30*time.Second, "second look for the first", s.looked)
		exactly(t, 2*time.Minute+30*time.Second, "look for the second", s.looked)
	})
}

func TestLooksGrowRare(t *testing.T) {
	reflect(t, other, nil, func(k *keeper, s *mirror, l *Loop) {
		glance(t, k, s)
		waits := []time.Duration{5*time.Minute - glanceAfter, 30 * time.Second, 30 * time.Second, 5 * time.Minute, time.Hour, 6 * time.Hour}
		for range 5 {
			waits = append(waits, 24*time.Hour)
		}
		for _, wait := range waits {
			exactly(t, wait, "look", s.looked)
		}
		if e := k.entry(1); e.State != viewing.StateInDoubt || l.Health().State != account.OK || len(s.sends) != 1 {
			t.Errorf("%+v, health %+v", e, l.Health())
		}
		time.Sleep(60 * 24 * time.Hour)
		synctest.Wait()
		before, calls := s.looked(), k.calls
		time.Sleep(60 * 24 * time.Hour)
		synctest.Wait()
		if s.looked() != before || k.calls != calls {
			t.Errorf("%d looks, %d calls long after anybody could tell", s.looked()-before, k.calls-calls)
		}
		var kept []any
		if d, _, _ := k.Doubt(t.Context(), 1); json.Unmarshal(d.Readings, &kept) != nil || len(kept) != 2 {
			t.Errorf("kept %s", d.Readings)
		}
	})
}

func TestExhaustedReadingFollowsTheSetting(t *testing.T) {
	for setting, want := range map[doubt.Setting]int{doubt.Resend: 2, doubt.Assume: 1} {
		t.Run(string(setting), func(t *testing.T) {
			reflect(t, other, func(o *Options) { o.InDoubt = setting }, func(k *keeper, s *mirror, _ *Loop) {
				time.Sleep(5*time.Minute + time.Minute + 5*time.Minute + time.Hour)
				synctest.Wait()
				if e := k.entry(1); e.State != viewing.StateInDoubt {
					t.Fatalf("entry is %s before reading was exhausted", e.State)
				}
				time.Sleep(6 * time.Hour)
				synctest.Wait()
				if e := k.entry(1); e.State != viewing.StateDelivered || len(s.sends) != want {
					t.Errorf("%+v, %d sends, want %d", e, len(s.sends), want)
				}
			})
		})
	}
}

func TestResendsWithTheSameKeyBackOffForTwelveHours(t *testing.T) {
	reflect(t, other, func(o *Options) { o.Idempotent = true }, func(k *keeper, s *mirror, _ *Loop) {
		s.set(func(s *remote) { s.answer = always(broken()) })
		for _, seconds := range []int{30, 60, 120, 240, 480, 900, 900} {
			exactly(t, time.Duration(seconds)*time.Second, "resend", sends(s.remote))
		}
		time.Sleep(12 * time.Hour)
		synctest.Wait()
		n, _ := s.seen()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if again, _ := s.seen(); again != n || k.entry(1).State != viewing.StateInDoubt {
			t.Errorf("%d sends after 12 hours, entry %s", again-n, k.entry(1).State)
		}
		for _, sent := range s.sends[1:] {
			if sent.req.IdempotencyKey != s.sends[0].req.IdempotencyKey || !sent.req.Resend {
				t.Errorf("resent %+v", sent.req)
			}
			if since := sent.at.Sub(s.sends[0].at); since > 12*time.Hour {
				t.Errorf("resent after %s", since)
			}
		}
	})
}

// TestLookIsBrokenOffByANewKey: what the old key would have shown counts no
// more, and the new one is looked with.
func TestLookIsBrokenOffByANewKey(t *testing.T) {
	reflect(t, same, nil, func(k *keeper, s *mirror, l *Loop) {
		next := &mirror{remote: &remote{}, show: s.show}
		glance(t, k, s)
		time.Sleep(5*time.Minute - glanceAfter - 1)
		l.Use(next)
		synctest.Wait()
		exactly(t, 1, "look with the new key", next.looked)
		if s.looked() != 1 {
			t.Errorf("%d looks with the old key, want only the early one", s.looked())
		}
		exactly(t, 30*time.Second, "look with the new key", next.looked)
		if e := k.entry(1); e.State != viewing.StateDelivered || len(next.sends) != 1 {
			t.Errorf("%+v", e)
		}
	})
}

func TestNothingIsLookedForWithoutAKeeper(t *testing.T) {
	reflect(t, same, func(o *Options) { o.Doubts = nil }, func(k *keeper, s *mirror, _ *Loop) {
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		if s.looked() != 0 || k.entry(1).State != viewing.StateInDoubt {
			t.Errorf("%d looks, entry %s", s.looked(), k.entry(1).State)
		}
	})
}
