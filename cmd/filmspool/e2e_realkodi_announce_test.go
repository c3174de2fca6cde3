//go:build kodi

package main

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/internal/realkodi"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/viewing"
)

// marked marks a film as an add-on does.
func marked(path string, count int) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) {
		k.Call("VideoLibrary.SetMovieDetails", "movieid", k.Films()[path], "playcount", count)
	}
}

// skipped plays a film and goes on to an episode before it has ended, which is stopped at once.
func skipped(path, next string) func(k *realkodi.Kodi) {
	return func(k *realkodi.Kodi) {
		k.Open(map[string]any{"movieid": k.Films()[path]}, 94)
		k.AwaitPosition(94)
		k.Call("Player.Open", "item", map[string]any{"episodeid": k.Episodes()[next]}, "options", map[string]any{"resume": false})
		k.Await("the next one", func() bool {
			answer, err := k.Ask("Player.GetItem", "playerid", 1)
			result, _ := answer["result"].(map[string]any)
			item, _ := result["item"].(map[string]any)
			return err == nil && item["type"] == "episode"
		})
		k.Call("Player.Stop", "playerid", 1)
		k.AwaitEnd()
	}
}

// hears waits until the daemon has heard Kodi say something.
func (w *watcher) hears(k *realkodi.Kodi) {
	w.t.Helper()
	volume := 50
	w.soon("an announcement", func() bool {
		volume++
		k.Call("Application.SetVolume", "volume", volume)
		var found control.Scan
		w.ask(&found, "kodi", "scan", "--json")
		return !slices.ContainsFunc(found.Libraries, func(l scan.Report) bool { return l.Announcements != scan.Heard })
	})
}

// witness does a deed, and wants the newest entry to have a class.
func (w *watcher) witness(k *realkodi.Kodi, d deed, class viewing.Class) span {
	w.t.Helper()
	spans := w.live(k, []deed{d})
	if len(w.entries) == 0 || w.entries[0].Class != class {
		w.t.Errorf("%s: want class %s, got %+v", d.name, class, w.entries)
	}
	return spans[0]
}

// TestRealKodiAnnounces: a real Kodi tells a play from a mark. Where an add-on
// brings what was watched elsewhere, plays are sent and marks are held.
func TestRealKodiAnnounces(t *testing.T) {
	alive(t, 1, func(kodis ...*realkodi.Kodi) {
		k, betas := kodis[0], &sitting{}
		k.Start()
		clip(k, newt, "Newt", "2020", "77")
		clip(k, orion, "Orion", "2001", "62")
		k.Scan(newt)
		k.Scan(orion)
		w := newWatcher(t, k)
		defer w.end()
		w.watch(false)
		w.hears(k)
		w.expect("the first scan", nil)
		spans := []span{
			w.witness(k, deed{"play", betas.another(beta, sameFile), []string{"delivered Beta (2010)"}}, viewing.ClassLive),
			w.witness(k, deed{"mark", marked(orion, 1), []string{"delivered Orion (2001)"}}, viewing.ClassMarked),
		}

		if err := os.MkdirAll(filepath.Join(k.Userdata(), "..", "addons", "script.trakt"), 0o755); err != nil {
			t.Fatal(err)
		}
		spans = append(spans,
			w.witness(k, deed{"mark beside an add-on", marked(alpha, 1), []string{"held review Alpha One (1999)"}}, viewing.ClassMarked),
			w.witness(k, deed{"play beside an add-on", betas.another(beta, sameFile), []string{"delivered Beta (2010)"}}, viewing.ClassLive),
			w.witness(k, deed{"skip to the next", skipped(epsilon, red101), []string{"delivered Epsilon (1972)"}}, viewing.ClassLive))

		w.daemon.end(syscall.SIGTERM)
		k.Open(map[string]any{"movieid": k.Films()[alpha]}, 50)
		w.watch(false)
		w.hears(k)
		spans = append(spans, w.witness(k, deed{"play that began before", func(k *realkodi.Kodi) {
			k.Call("Player.Seek", "playerid", 1, "value", map[string]any{"percentage": 97})
			k.AwaitEnd()
		}, []string{"delivered Alpha One (1999)"}}, viewing.ClassLive))

		k.Kill()
		k.Again("America/New_York")
		w.hears(k)
		spans = append(spans,
			w.witness(k, deed{"play after a restart of Kodi", betas.another(beta, sameFile), []string{"delivered Beta (2010)"}}, viewing.ClassLive),
			w.witness(k, deed{"mark after a restart of Kodi", marked(newt, 1), []string{"held review Newt (2020)"}}, viewing.ClassMarked))
		w.isTrue(spans)
	})
}
