//go:build kodi

package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// Files below the media folder of the real Kodi. Newt is not in its library at first.
const (
	alpha  = "movies/Alpha One (1999)/Alpha One (1999).mkv"
	beta   = "movies/Beta (2010)/Beta (2010).mkv"
	newt   = "movies/Newt (2020)/Newt (2020).mkv"
	red101 = "tv/Show Red/Season 01/Show Red S01E01.mkv"
)

// What a real Kodi plays and marks arrives at the service once and at its time, and nothing else
// does.
func TestKodiEvening(t *testing.T) {
	for died := 0; !withKodi(t, func(k *realKodi) {
		e := newEvening(t, k)
		defer e.end()
		e.live()
	}); died++ {
		if died == 3 {
			t.Fatal("Kodi ended by itself in each evening")
		}
	}
}

// evening is the real program next to a real Kodi.
type evening struct {
	*fixture
	k           *realKodi
	box, daemon *process
	recorded    []string // the expected records
}

func newEvening(t *testing.T, k *realKodi) *evening {
	e := &evening{fixture: newFixture(t), k: k}
	e.t = k.t
	e.configure("[[kodi.libraries]]\nuserdata = %q\n", k.userdata())
	e.box = e.sandbox("127.0.0.1:0")
	e.login(e.box.baseURL())
	e.daemon = e.start("run")
	return e
}

func (e *evening) end() {
	e.daemon.kill()
	e.box.kill()
}

// live performs the actions of an evening. Each one returns the record that it adds, or "".
func (e *evening) live() {
	k := e.k
	e.settle(time.Time{})
	var ended time.Time // the first playback
	for _, deed := range []struct {
		name string
		do   func()
		adds string
	}{
		{"play a film to its end", func() { k.playFilm(beta, 97, false); ended = time.Now() }, "movie 27205"},
		{"play half of it", func() { k.playFilm(alpha, 50, true) }, ""},
		{"mark an episode", func() {
			show := k.ids("GetTVShows", "tvshows", "tvshowid", "label")["Show Red"]
			k.toggle(fmt.Sprintf("videodb://tvshows/titles/%d/1/", show), k.ids("GetEpisodes", "episodes", "episodeid", "file")[red101])
		}, "episode 1396 1x1"},
		{"scan a new film", e.scanNewt, ""},
		{"play the new film", func() { k.playFilm(newt, 97, false) }, "movie 77"},
		{"restart Kodi, and play again", func() {
			k.stop()
			k.launch()
			// Two ends within half the running time, of a minute, are one viewing.
			k.await("another sitting", func() bool { return time.Since(ended) > 35*time.Second })
			k.playFilm(beta, 97, false)
		}, "movie 27205"},
	} {
		k.await("a moment of rest", func() bool { return time.Since(e.changed()) > 3*time.Second }) // marks within seconds look like a mass mark
		from := time.Now()
		deed.do()
		e.settle(from)
		if deed.adds != "" {
			e.recorded = append(e.recorded, deed.adds)
		}
		e.compare(deed.name, from, deed.adds != "")
		e.t.Logf("%-30s %4.1f s", deed.name, time.Since(from).Seconds())
	}
}

// scanNewt makes Kodi scan a new film.
func (e *evening) scanNewt() {
	e.k.add("media/"+newt[:len(newt)-len(".mkv")]+".nfo", `<movie><title>Newt</title><year>2020</year><uniqueid type="tmdb" default="true">77</uniqueid></movie>`)
	e.k.call("VideoLibrary.Scan")
	e.k.await("new film", func() bool { return e.k.films()[newt] != 0 })
}

// changed returns when the library's file last changed.
func (e *evening) changed() (last time.Time) {
	for _, end := range []string{"", "-wal", "-journal"} {
		if info, err := os.Stat(e.k.database() + end); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// settle waits until the library has not changed for a second, the daemon has read it, and
// everything is sent.
func (e *evening) settle(from time.Time) {
	e.t.Helper()
	e.k.await("rest of the library", func() bool { return time.Since(e.changed()) > time.Second })
	e.until("a reading", func(s control.Status) bool {
		return s.Counts.Pending+s.Counts.Sending == 0 && slices.ContainsFunc(s.Sources, func(s control.Source) bool {
			return s.Name == "kodi:"+e.k.userdata() && s.LastSeen != nil && !s.LastSeen.Before(e.changed().Truncate(time.Second))
		})
	})
}

// compare compares the service's records with the expected ones. A new record has a time between
// from and now.
func (e *evening) compare(deed string, from time.Time, added bool) {
	e.t.Helper()
	history := await(e.t.Fatalf, e.dir, deed, func() ([]sandbox.HistoryItem, error) { return e.records(e.box.address).History, nil },
		func(all []sandbox.HistoryItem) bool { return len(all) >= len(e.recorded) })
	var got []string
	for _, r := range history {
		if r.Type == "movie" {
			got = append(got, fmt.Sprint("movie ", r.ID))
		} else {
			got = append(got, fmt.Sprintf("episode %d %dx%d", r.TVShowID, *r.SeasonNumber, r.EpisodeNumber))
		}
	}
	if diff := cmp.Diff(e.recorded, got); diff != "" {
		e.t.Errorf("%s: the service has (-want +got):\n%s", deed, diff)
	} else if added {
		at := history[len(history)-1].WatchedAt // Kodi writes whole seconds
		if at.Before(from.Add(-1500*time.Millisecond)) || at.After(time.Now().Add(time.Second)) {
			e.t.Errorf("%s: recorded at %v, but begun at %v", deed, at, from)
		}
	}
}
