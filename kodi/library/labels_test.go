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

// describeLabels returns the source folder, genres and tags of each item as lines.
func describeLabels(s library.Snapshot) string {
	var b strings.Builder
	for _, f := range s.Files {
		for _, i := range f.Items {
			fmt.Fprintf(&b, "%s %d in %q, genres %q, tags %q\n", i.Media.Type, i.KodiID, f.Folder, i.Genres, i.Tags)
		}
	}
	return b.String()
}

func compareLabels(t *testing.T, want string, got library.Snapshot) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(describeLabels(got))); diff != "" {
		t.Error("wrong labels (-want +got):\n" + diff)
	}
}

// newLabelledLibrary returns a library with a film and an episode that have genres and tags, and a film
// without them.
func newLabelledLibrary(t *testing.T) testLibrary {
	t.Helper()
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	s.film("Bare", viewing.IDs{TMDB: 604})
	s.AddEpisodes(s.AddShow("Show Red", "1970-01-01", viewing.IDs{TMDB: 1396}), "Show Red", 0, kodisim.Episode{Season: 1, Number: 1})
	s.exec(`insert into genre values (1, 'Science Fiction'), (2, 'Action'), (3, ''), (4, 'Drama')`)
	s.exec(`insert into genre_link values (1, 1, 'movie'), (2, 1, 'movie'), (3, 1, 'movie'), (4, 1, 'tvshow'), (2, 1, 'episode'), (9, 2, 'movie')`)
	s.exec(`insert into tag values (1, 'watchlist'), (2, 'Zed')`)
	s.exec(`insert into tag_link values (1, 1, 'movie'), (2, 1, 'tvshow'), (2, 2, 'musicvideo')`)
	return s
}

const labelledItems = `
movie 1 in "/media/films/", genres ["Action" "Science Fiction"], tags ["watchlist"]
movie 2 in "/media/films/", genres [], tags []
episode 1 in "/media/series/", genres ["Drama"], tags ["Zed"]
`

func TestReadLabels(t *testing.T) {
	s := newLabelledLibrary(t)
	compareLabels(t, labelledItems, read(t, s.Path))
	s.exec(`alter table genre rename column name to strGenre`)
	s.exec(`drop table tag_link`)
	bare := strings.NewReplacer(`"Action" "Science Fiction"`, "", `"Drama"`, "", `"watchlist"`, "", `"Zed"`, "")
	compareLabels(t, bare.Replace(labelledItems), read(t, s.Path))
}
