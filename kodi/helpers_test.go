package kodi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

func snapshot(files ...library.File) library.Snapshot {
	return library.Snapshot{Path: "/u/Database/MyVideos121.db", Version: 121, Files: files}
}

// film returns the file of film n, which runs two hours.
func film(n int64, count int, last string) library.File {
	m := viewing.Media{Type: viewing.Movie, Title: fmt.Sprint("F", n), IDs: viewing.IDs{TMDB: n}}
	return library.File{
		ID: n, Path: fmt.Sprintf("/films/%d.mkv", n), PlayCount: count, LastPlayed: last,
		Duration: 2 * time.Hour, InSource: true, Items: []library.Item{{KodiID: n, Media: m}},
	}
}

// episodes returns one file with episodes of show 9, season 1, which runs an hour.
func episodes(count int, last string, numbers ...int) library.File {
	f := library.File{
		ID: 100, Path: fmt.Sprintf("/tv/s01e%02d.mkv", numbers[0]), PlayCount: count, LastPlayed: last,
		Duration: time.Hour, InSource: true,
	}
	for _, n := range numbers {
		f.Items = append(f.Items, library.Item{KodiID: int64(n), Media: episode(n)})
	}
	return f
}

func episode(n int) viewing.Media {
	season := 1
	return viewing.Media{
		Type: viewing.Episode, Season: &season, Episode: &n,
		Show: &viewing.Show{Title: "S", IDs: viewing.IDs{TMDB: 9}},
	}
}

// modified returns a file with a change.
func modified(f library.File, change func(*library.File)) library.File {
	change(&f)
	return f
}

// films returns n films with the same count and time.
func films(n int, count int, last string) (all []library.File) {
	for i := range n {
		all = append(all, film(int64(1000+i), count, last))
	}
	return all
}

func list(files ...library.File) []library.File { return files }

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// describe returns one line for each viewing: class, label and time.
func describe(t *testing.T, all []viewing.Event) (out []string) {
	t.Helper()
	for _, v := range all {
		if err := v.Validate(); err != nil || v.Origin.Note.Code == "" || v.Class == "" {
			t.Errorf("invalid, or without a note or a class: %+v, %v", v, err)
		}
		var names []string
		for _, m := range v.Media {
			names = append(names, m.Label())
		}
		line := fmt.Sprintf("%s %s %s", v.Class, strings.Join(names, "+"), v.WatchedAt.Time().Format("2006-01-02T15:04:05Z"))
		if v.WatchedAt.Precision == viewing.Day {
			line += " day"
		}
		out = append(out, line)
	}
	return out
}
