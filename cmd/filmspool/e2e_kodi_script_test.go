package main

import (
	"path"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// kodiActs is what a Kodi does to its library, by a script's word for it:
//
//	kodi new USERDATA
//	kodi film USERDATA PATH TMDB LENGTH [DAY]   a film, watched on a day or not
//	kodi play USERDATA PATH                     to its end, which is now
//	kodi mark|unmark USERDATA N                 the film that was added as number N
func kodiActs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: kodi new|film|play|mark|unmark USERDATA …")
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
	if args[0] == "mark" || args[0] == "unmark" {
		id, err := strconv.ParseInt(args[2], 10, 64)
		ts.Check(err)
		ref := kodisim.Ref{Type: viewing.Movie, ID: id}
		if args[0] == "mark" {
			ts.Check(sim.Mark(ref, now))
		} else {
			ts.Check(sim.Unmark(ref))
		}
		return
	}
	f := kodisim.Film{Title: path.Base(args[2]), Path: args[2]}
	f.IDs.TMDB, err = strconv.ParseInt(args[3], 10, 64)
	ts.Check(err)
	f.Duration, err = time.ParseDuration(args[4])
	ts.Check(err)
	if len(args) > 5 {
		f.Claim = kodisim.Claim{PlayCount: 1, LastPlayed: args[5]}
	}
	ref, err := sim.AddFilm(f, now)
	ts.Check(err)
	if ref.Type != viewing.Movie {
		ts.Fatalf("added %v", ref)
	}
}
