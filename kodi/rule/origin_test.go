package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// labelledFilm returns a film with genres, tags and an extra.
func labelledFilm(n int64, count int, last string) library.File {
	return modified(film(n, count, last), func(f *library.File) {
		f.Folder, f.Duration = "/films/", 95*time.Minute
		f.Items[0].Genres, f.Items[0].Tags = []string{"Family", "Animation"}, []string{"kids"}
		f.Items = append(f.Items, library.Item{KodiID: 900, Media: f.Items[0].Media, Extra: true, Genres: []string{"Trailer"}})
	})
}

// TestOriginHasLibraryMetadata: a viewing has path, genres and tags of its file, and so has the amendment of
// a viewing that was played before the scan.
func TestOriginHasLibraryMetadata(t *testing.T) {
	z := Environment{Zone: time.UTC}
	nameless := modified(labelledFilm(1, 0, ""), func(f *library.File) { f.Items, f.Duration = nil, 0 })
	for _, first := range []library.File{labelledFilm(1, 0, ""), nameless} {
		known := NewMemory("lib")
		known.Apply(Decide(known, snapshot(first), parseTime(t, before), z))
		played := first
		played.PlayCount, played.LastPlayed = 1, readAt
		v := Decide(known, snapshot(played), parseTime(t, readAt), z)
		known.Apply(v)
		got := v.Viewings[0].Origin
		if got.Path != first.Path || got.Folder != "/films/" {
			t.Errorf("%+v", got)
		}
		if first.Items == nil {
			got = Decide(known, snapshot(labelledFilm(1, 1, readAt)), parseTime(t, "2026-03-02 02:02:00"), z).Amendments[0].Origin
		}
		if got.Runtime != 5700 || !slices.Equal(got.Genres, []string{"Family", "Animation"}) || !slices.Equal(got.Tags, []string{"kids"}) {
			t.Errorf("%+v", got)
		}
	}
}

func TestOriginIsBounded(t *testing.T) {
	f := labelledFilm(1, 1, "2020-05-05 21:00:00")
	f.Folder = strings.Repeat("ö", 5000)
	for n := range 300 {
		f.Items[0].Tags = append(f.Items[0].Tags, fmt.Sprint(strings.Repeat("ä", 2000), n), fmt.Sprint("t", n), "\xff")
	}
	v := viewing.Event{
		Kind: viewing.KindViewing, EventID: "e", Media: mediaOf(f), WatchedAt: viewing.At(time.Now()), Count: 1, Origin: Origin(f),
	}
	if err := v.Validate(); err != nil || len(v.Origin.Tags) != maxLabels {
		t.Errorf("%d tags, %v", len(v.Origin.Tags), err)
	}
}
