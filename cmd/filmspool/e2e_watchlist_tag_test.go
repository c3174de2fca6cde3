package main

import (
	"errors"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// taggedLibrary runs "tagged FOLDER": it makes a userdata folder whose library
// has two films and a show with the tag watchlist, and a film without it.
func taggedLibrary(ts *testscript.TestScript, _ bool, args []string) {
	sim, err := kodisim.Create(ts.MkAbs(args[0]), 131)
	ts.Check(err)
	defer sim.Close()
	long := time.Now().Add(-48 * time.Hour)
	film := func(title string, id int64) kodisim.Ref {
		r, err := sim.AddFilm(kodisim.Film{Title: title, IDs: viewing.IDs{TMDB: id}, Path: "/media/films/" + title + ".mkv"}, long)
		ts.Check(err)
		return r
	}
	alpha, bare := film("Alpha", 603), film("Bare", 0)
	film("Beta", 604)
	show, err := sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}})
	ts.Check(errors.Join(err, sim.Tag(alpha, "watchlist"), sim.Tag(bare, "watchlist"), sim.Tag(show, "watchlist")))
}
