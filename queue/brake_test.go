package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// by has the store decide by these settings.
func (o *opened) by(s rules.Settings) *opened {
	o.settings = s
	return o
}

// ends is a film that ended so many seconds after an hour ago.
func ends(id string, tmdb int64, seconds int) viewing.Event {
	v := film(id, tmdb, -60)
	v.WatchedAt = viewing.At(v.WatchedAt.Time().Add(time.Duration(seconds) * time.Second))
	return v
}

// stands tells how the entries of events stand: state and reason.
func (o *opened) stands(t testing.TB) map[string]string {
	t.Helper()
	all, err := o.Entries(t.Context(), entry.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range all {
		got[e.EventID] = string(e.State)
		if e.State != viewing.StatePending {
			got[e.EventID] += " " + e.Reason
		}
	}
	return got
}

func (o *opened) wantStanding(t testing.TB, want map[string]string) {
	t.Helper()
	if got := o.stands(t); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	o.checkCounters(t)
}

// TestAWaveIsHeldWhateverTheOrder: as long as nothing has left, batches, restarts
// and the order in which it is told make no difference.
func TestAWaveIsHeldWhateverTheOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		settings := rules.Settings{Wave: 3}
		s := fresh(t).by(settings)
		defer func() { s.stop() }()
		var all []viewing.Event
		for n := range rapid.IntRange(1, 14).Draw(r, "events") {
			v := ends(fmt.Sprint(n), rapid.Int64Range(1, 6).Draw(r, "item"), 10*rapid.IntRange(0, 18).Draw(r, "at"))
			v.Class = rapid.SampledFrom([]viewing.Class{"", "", "", viewing.ClassLive, viewing.ClassImport}).Draw(r, "class")
			all = append(all, v)
		}
		want := map[string]string{}
		for _, v := range all {
			want[v.EventID] = "pending"
		}
		for _, first := range all {
			var within []string
			items := map[int64]bool{}
			for _, v := range all {
				apart := v.WatchedAt.Millis - first.WatchedAt.Millis
				if v.Class != viewing.ClassImport && apart >= 0 && apart <= 60_000 {
					within, items[v.Media[0].IDs.TMDB] = append(within, v.EventID), true
				}
			}
			for _, id := range within {
				if len(items) > 3 {
					want[id] = "held wave"
				}
			}
		}
		for told := rapid.Permutation(all).Draw(r, "order"); len(told) > 0; {
			n := rapid.IntRange(1, len(told)).Draw(r, "batch")
			s.commitBatch(t, viewing.Batch{Source: "browser:b1", Events: told[:n]})
			s.commitBatch(t, viewing.Batch{Source: "browser:b1", Events: told[:n]}) // again
			told = told[n:]
			switch rapid.IntRange(0, 5).Draw(r, "then") {
			case 0:
				s = s.reopen(t).by(settings)
			case 1: // what was taken back counts no more
				bad := viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{{EventID: all[0].EventID, Media: make([]viewing.Media, 2), Reason: "Wrong."}}}
				s.commitBatch(t, viewing.Batch{Source: "browser:b1", Events: all[:1]})
				for n := range 4 {
					bad.Events = append(bad.Events, ends(fmt.Sprint("bad ", n), int64(10+n), 90))
				}
				if _, err := s.Commit(t.Context(), bad); err == nil {
					t.Fatal("it was taken")
				}
			}
		}
		if got := s.stands(t); !maps.Equal(got, want) {
			r.Fatalf("%v, want %v", got, want)
		}
	})
}

// wave tells six films of one minute, one after the other.
func (o *opened) wave(t testing.TB, from int) {
	t.Helper()
	for n := range 6 {
		o.told(t, player, ends(fmt.Sprint("e", from+n), int64(100+from+n), n))
	}
}

func TestAWaveHoldsWhatHasNotBegunToLeave(t *testing.T) {
	s := fresh(t).by(rules.Settings{Wave: 5})
	s.told(t, player, ends("e0", 1, 0))
	id := s.told(t, player, ends("e1", 2, 1)).Entries[0]
	l := s.lease(t)
	s.settle(t, Settlement{Entry: l[0].ID, Attempt: s.send(t, l[0]), State: viewing.StateDelivered})
	for n := range 3 {
		s.told(t, player, ends(fmt.Sprint("f", n), int64(10+n), 2))
	}
	s.told(t, chrome, ends("other", 30, 0))
	nameless := ends("nameless", 0, 3)
	nameless.Media[0].IDs.IMDB = "tt0133093"
	s.told(t, player, nameless) // the sixth
	s.wantStanding(t, map[string]string{
		"e0": "delivered ", "e1": "held wave", "f0": "held wave", "f1": "held wave", "f2": "held wave",
		"nameless": "held wave", "other": "pending",
	})
	if _, err := s.Sending(t.Context(), l[1]); err == nil || l[1].ID != id {
		t.Errorf("entry %d leaves with a lease of before: %v", l[1].ID, err)
	}
	waves, err := s.Waves(t.Context())
	if err != nil || !slices.Equal(waves, []entry.Wave{{Source: player, Held: 5}}) {
		t.Errorf("%v, %v", waves, err)
	}

	// It is still asked what it is, and stays held when that is known.
	asked := s.wantLookups(t, 1, s.byEventID(t, "nameless"))
	s.found(t, Finding{Lookup: asked[0], Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 77}}, Said: "It is 77."})
	if got := s.stands(t)["nameless"]; got != "held wave" {
		t.Error(got)
	}

	// What a person has let go is not held again by what comes later.
	if _, err := s.ReleaseHeld(t.Context(), entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonWave}}, false); err != nil {
		t.Fatal(err)
	}
	s.told(t, player, ends("later", 50, 4))
	got := s.stands(t)
	if got["later"] != "held wave" || got["f0"] != "pending" || got["nameless"] != "pending" {
		t.Error(got)
	}
}

// byEventID is the entry of an event.
func (o *opened) byEventID(t testing.TB, event string) int64 {
	t.Helper()
	all, err := o.Entries(t.Context(), entry.Filter{Limit: 1000})
	i := slices.IndexFunc(all, func(e Entry) bool { return e.EventID == event })
	if err != nil || i < 0 {
		t.Fatalf("no entry of %s: %v", event, err)
	}
	return all[i].ID
}

func TestAWaveAndOthers(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*opened)
		want string // how e0 stands
	}{
		{"another source confirms it later", func(s *opened) { s.wave(t, 0); s.told(t, chrome, ends("same", 100, 5)) }, "merged " + viewing.ReasonSeenTwice},
		{"another source has confirmed it", func(s *opened) {
			s.told(t, player, ends("e0", 100, 0))
			s.told(t, chrome, ends("same", 100, 5))
			s.wave(t, 1)
		}, "pending"},
		{"a person has added it", func(s *opened) { s.wave(t, 0); s.told(t, "cli", ends("same", 100, 0)) }, "merged " + viewing.ReasonSeenTwice},
		{"its source takes it for bulk", func(s *opened) {
			s.wave(t, 0)
			s.commitBatch(t, viewing.Batch{Source: player, Amendments: []viewing.Amendment{{EventID: "e0", Class: viewing.ClassBulk, Reason: "Marked."}}})
		}, "held bulk"},
		{"it was told as bulk", func(s *opened) {
			for n := range 7 {
				v := ends(fmt.Sprint("e", n), int64(n+1), 0)
				v.Class = viewing.ClassBulk
				s.told(t, player, v)
			}
		}, "held bulk"},
		{"it was edited", func(s *opened) {
			o := s.told(t, player, ends("e0", 100, 0))
			if _, err := s.Edit(t.Context(), o.Entries[0], entry.Edit{WatchedAt: viewing.At(noon().Add(-time.Hour))}); err != nil {
				t.Fatal(err)
			}
			s.wave(t, 1)
		}, "pending"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fresh(t).by(rules.Settings{Wave: 5})
			c.do(s)
			if got := s.stands(t)["e0"]; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			s.checkCounters(t)
		})
	}
}

// paused pauses the default account as a person does, at the store's time.
func (o *opened) paused(t testing.TB, p account.Pause) {
	t.Helper()
	if err := o.UpdateAccount(context.Background(), "default", func(a *account.Row) { a.Pause = p }); err != nil {
		t.Fatal(err)
	}
}

// TestAPauseThatDrops: what was watched in it is dropped, whenever it is told.
func TestAPauseThatDrops(t *testing.T) {
	s := fresh(t).by(twoAccounts())
	s.told(t, chrome, film("before", 1, -1))
	pause := account.ByUser(s.clock.now(), s.clock.now().Add(2*time.Hour), true)
	s.paused(t, pause)
	row, err := s.Account(t.Context(), "default")
	if err != nil || !row.Pause.Until.Equal(pause.Until) || !row.Pause.Drops {
		t.Fatalf("%+v, %v", row.Pause, err)
	}
	s.clock.advance(time.Hour)
	s = s.reopen(t)
	if o := s.told(t, chrome, film("in it", 2, 30)); o.Status != viewing.StatusDropped {
		t.Errorf("%+v", o)
	}
	if o := s.commitBatch(t, viewing.Batch{Source: "browser:b2", Events: []viewing.Event{film("of another account", 3, 40)}}); o[0].Status != viewing.StatusQueued {
		t.Errorf("%+v", o)
	}
	s.paused(t, account.Pause{}) // resumed after an hour
	s.clock.advance(3 * time.Hour)
	s.told(t, chrome, film("told late", 4, 59))
	s.told(t, chrome, film("after it", 5, 61))
	want := map[string]string{
		"before": "pending", "in it": "dropped paused", "of another account": "pending", "told late": "dropped paused", "after it": "pending",
	}
	s.wantStanding(t, want)
	if did, err := s.ReleaseHeld(t.Context(), entry.Selection{Filter: entry.Filter{State: viewing.StateDropped, Reason: viewing.ReasonPaused}}, false); err != nil || did.Changed != 2 {
		t.Errorf("%+v, %v", did, err)
	}
	want["in it"], want["told late"] = "pending", "pending"
	s.wantStanding(t, want)

	// The next one begins a silence of its own; one without a drop begins none.
	s.paused(t, account.ByUser(s.clock.now(), s.clock.now().Add(time.Hour), true))
	s.clock.advance(10 * time.Minute)
	s.paused(t, account.ByUser(s.clock.now(), s.clock.now().Add(time.Hour), false))
	s.clock.advance(10 * time.Minute)
	s.told(t, chrome, film("second", 6, 4*60+5))
	s.told(t, chrome, film("kept back", 7, 4*60+15))
	want["second"], want["kept back"] = "dropped paused", "pending"
	s.wantStanding(t, want)
}

// TestOnlyWhatWasShownIsApproved: what came after the list stays.
func TestOnlyWhatWasShownIsApproved(t *testing.T) {
	s := fresh(t).by(rules.Settings{Approve: true})
	s.told(t, chrome, film("a", 1, -60))
	s.told(t, chrome, film("b", 2, -50))
	shown, err := s.Entries(t.Context(), entry.Filter{Reason: viewing.ReasonApprove})
	if err != nil || len(shown) != 2 {
		t.Fatal(shown, err)
	}
	s.told(t, chrome, film("c", 3, -40))
	for range 2 {
		if _, err := s.ReleaseHeld(t.Context(), entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonApprove, UpTo: shown[0].ID}}, false); err != nil {
			t.Fatal(err)
		}
	}
	s.wantStanding(t, map[string]string{"a": "pending", "b": "pending", "c": "held approve"})
	if did, err := s.Drop(t.Context(), entry.Selection{Filter: entry.Filter{UpTo: -1}}, false); err != nil || did.Changed != 0 {
		t.Errorf("%+v, %v", did, err)
	}
}

// TestWhatWasWatchedElsewhereWaits: the settings that ignored it are not what holds it
// then.
func TestWhatWasWatchedElsewhereWaits(t *testing.T) {
	s := fresh(t).by(rules.Settings{Filters: []rules.Filter{rules.NewFilter(rules.Match{}, rules.Ignore)}})
	marked := film("marked", 1, -20)
	marked.Class, marked.Elsewhere = viewing.ClassMarked, true
	id := s.told(t, player, marked).Entries[0]
	s.wantStanding(t, map[string]string{"marked": "dropped " + viewing.ReasonFiltered})
	for _, want := range []string{"held " + viewing.ReasonReview, "pending"} {
		if _, err := s.ReleaseHeld(t.Context(), entry.Selection{IDs: []int64{id}}, false); err != nil {
			t.Fatal(err)
		}
		s.wantStanding(t, map[string]string{"marked": want})
	}
}

// TestAClockSetBackLeavesSilences: a computer may begin with a wrong clock.
func TestAClockSetBackLeavesSilences(t *testing.T) {
	s := fresh(t)
	yesterday := s.clock.now()
	today := yesterday.Add(24 * time.Hour)
	s.paused(t, account.ByUser(yesterday, yesterday.Add(2*time.Hour), true))
	s.clock.advance(2 * time.Hour)
	s.paused(t, account.Pause{})
	s.clock.advance(22 * time.Hour)
	s.paused(t, account.ByUser(today, today.Add(time.Hour), true))
	for _, move := range []time.Duration{-48 * time.Hour, 48*time.Hour + 10*time.Minute} {
		s.clock.advance(move)
		err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.Pause = a.Pause.Timely(s.clock.now()) })
		if err != nil {
			t.Fatal(err)
		}
	}
	s.told(t, chrome, film("yesterday", 1, 60))
	s.told(t, chrome, film("today", 2, 24*60+5))
	s.told(t, chrome, film("between", 3, 12*60))
	want := map[string]string{"yesterday": "dropped paused", "today": "dropped paused", "between": "pending"}
	s.wantStanding(t, want)
}

// TestAResumeEndsASilenceThatLiesAhead: who resumes under a clock that was set back
// wants nothing dropped later.
func TestAResumeEndsASilenceThatLiesAhead(t *testing.T) {
	s := fresh(t)
	now := s.clock.now()
	s.paused(t, account.ByUser(now, now.Add(time.Hour), true))
	s.clock.advance(-time.Hour)
	s.paused(t, account.Pause{})
	s.clock.advance(2 * time.Hour)
	s.told(t, chrome, film("after it", 1, 10))
	s.wantStanding(t, map[string]string{"after it": "pending"})
}

// TestAWaveIsLetGoAtOnce: also what nobody can name yet. It then waits for its
// identity alone.
func TestAWaveIsLetGoAtOnce(t *testing.T) {
	s := fresh(t).by(rules.Settings{Wave: 5})
	want := map[string]string{}
	for n := range 6 {
		v := called(fmt.Sprint("e", n), fmt.Sprint("Film ", n), 1990+n, -60)
		s.told(t, chrome, v)
		want[v.EventID] = "held unresolved"
	}
	wave := entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonWave}}
	if did, err := s.ReleaseHeld(t.Context(), wave, false); err != nil || did.Changed != 6 || len(did.Left) != 0 {
		t.Errorf("%+v, %v", did, err)
	}
	s.wantStanding(t, want)
	if waves, err := s.Waves(t.Context()); err != nil || len(waves) != 0 {
		t.Errorf("%v, %v", waves, err)
	}

	// It is still asked what it is, goes when that is known, and is no wave again.
	s.told(t, chrome, ends("later", 50, 4))
	e0 := s.byEventID(t, "e0")
	for _, l := range s.lookups(t) {
		if l.Entry.ID == e0 {
			s.found(t, Finding{Lookup: l, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 77}}, Said: "It is 77."})
		}
	}
	want["e0"], want["later"] = "pending", "held wave"
	s.wantStanding(t, want)
}
