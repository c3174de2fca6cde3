//go:build mariadb

package library_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A real MariaDB tells of the same tags and sets as the file.
func TestWishesOfServer(t *testing.T) {
	m := startMaria(t)
	sim, err := kodisim.Create(t.TempDir(), 131)
	ok(t, err)
	defer sim.Close()
	film, err := sim.AddFilm(kodisim.Film{Title: "Alpha", Year: 1999, IDs: viewing.IDs{TMDB: 603}}, time.Unix(0, 0))
	ok(t, err)
	show, err := sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}}, time.Unix(0, 0))
	ok(t, errors.Join(err, sim.Tag(film, "watchlist"), sim.Tag(show, "watchlist"), sim.PutInSet(film, "The Set")))
	m.load(t, "MyVideos131", sim.Path(), "innodb")
	want := snapshot.Want{Tag: "watchlist", Sets: true, Films: true}
	got, err := m.server("MyVideos").ReadWishes(t.Context(), want)
	ok(t, err)
	if diff := cmp.Diff(wishes(t, sim.Path(), want), tell(got)); diff != "" || len(got.Tagged) != 2 || len(got.Films) != 1 {
		t.Errorf("%s\n%+v", diff, got)
	}
}
