package queue

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestDaysCountWhatWasWatched: by this machine's days, each playback once, and nothing
// that is not sent for good.
func TestDaysCountWhatWasWatched(t *testing.T) {
	s := fresh(t) // noon in UTC is 14:00 here
	at := func(id string, tmdb int64, when time.Time) viewing.Event {
		v := film(id, tmdb, 0)
		v.WatchedAt = viewing.At(when)
		return v
	}
	s.commit(t, film("a", 1, 0), film("b", 2, -60),
		at("before midnight", 3, time.Date(2026, 2, 28, 21, 59, 59, 0, time.UTC)),
		at("after midnight", 4, time.Date(2026, 2, 28, 22, 0, 0, 0, time.UTC)),
		at("long ago", 5, noon().AddDate(0, 0, -3)))
	s.commitBatch(t, viewing.Batch{Source: "kodi:/x", Events: []viewing.Event{at("k", 6, noon().AddDate(0, 0, -1)), film("seen too", 1, 0)}})
	dropped := s.commit(t, film("dropped", 7, -10))[0].Entries
	if _, err := s.Drop(t.Context(), entry.Selection{IDs: dropped}, false); err != nil {
		t.Fatal(err)
	}
	days, err := s.Days(t.Context(), 3)
	want := "[{2026-02-27 map[]} {2026-02-28 map[browser:1 kodi:1]} {2026-03-01 map[browser:3]}]"
	if got := fmt.Sprint(days); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// TestWatchedTogetherCountsOnce: two accounts have it, and one person saw it.
func TestWatchedTogetherCountsOnce(t *testing.T) {
	s := fresh(t)
	s.settings.Routes = map[string][]string{"browser:b1": {"default", "second"}}
	if ids := s.commit(t, film("a", 1, 0))[0].Entries; len(ids) != 2 {
		t.Fatalf("entries %v", ids)
	}
	if days, err := s.Days(t.Context(), 1); err != nil || days[0].Viewings["browser"] != 1 {
		t.Errorf("%v, %v", days, err)
	}
}

// TestWordsOfATitle: each word stands somewhere in the title, the series or the list's
// name, in capitals or not. What SQL and JSON take for signs stands for itself.
func TestWordsOfATitle(t *testing.T) {
	s := fresh(t)
	one, two := 1, 2
	named := func(id, title string) viewing.Event {
		v := film(id, int64(len(id)*100+int(id[0])), 0)
		v.Media[0].Title = title
		return v
	}
	episode := film("e", 0, 0)
	episode.Media[0] = viewing.Media{Type: viewing.Episode, Title: "Pilot", Season: &one, Episode: &two, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 9}, Title: "Show Red"}}
	s.commit(t, named("a", "Über den Wolken"), named("b", `100% "Pure" & <b>!_`), named("c", "Alpha One"), episode,
		viewing.Event{Kind: viewing.KindList, EventID: "l", List: &viewing.List{Name: "Red things"}})
	for words, want := range map[string][]int64{
		"über": {1}, "ÜBER WOLKEN": {1}, "Über den": {1}, "uber": nil,
		"100%": {2}, "0%p": nil, `"pure"`: {2}, "&": {2}, "<B>!_": {2}, "_": {2}, "%": {2}, "!": {2},
		"red": {5, 4}, "pilot red": {4}, "title": nil, "movie": nil, "one alpha": {3}, "   ": {5, 4, 3, 2, 1}, "'": nil, `\`: nil,
	} {
		entries, err := s.Entries(t.Context(), entry.Filter{Words: words})
		var got []int64
		for _, e := range entries {
			got = append(got, e.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", words, got, err, want)
		}
	}
}

// TestSinceAndBefore: both bounds of time.
func TestSinceAndBefore(t *testing.T) {
	s := fresh(t)
	s.commit(t, film("a", 1, -30), film("b", 2, -20), film("c", 3, -10))
	for name, c := range map[string]struct {
		filter entry.Filter
		want   int
	}{
		"since":         {entry.Filter{Since: noon().Add(-20 * time.Minute)}, 2},
		"since, before": {entry.Filter{Since: noon().Add(-20 * time.Minute), Before: noon().Add(-10 * time.Minute)}, 1},
	} {
		if entries, err := s.Entries(t.Context(), c.filter); err != nil || len(entries) != c.want {
			t.Errorf("%s: %d, %v; want %d", name, len(entries), err, c.want)
		}
	}
}

// TestByTimeGoesOnAfterAPlace: what came late stands where it happened, and what
// happened in the same moment is told once each.
func TestByTimeGoesOnAfterAPlace(t *testing.T) {
	s := fresh(t)
	s.commit(t, film("a", 1, -10), film("b", 2, -20), film("c", 3, -20), film("d", 4, -20),
		viewing.Event{Kind: viewing.KindList, EventID: "l", List: &viewing.List{Name: "Red"}}, film("e", 5, -30), film("f", 6, -5))
	for limit := 1; limit <= 7; limit++ {
		var got []int64
		for past := (entry.Place{}); ; {
			page, err := s.Entries(t.Context(), entry.Filter{ByTime: true, Past: past, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				got, past = append(got, e.ID), e.Place()
			}
			if len(page) < limit {
				break
			}
		}
		if want := []int64{5, 7, 1, 4, 3, 2, 6}; !slices.Equal(got, want) {
			t.Errorf("%d at once: %v, want %v", limit, got, want)
		}
	}
}
