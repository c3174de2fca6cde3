package main

import (
	"path"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/kodi/kodisim"
)

// kodiActs changes a Kodi library for a script:
//
//	kodi new USERDATA
//	kodi film USERDATA PATH TMDB LENGTH [DAY]   a film, watched on a day or not
//	kodi play USERDATA PATH                     to its end, which is now
func kodiActs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: kodi new|film|play USERDATA …")
	}
	if args[0] == "new" {
		ts.Check(kodisim.Create(args[1], 131).Close())
		return
	}
	sim := kodisim.Open(path.Join(args[1], "Database", "MyVideos131.db"))
	defer sim.Close()
	if args[0] == "play" {
		sim.Play(sim.File(args[2]), time.Now().UTC())
		return
	}
	f := kodisim.Film{Title: path.Base(args[2]), Path: args[2]}
	var err error
	f.IDs.TMDB, err = strconv.ParseInt(args[3], 10, 64)
	ts.Check(err)
	f.Duration, err = time.ParseDuration(args[4])
	ts.Check(err)
	if len(args) > 5 {
		f.Plays, f.LastPlayed = 1, args[5][:len(time.DateOnly)]+" 00:00:00"
	}
	sim.AddFilm(f)
}
