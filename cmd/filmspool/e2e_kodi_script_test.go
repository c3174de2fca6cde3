package main

import (
	"path"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/kodi/kodisim"
)

// kodiActs is what a Kodi does to its library, by a script's word for it:
//
//	kodi new USERDATA
//	kodi film USERDATA PATH TMDB LENGTH [DAY]   a film, watched on a day or not
//	kodi play USERDATA PATH                     to its end, which is now
func kodiActs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: kodi new|film|play USERDATA …")
	}
	if args[0] == "new" {
		sim, err := kodisim.Create(args[1], 131)
		ts.Check(err)
		ts.Check(sim.Close())
		return
	}
	sim, err := kodisim.Open(path.Join(args[1], "Database", "MyVideos131.db"))
	ts.Check(err)
	defer sim.Close()
	now := time.Now().UTC()
	if args[0] == "play" {
		ts.Check(sim.PlayFile(args[2], now))
		return
	}
	f := kodisim.Film{Title: path.Base(args[2]), Path: args[2]}
	f.IDs.TMDB, err = strconv.ParseInt(args[3], 10, 64)
	ts.Check(err)
	f.Duration, err = time.ParseDuration(args[4])
	ts.Check(err)
	if len(args) > 5 {
		f.Plays, f.LastPlayed = 1, args[5][:len(time.DateOnly)]+" 00:00:00"
	}
	_, err = sim.AddFilm(f, now)
	ts.Check(err)
}
