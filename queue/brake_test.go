package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// withSettings replaces the settings of the store.
func (o *opened) withSettings(s rules.Settings) *opened {
	o.settings = s
	return o
}

// filmEndingAt returns a viewing of a film that ended some seconds after an hour ago.
func filmEndingAt(id string, tmdb int64, seconds int) viewing.Event {
	v := film(id, tmdb, -60)
	v.WatchedAt = viewing.At(v.WatchedAt.Time().Add(time.Duration(seconds) * time.Second))
	return v
}

// statesByEvent returns the state and reason of the entries by event.
func (o *opened) statesByEvent(t testing.TB) map[string]string {
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

func (o *opened) wantStatesByEvent(t testing.TB, want map[string]string) {
	t.Helper()
	if got := o.statesByEvent(t); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	o.checkCounters(t)
}

// TestABurstIsHeld: from the first viewing above the limit, however the events are batched.
// Viewings held for another reason and duplicates are not counted.
func TestABurstIsHeld(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := openNew(t).withSettings(rules.Settings{BurstLimit: 3})
		defer func() { s.stop() }()
		var all []viewing.Event
		count, want := 0, map[string]string{}
		for n := range rapid.IntRange(1, 10).Draw(r, "events") {
			v := filmEndingAt(fmt.Sprint(n), int64(n+1), rapid.IntRange(0, 60).Draw(r, "second"))
			v.Class = rapid.SampledFrom([]viewing.Class{"", "", "", viewing.ClassLive, viewing.ClassImport, viewing.ClassBulk}).Draw(r, "class")
			want[v.EventID] = "pending"
			switch v.Class {
			case viewing.ClassImport:
			case viewing.ClassBulk:
				want[v.EventID] = "held bulk"
			default:
				if count++; count > 3 {
					want[v.EventID] = "held burst"
				}
			}
			all = append(all, v)
		}
		for rest := all; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "batch")
			s.commitBatch(t, viewing.Batch{Source: chrome, Events: rest[:n]})
			s.commitBatch(t, viewing.Batch{Source: chrome, Events: rest[:n]}) // again
			rest = rest[n:]
		}
		if got := s.statesByEvent(t); !maps.Equal(got, want) {
			r.Fatalf("%v, want %v", got, want)
		}
		s.checkCounters(t)
	})
}

// burst commits six films that ended in one minute, one after the other.
func (o *opened) burst(t testing.TB, from int) {
	t.Helper()
	for n := range 6 {
		o.commitFrom(t, player, filmEndingAt(fmt.Sprint("e", from+n), int64(100+from+n), n))
	}
}

// A change that fails does not count towards a burst, even if others of its transaction succeed.
func TestFailedChangeDoesNotCountTowardsABurst(t *testing.T) {
	s := openNew(t).withSettings(rules.Settings{BurstLimit: 5})
	failed := errors.New("failed")
	err := s.file.Write(t.Context(), func(d *sqlite.Tx) error {
		count := func(n int, err error) error {
			return s.Store.change(d, func(c *tx) error {
				c.exceedsBurst(player, filmEndingAt("x", int64(100+n), n))
				return err
			})
		}
		for n := range 5 {
			if err := count(n, failed); !errors.Is(err, failed) {
				return err
			}
		}
		return count(5, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.commitFrom(t, player, filmEndingAt("e", 200, 6))
	s.wantStatesByEvent(t, map[string]string{"e": "pending"})
}

func TestEntriesOfABurstCanBeReleased(t *testing.T) {
	s := openNew(t).withSettings(rules.Settings{BurstLimit: 5})
	nameless := filmEndingAt("nameless", 0, 3)
	nameless.Media[0].IDs.IMDB = "tt0133093"
	s.commitFrom(t, player, nameless) // it is held anyway, and does not count
	s.commitFrom(t, chrome, filmEndingAt("other", 30, 0))
	for n := range 6 {
		s.commitFrom(t, viewing.SourceCLI, filmEndingAt(fmt.Sprint("typed", n), int64(40+n), n)) // a person has typed each
	}
	s.burst(t, 0)
	want := map[string]string{
		"e0": "pending", "e1": "pending", "e2": "pending", "e3": "pending", "e4": "pending", "e5": "held burst", "nameless": "held unresolved", "other": "pending",
	}
	for n := range 6 {
		want[fmt.Sprint("typed", n)] = "pending"
	}
	s.wantStatesByEvent(t, want)
	if bursts, err := s.Bursts(t.Context()); err != nil || !slices.Equal(bursts, []entry.Burst{{Source: player, Held: 1}}) {
		t.Errorf("%v, %v", bursts, err)
	}

	// What would leave as soon as it is known what it is counts then.
	asked := s.wantLookups(t, 1, s.byEventID(t, "nameless"))
	s.recordLookups(t, LookupResult{Lookup: asked[0], Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 77}}, Why: viewing.Say("text", "text", "It is 77.")})
	want["nameless"] = "held burst"
	s.wantStatesByEvent(t, want)

	// What a person has let go is not held again by what comes later.
	if _, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonBurst}}, false); err != nil {
		t.Fatal(err)
	}
	s.commitFrom(t, player, filmEndingAt("later", 50, 4))
	s.commitFrom(t, player, filmEndingAt("tomorrow", 60, 180)) // another minute is counted by itself
	want["e5"], want["nameless"], want["later"], want["tomorrow"] = "pending", "pending", "held burst", "pending"
	s.wantStatesByEvent(t, want)
}

// byEventID returns the id of the entry of an event.
func (o *opened) byEventID(t testing.TB, event string) int64 {
	t.Helper()
	all, err := o.Entries(t.Context(), entry.Filter{Limit: 1000})
	i := slices.IndexFunc(all, func(e Entry) bool { return e.EventID == event })
	if err != nil || i < 0 {
		t.Fatalf("no entry of %s: %v", event, err)
	}
	return all[i].ID
}

func TestBurstAndOtherEntries(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*opened)
		want string // how e5 stands
	}{
		"another source confirms it later": {func(s *opened) { s.commitFrom(t, chrome, filmEndingAt("same", 105, 5)) }, "pending"},
		"a person has added it":            {func(s *opened) { s.commitFrom(t, "cli", filmEndingAt("same", 105, 0)) }, "pending"},
		"its source takes it for bulk": {func(s *opened) {
			s.commitBatch(t, viewing.Batch{Source: player, Amendments: []viewing.Amendment{{EventID: "e5", Class: viewing.ClassBulk, Reason: viewing.Say("Marked.")}}})
		}, "held bulk"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t).withSettings(rules.Settings{BurstLimit: 5})
			s.burst(t, 0)
			c.do(s)
			if got := s.statesByEvent(t)["e5"]; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			s.checkCounters(t)
		})
	}
}

// setPause pauses the default account at the store's time.
func (o *opened) setPause(t testing.TB, p account.Pause) {
	t.Helper()
	if err := o.UpdateAccount(context.Background(), "default", func(a *account.Row) { a.Pause = p }); err != nil {
		t.Fatal(err)
	}
}

// TestPauseDropsViewingsReportedLater: viewings during such a pause are dropped, whenever they
// are reported.
func TestPauseDropsViewingsReportedLater(t *testing.T) {
	s := openNew(t).withSettings(twoAccounts())
	s.commitFrom(t, chrome, film("before", 1, -1))
	pause := account.ByUser(s.clock.now(), s.clock.now().Add(2*time.Hour), true)
	s.setPause(t, pause)
	row, err := s.Account(t.Context(), "default")
	if err != nil || !row.Pause.Until.Equal(pause.Until) || !row.Pause.Drops {
		t.Fatalf("%+v, %v", row.Pause, err)
	}
	s.clock.advance(time.Hour)
	s = s.reopen(t)
	if o := s.commitFrom(t, chrome, film("in it", 2, 30)); o.Status != viewing.StatusDropped {
		t.Errorf("%+v", o)
	}
	if o := s.commitBatch(t, viewing.Batch{Source: "browser:b2", Events: []viewing.Event{film("of another account", 3, 40)}}); o[0].Status != viewing.StatusQueued {
		t.Errorf("%+v", o)
	}
	s.setPause(t, account.Pause{}) // resumed after an hour
	s.clock.advance(3 * time.Hour)
	s.commitFrom(t, chrome, film("reported late", 4, 59))
	s.commitFrom(t, chrome, film("after it", 5, 61))
	want := map[string]string{
		"before": "pending", "in it": "dropped paused", "of another account": "pending", "reported late": "dropped paused", "after it": "pending",
	}
	s.wantStatesByEvent(t, want)
	if did, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{State: viewing.StateDropped, Reason: viewing.ReasonPaused}}, false); err != nil || did.Changed != 2 {
		t.Errorf("%+v, %v", did, err)
	}
	want["in it"], want["reported late"] = "pending", "pending"
	s.wantStatesByEvent(t, want)

	// The next one begins a silence of its own; one without a drop begins none.
	s.setPause(t, account.ByUser(s.clock.now(), s.clock.now().Add(time.Hour), true))
	s.clock.advance(10 * time.Minute)
	s.setPause(t, account.ByUser(s.clock.now(), s.clock.now().Add(time.Hour), false))
	s.clock.advance(10 * time.Minute)
	s.commitFrom(t, chrome, film("second", 6, 4*60+5))
	s.commitFrom(t, chrome, film("kept back", 7, 4*60+15))
	want["second"], want["kept back"] = "dropped paused", "pending"
	s.wantStatesByEvent(t, want)
}

// TestResumeEndsASilenceInTheFuture: after a resume under a clock that was set back, nothing is
// dropped later.
func TestResumeEndsASilenceInTheFuture(t *testing.T) {
	s := openNew(t)
	now := s.clock.now()
	s.setPause(t, account.ByUser(now, now.Add(time.Hour), true))
	s.clock.advance(-time.Hour)
	s.setPause(t, account.Pause{})
	s.clock.advance(2 * time.Hour)
	s.commitFrom(t, chrome, film("after it", 1, 10))
	s.wantStatesByEvent(t, map[string]string{"after it": "pending"})
}
