//go:build kodi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/internal/realkodi"
	"github.com/filmspool/filmspool/queue"
)

// Files of the script's library, below its media folder, and two of ours. All
// are of a minute but the first, which has four.
const (
	alpha   = "movies/Alpha One (1999)/Alpha One (1999).mkv"
	beta    = "movies/Beta (2010)/Beta (2010).mkv"
	moved   = "movies/Beta, again/Beta (2010).mkv"
	delta   = "movies/Delta (1994)/Delta (1994).mkv"
	epsilon = "movies/Epsilon (1972)/Epsilon (1972).mkv"
	newt    = "movies/Newt (2020)/Newt (2020).mkv"
	orion   = "movies/Orion (2001)/Orion (2001).mkv"
	red101  = "tv/Show Red/Season 01/Show Red S01E01.mkv"
)

// aside is the path of the NFO beside a file.
func aside(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".nfo" }

// played plays a film to so many percent; from 97 on to its end.
func played(path string, percent float64) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) {
		k.Play(map[string]any{"movieid": k.Films()[path]}, min(percent, 97), percent < 97)
	}
}

// sitting is when a film of a minute was last played to its end.
type sitting struct{ ended time.Time }

// How long after its last end a film of a minute can end again, as another
// sitting. Kodi writes whole seconds, so a few are added.
const (
	sameFile  = 35 * time.Second // half the running time
	otherFile = 70 * time.Second // the running time, and five seconds to begin another copy
)

// another plays the film once more, as another sitting.
func (s *sitting) another(path string, rest time.Duration) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) {
		k.Await("another sitting", func() bool { return time.Since(s.ended) > rest })
		played(path, 100)(k)
		s.ended = time.Now()
	}
}

func toggled(path string) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) { k.Toggle("videodb://movies/titles/", k.Films()[path]) }
}

func refreshed(path string) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) {
		k.Call("VideoLibrary.RefreshMovie", "movieid", k.Films()[path], "ignorenfo", false)
	}
}

// clip adds a film to the media folder that Kodi has not scanned yet.
func clip(k *realkodi.Kodi, path, title, year, tmdb string) {
	k.AddMedia(path, map[string]string{aside(path): "<movie><title>" + title + "</title><year>" + year + "</year><premiered>" + year +
		`-06-01</premiered><uniqueid type="tmdb" default="true">` + tmdb + "</uniqueid></movie>"})
}

// independent deeds give the same however many of them one reading sees.
func independent(betas *sitting) []deed {
	return []deed{
		{"play", betas.another(beta, sameFile), []string{"delivered Beta (2010)"}},
		{"partial play", played(alpha, 50), nil},
		{"play before the scan", func(k *realkodi.Kodi) { k.Play(map[string]any{"file": k.Media(newt)}, 97, false) }, []string{"held unresolved Newt (2020)"}},
		{"mark an episode", func(k *realkodi.Kodi) {
			k.Toggle(videos(k, "Show Red", 1), k.Episodes()[red101])
		}, []string{"delivered Show Red S01E01"}},
	}
}

// caughtUp are deeds that give the same to a daemon that was off meanwhile.
func caughtUp(betas *sitting) []deed {
	return []deed{
		{"scan", func(k *realkodi.Kodi) { k.Scan(newt) }, []string{"delivered Newt (2020)"}},
		{"rewatch", betas.another(beta, sameFile), []string{"delivered Beta (2010)"}},
		{"mark a show", func(k *realkodi.Kodi) { k.Toggle("videodb://tvshows/titles/", k.Shows()["Show Red"]) }, []string{
			"held bulk Show Red S00E01", "held bulk Show Red S01E02", "held bulk Show Red S01E03", "held bulk Show Red S01E04",
		}},
	}
}

// sittings are deeds of which several are one viewing.
func sittings() []deed {
	return []deed{
		{"stop in the credits", played(alpha, 93), []string{"delivered Alpha One (1999)"}},
		{"credits replayed", played(alpha, 95), nil},
		{"mark", toggled(orion), []string{"delivered Orion (2001)"}},
		{"unmark", toggled(orion), nil},
		{"mark again", toggled(orion), nil},
	}
}

// jobs change the library, not what was watched; a play follows each.
func jobs(betas *sitting) []deed {
	return []deed{
		{"refresh", refreshed(orion), nil},
		{"refresh with a count in the NFO", func(k *realkodi.Kodi) {
			k.Rewrite(aside(delta), "</movie>", "<playcount>1</playcount></movie>")
			refreshed(delta)(k)
		}, []string{"held review Delta (1994)"}},
		{"rename and scan", func(k *realkodi.Kodi) {
			if err := os.Rename(filepath.Dir(k.Media(beta)), filepath.Dir(k.Media(moved))); err != nil {
				k.T.Fatal(err)
			}
			k.Scan(moved)
		}, nil},
		{"clean", func(k *realkodi.Kodi) { k.Clean(beta) }, nil},
		{"play under the new name", betas.another(moved, otherFile), []string{"delivered Beta (2010)"}},
		{"rematch", func(k *realkodi.Kodi) {
			k.Rewrite(aside(newt), ">77<", ">78<")
			refreshed(newt)(k)
		}, []string{"held review Newt (2020)"}}, // the question whether what was sent was wrong
		{"play after the rematch", played(newt, 100), []string{"delivered Newt (2020)"}},
		{"quit during play", func(k *realkodi.Kodi) {
			k.Open(map[string]any{"movieid": k.Films()[epsilon]}, 92)
			k.AwaitPosition(92)
			k.Stop()
		}, []string{"delivered Epsilon (1972)"}},
	}
}

// abroad are deeds in another zone, which Kodi's own settings tell.
func abroad(betas *sitting) []deed {
	return []deed{
		{"play in another zone", betas.another(moved, sameFile), []string{"delivered Beta (2010)"}},
		{"play of what was refreshed", played(orion, 100), []string{"delivered Orion (2001)"}},
	}
}

// videos is where Kodi's window shows a season.
func videos(k *realkodi.Kodi, show string, season int) string {
	return fmt.Sprintf("videodb://tvshows/titles/%d/%d/", k.Shows()[show], season)
}

// TestRealKodiEndToEnd lives with a real Kodi: what is played and marked there
// arrives at the service, once and at its time, and nothing else does. A daemon
// that gets no events sees the same in one look, and what happened while it did
// not run. Then Kodi's clock moves to another zone.
func TestRealKodiEndToEnd(t *testing.T) {
	alive(t, 1, func(kodis ...*realkodi.Kodi) {
		k, betas := kodis[0], &sitting{}
		k.Start()
		clip(k, newt, "Newt", "2020", "77")
		clip(k, orion, "Orion", "2001", "62")
		w, blind := newWatcher(t, k), newWatcher(t, k)
		defer w.end()
		defer blind.end()
		w.watch(false)
		blind.watch(true)
		w.expect("the first scan", nil)

		spans := w.live(k, independent(betas))
		blind.read(spans[0].from)
		blind.expect("events or not", wanted(independent(betas)))
		blind.daemon.end(syscall.SIGTERM)
		spans = append(spans, w.live(k, caughtUp(betas))...)
		blind.watch(true)
		blind.expect("what happened while it was off", wanted(caughtUp(betas)))
		spans = append(spans, w.live(k, slices.Concat(sittings(), jobs(betas)), blind)...)
		blind.isTrue(spans)
		blind.end()

		w.isAsked(t)
		k.Again("America/Los_Angeles")
		spans = append(spans, w.live(k, abroad(betas))...)
		w.isTrue(spans)
		w.latency(k, delta)
	})
}

// wanted is what a run of deeds changes in all.
func wanted(deeds []deed) (all []string) {
	for _, d := range deeds {
		all = append(all, d.want...)
	}
	return all
}

// isAsked wants a viewing that was sent before its film was matched to another
// to say so.
func (w *watcher) isAsked(t *testing.T) {
	t.Helper()
	at := slices.IndexFunc(w.entries, func(e queue.Entry) bool { return e.Media != nil && e.Media.IDs.TMDB == 77 })
	if at < 0 {
		t.Fatal("the queue has no viewing of film 77")
	}
	if said := w.try("queue", "explain", fmt.Sprint(w.entries[at].ID)); !strings.Contains(said, "Kodi now calls it Newt (2020)") {
		t.Errorf("nothing says that film 77 is another now:\n%s", said)
	}
}

// latency reports how long after Kodi's commit an entry is on disk. It is a
// measurement for reading: how fast this machine is decides no test.
func (w *watcher) latency(k *realkodi.Kodi, path string) {
	const marks, quiet = 24, 500 * time.Millisecond
	id := k.Films()[path]
	var took []time.Duration
	for n := range marks {
		before := len(w.entries)
		k.Call("VideoLibrary.SetMovieDetails", "movieid", id, "playcount", 10+n)
		committed := changed(k)
		w.soon("entry", func() bool {
			w.list()
			return len(w.entries) > before
		})
		took = append(took, w.entries[0].CreatedAt.Sub(committed)) // the newest comes first
	}
	slices.Sort(took)
	w.t.Logf("Kodi's commit to the entry on disk, %d marks: p50 %v, p95 %v, most %v; measured, not judged: the aim is a p95 of %v", marks,
		took[marks/2].Round(time.Millisecond), took[marks*95/100].Round(time.Millisecond), took[marks-1].Round(time.Millisecond), quiet+150*time.Millisecond)
}

// TestRealKodisAtOnce watches two Kodis with a library each: two films that
// end at the same moment in two rooms are two viewings, one film in both is one.
func TestRealKodisAtOnce(t *testing.T) {
	alive(t, 2, func(kodis ...*realkodi.Kodi) {
		for _, k := range kodis {
			k.Start()
		}
		w := newWatcher(t, kodis...)
		defer w.end()
		w.watch(false)
		w.expect("the first scan", nil)
		w.together(beta, epsilon)
		w.expect("two films", []string{"delivered Beta (2010)", "delivered Epsilon (1972)"})
		w.together(alpha, alpha)
		w.expect("one film", []string{"delivered Alpha One (1999)"})
		if said := w.try("queue", "explain", fmt.Sprint(w.entries[0].ID)); !strings.Contains(said, "the same playback") {
			w.t.Errorf("nothing says that both have seen it:\n%s", said)
		}
	})
}

// together plays a film in each Kodi, so that all end within seconds.
func (w *watcher) together(paths ...string) {
	w.t.Helper()
	from := time.Now()
	for i, k := range w.kodis {
		k.Open(map[string]any{"movieid": k.Films()[paths[i]]}, 96)
	}
	for _, k := range w.kodis {
		k.AwaitEnd()
	}
	for _, k := range w.kodis {
		w.rested(k, from)
	}
	w.read(from)
}
