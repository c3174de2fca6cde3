package main

import (
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// taggedLibrary runs "tagged FOLDER": it creates a userdata folder with a library of two films
// and a show with the tag watchlist, and a film without it.
func taggedLibrary(ts *testscript.TestScript, _ bool, args []string) {
	sim := kodisim.Create(ts.MkAbs(args[0]), 131)
	defer sim.Close()
	film := func(title string, id int64) kodisim.Ref {
		return sim.AddFilm(kodisim.Film{Title: title, IDs: viewing.IDs{TMDB: id}, Path: "/media/films/" + title + ".mkv"})
	}
	film("Beta", 604)
	sim.Tag("watchlist", film("Alpha", 603), film("Bare", 0), sim.AddShow("Red", "", viewing.IDs{TMDB: 1396}))
}
