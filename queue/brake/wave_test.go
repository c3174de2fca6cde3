package brake

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// caughtBy tells which moments are caught when they come one after the other.
func caughtBy(limit int, moments []moment) map[int64]bool {
	caught := map[int64]bool{}
	for n := range moments {
		for _, m := range wave(limit, moments[:n+1]) {
			caught[m.entry] = true
		}
	}
	return caught
}

// TestWaveIsOneWhateverTheOrder holds against the definition: a moment is in a wave
// if it lies in a minute in which more different items of its source ended.
func TestWaveIsOneWhateverTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		var moments []moment
		for n := range rapid.IntRange(0, 16).Draw(t, "moments") {
			moments = append(moments, moment{
				source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"), items: rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6"}).Draw(t, "item"),
				at: int64(rapid.IntRange(0, 24).Draw(t, "at")) * 10_000, entry: int64(n),
			})
		}
		want := map[int64]bool{}
		for _, first := range moments {
			var within []moment
			items := map[string]bool{}
			for _, m := range moments {
				if m.source == first.source && m.at >= first.at && m.at <= first.at+60_000 {
					within, items[m.items] = append(within, m), true
				}
			}
			for _, m := range within {
				if len(items) > limit {
					want[m.entry] = true
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
	momentAt := func(n int, v viewing.Event) []moment {
		m, ok := momentOf("browser:b", v)
		if m.entry = int64(n); !ok {
			return nil
		}
		return []moment{m}
	}
	for _, c := range []struct {
		name string
		make func(n int, v *viewing.Event)
		want bool
	}{
		{"six films in a minute", func(n int, v *viewing.Event) {
			v.WatchedAt = viewing.At(noon().Add(time.Duration(n) * 12 * time.Second))
		}, true},
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
		var all []moment
		for n := range 6 {
			v := viewing.Event{Kind: viewing.KindViewing, WatchedAt: viewing.At(noon()), Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n + 1)}}}}
			c.make(n, &v)
			all = append(all, momentAt(n, v)...)
		}
		if got := len(caughtBy(5, all)) == 6; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// BenchmarkWave is what an event costs where many are remembered, and few are near.
func BenchmarkWave(b *testing.B) {
	var moments []moment
	for n := range 2 * keeps {
		moments = append(moments, moment{source: "browser:b", at: int64(n) * 40_000, items: fmt.Sprint(n)})
	}
	for b.Loop() {
		if wave(5, moments) != nil {
			b.Fatal("a wave")
		}
	}
}
