package library_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// describeTagged returns one line for each tagged item.
func describeTagged(all []library.Tagged) string {
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, "%s %s%s in %s\n", x.Media.Type, x.Media.Label(), identifiers(x.Media.IDs), x.Path)
	}
	return b.String()
}

// TestTaggedOfRealKodi reads a library of a real Kodi 20.1, and the same one after the upgrade to 21.
func TestTaggedOfRealKodi(t *testing.T) {
	for _, state := range []string{"before-watched", "upgraded"} {
		got, err := at(kodisim.Recorded(t, state)).ReadTagged(t.Context(), []string{"WatchList"})
		if text := describeTagged(got); err != nil || !strings.Contains(text, "movie Beta") || strings.Contains(text, "Delta") {
			t.Errorf("%s: %v\n%s", state, err, text)
		}
	}
}

func TestReadTagged(t *testing.T) {
	for _, version := range []int{121, 131} {
		s := newTestLibrary(t, version)
		film := func(title string, year int, ids viewing.IDs) kodisim.Ref {
			return s.AddFilm(kodisim.Film{Title: title, Year: year, IDs: ids, Path: "/f/" + title + ".mkv"})
		}
		s.Tag("watchlist", film("Late", 2003, viewing.IDs{TMDB: 3}), s.AddShow("Red", "2008-01-20", viewing.IDs{TMDB: 1396, TVDB: 9}))
		s.Tag("favourite", film("Early", 1999, viewing.IDs{TMDB: 1, IMDB: "tt0000001"}))
		s.Tag("Watchlist", film("Bare", 0, viewing.IDs{}))
		got, err := at(s.Path).ReadTagged(t.Context(), []string{"watchlist"})
		ok(t, err)
		want := "movie Late (2003) tmdb:3 in /f/Late.mkv\nmovie Bare in /f/Bare.mkv\ntv Red (2008) tmdb:1396 tvdb:9 in /media/series/Red/\n"
		if diff := cmp.Diff(want, describeTagged(got)); diff != "" {
			t.Errorf("schema %d (-want +got):\n%s", version, diff)
		}
	}
}
