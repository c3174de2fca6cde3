package library_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/internal/recorded"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tell is wishes in lines.
func tell(w snapshot.Wishes) string {
	var b strings.Builder
	one := func(heading string, all []snapshot.Wish) {
		for _, x := range all {
			fmt.Fprintf(&b, "%s: %s %s%s in %s\n", heading, x.Media.Type, x.Media.Label(), identifiers(x.Media.IDs), x.Path)
		}
	}
	one("tagged", w.Tagged)
	for _, s := range w.Sets {
		one(s.Name, s.Films)
	}
	return b.String()
}

func wishes(t *testing.T, path string, want snapshot.Want) string {
	t.Helper()
	w, err := library.ReadWishes(t.Context(), path, want)
	if err != nil {
		t.Fatal(err)
	}
	return tell(w)
}

// A library of a real Kodi 20.1, and the same one after the upgrade to 21.
func TestWishesOfRealKodi(t *testing.T) {
	for _, state := range []string{"before-watched", "upgraded"} {
		path := recorded.Library(t, state)
		got := wishes(t, path, snapshot.Want{Tag: "WatchList", Sets: true})
		if strings.Count(got, "Alpha Collection: movie Alpha") != 2 || !strings.Contains(got, "tagged: movie Beta") {
			t.Errorf("%s:\n%s", state, got)
		}
		if nothing := wishes(t, path, snapshot.Want{}); nothing != "" {
			t.Errorf("nothing was wanted:\n%s", nothing)
		}
	}
}

func TestWishes(t *testing.T) {
	for _, version := range []int{121, 131} {
		sim, err := kodisim.Create(t.TempDir(), version)
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		acts := []error{}
		film := func(title string, year int, ids viewing.IDs) kodisim.Ref {
			r, err := sim.AddFilm(kodisim.Film{Title: title, Year: year, IDs: ids, Path: "/f/" + title + ".mkv"}, time.Unix(0, 0))
			acts = append(acts, err)
			return r
		}
		late, early := film("Late", 2003, viewing.IDs{TMDB: 3}), film("Early", 1999, viewing.IDs{TMDB: 1, IMDB: "tt0000001"})
		bare := film("Bare", 0, viewing.IDs{})
		show, err := sim.AddShow(kodisim.Show{Title: "Red", Year: 2008, IDs: viewing.IDs{TMDB: 1396, TVDB: 9}, Path: "/s/Red/"}, time.Unix(0, 0))
		acts = append(acts, err,
			sim.Tag(late, "watchlist"), sim.Tag(bare, "Watchlist"), sim.Tag(show, "watchlist"), sim.Tag(early, "favourite"),
			sim.PutInSet(late, "The Set"), sim.PutInSet(bare, "The Set"), sim.PutInSet(early, "The Set"),
			sim.PutInSet(film("Gone", 2000, viewing.IDs{TMDB: 7}), "Left alone"))
		if err := errors.Join(acts...); err != nil {
			t.Fatal(err)
		}
		want := `tagged: movie Late (2003) tmdb:3 in /f/Late.mkv
tagged: movie Bare in /f/Bare.mkv
tagged: tv Red (2008) tmdb:1396 tvdb:9 in /s/Red/
The Set: movie Early (1999) tmdb:1 tt0000001 in /f/Early.mkv
The Set: movie Late (2003) tmdb:3 in /f/Late.mkv
The Set: movie Bare in /f/Bare.mkv
Left alone: movie Gone (2000) tmdb:7 in /f/Gone.mkv
`
		if diff := cmp.Diff(want, wishes(t, sim.Path(), snapshot.Want{Tag: "watchlist", Sets: true})); diff != "" {
			t.Errorf("schema %d (-want +got):\n%s", version, diff)
		}
		if err := errors.Join(sim.Untag(late, "watchlist"), sim.Untag(show, "watchlist"), sim.PutInSet(late, "")); err != nil {
			t.Fatal(err)
		}
		if got := wishes(t, sim.Path(), snapshot.Want{Tag: "watchlist"}); got != "tagged: movie Bare in /f/Bare.mkv\n" {
			t.Errorf("after the tags were taken away:\n%s", got)
		}
	}
}
