package rules_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// caughtBy tells which moments are caught when they come one after the other.
func caughtBy(limit int, moments []rules.Moment) map[int64]bool {
	caught := map[int64]bool{}
	for n := range moments {
		for _, m := range rules.Wave(limit, moments[:n+1]) {
			caught[m.Entry] = true
		}
	}
	return caught
}

// TestWaveIsOneWhateverTheOrder holds against the definition: a moment is in a wave
// if it lies in a minute in which more different items of its source ended.
func TestWaveIsOneWhateverTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		var moments []rules.Moment
		for n := range rapid.IntRange(0, 16).Draw(t, "moments") {
			moments = append(moments, rules.Moment{
				Source: oneOf("a", "b").Draw(t, "source"), Items: oneOf("1", "2", "3", "4", "5", "6").Draw(t, "item"),
				At: int64(rapid.IntRange(0, 24).Draw(t, "at")) * 10_000, Entry: int64(n),
			})
		}
		want := map[int64]bool{}
		for _, first := range moments {
			var within []rules.Moment
			items := map[string]bool{}
			for _, m := range moments {
				if m.Source == first.Source && m.At >= first.At && m.At <= first.At+60_000 {
					within, items[m.Items] = append(within, m), true
				}
			}
			for _, m := range within {
				if len(items) > limit {
					want[m.Entry] = true
				}
			}
		}
		told := rapid.Permutation(moments).Draw(t, "order")
		if got := caughtBy(limit, told); !maps.Equal(got, want) {
			t.Fatalf("at most %d of %v: caught %v, want %v", limit, told, got, want)
		}
	})
}

func TestWhatIsNoWave(t *testing.T) {
	moment := func(n int, v viewing.Event) []rules.Moment {
		m, ok := rules.MomentOf("browser:b", v)
		if m.Entry = int64(n); !ok {
			return nil
		}
		return []rules.Moment{m}
	}
	for _, c := range []struct {
		name string
		make func(n int, v *viewing.Event)
		want bool
	}{
		{"six films in a minute", func(n int, v *viewing.Event) { v.WatchedAt = viewing.At(noon().Add(time.Duration(n) * 12 * time.Second)) }, true},
		{"six films, a little slower", func(n int, v *viewing.Event) {
			v.WatchedAt = viewing.At(noon().Add(time.Duration(n) * 12001 * time.Millisecond))
		}, false},
		{"twenty honest films, told in a second", func(n int, v *viewing.Event) { v.WatchedAt = viewing.At(noon().Add(time.Duration(n) * time.Hour)) }, false},
		{"one film six times", func(_ int, v *viewing.Event) { v.Media[0].IDs.TMDB = 1 }, false},
		{"six films of one day", func(_ int, v *viewing.Event) { v.WatchedAt.Precision = viewing.Day }, false},
		{"six films by their titles", func(n int, v *viewing.Event) {
			v.Media[0] = viewing.Media{Type: viewing.Movie, Title: fmt.Sprint("Film ", n)}
		}, true},
		{"six wishes", func(_ int, v *viewing.Event) { v.Kind = viewing.KindWatchlist }, false},
		{"one file of twelve episodes", func(n int, v *viewing.Event) {
			v.Media = slices.Repeat(v.Media, 12)
			for i := range v.Media {
				v.Media[i].IDs.TMDB = int64(i + 1)
			}
		}, false},
	} {
		var all []rules.Moment
		for n := range 6 {
			v := viewing.Event{Kind: viewing.KindViewing, WatchedAt: viewing.At(noon()), Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n + 1)}}}}
			c.make(n, &v)
			all = append(all, moment(n, v)...)
		}
		if got := len(caughtBy(5, all)) == 6; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if len(caughtBy(0, all)) > 0 {
			t.Errorf("%s: without a bound", c.name)
		}
	}
}

func TestSilence(t *testing.T) {
	hour := func(n int) time.Time { return noon().Add(time.Duration(n) * time.Hour) }
	s := rules.Settings{Silences: []rules.Silence{{Account: "default", From: hour(-30), Until: hour(-2)}}}
	day := viewing.At(hour(-24))
	day.Precision = viewing.Day
	early := viewing.At(hour(-18))
	early.Precision = viewing.Day
	for _, c := range []struct {
		name   string
		source string
		at     viewing.Instant
		want   viewing.State
	}{
		{"within", "browser:b", viewing.At(hour(-3)), viewing.StateDropped},
		{"at its beginning", "kodi:/k", viewing.At(hour(-30)), viewing.StateDropped},
		{"before", "browser:b", viewing.At(hour(-31)), viewing.StatePending},
		{"at its end", "browser:b", viewing.At(hour(-2)), viewing.StatePending},
		{"a day that began before it", "browser:b", day, viewing.StatePending},
		{"a day within it", "browser:b", early, viewing.StateDropped},
		{"added by hand", "cli", viewing.At(hour(-3)), viewing.StatePending},
	} {
		if c.name == "a day within it" {
			s.Silences[0].From = hour(-31)
		}
		v := seen("", 0)
		v.WatchedAt = c.at
		d := rules.Decide(s, c.source, v, theFilm(), noon())
		if d.State != c.want || d.State == viewing.StateDropped && (d.Reason != viewing.ReasonPause || !rules.Ignored(d.Reason)) {
			t.Errorf("%s: %s (%s)", c.name, d.State, d.Reason)
		}
	}
	s.Routes = map[string]string{"browser": "other"}
	v := seen("", -3*time.Hour)
	if d := rules.Decide(s, "browser:b", v, theFilm(), noon()); d.State != viewing.StatePending {
		t.Errorf("of another account: %s", d.State)
	}
}

func TestApprove(t *testing.T) {
	wish := viewing.Event{Kind: viewing.KindWatchlist}
	live, imported := seen(viewing.ClassLive, -time.Hour), seen(viewing.ClassImport, -time.Hour)
	for _, c := range []struct {
		approve rules.Approval
		v       viewing.Event
		item    *viewing.Media
		want    string
	}{
		{rules.ApproveNone, live, theFilm(), ""},
		{rules.ApproveAll, live, theFilm(), viewing.ReasonApprove},
		{rules.ApproveAll, wish, theFilm(), ""},
		{rules.ApproveAll, viewing.Event{Kind: viewing.KindList}, nil, ""},
		{rules.ApproveAll, imported, theFilm(), ""},
		{rules.ApproveAll, live, &viewing.Media{Type: viewing.Movie}, viewing.ReasonUnresolved},
		{rules.ApproveAll, seen(viewing.ClassBulk, -time.Hour), theFilm(), viewing.ReasonBulk},
		{rules.ApproveUncertain, live, theFilm(), viewing.ReasonApprove},
		{rules.ApproveFirst, live, theFilm(), ""},
		{rules.ApproveFirst, live, theEpisode(), viewing.ReasonApprove},
	} {
		s := rules.Settings{Approve: c.approve, Filters: []rules.Filter{rules.NewFilter(rules.Match{}, rules.Send)}}
		if d := rules.Decide(s, "kodi:/k", c.v, c.item, noon()); d.Reason != c.want {
			t.Errorf("%q of %+v: %q, want %q", c.approve, c.v, d.Reason, c.want)
		}
	}
}
