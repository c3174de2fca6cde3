//go:build kodi

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/internal/realkodi"
	"github.com/filmspool/filmspool/queue"
)

// alive does something with so many real Kodis, which are not started yet. It
// is done again with new ones where one of them ended by itself.
func alive(t *testing.T, number int, do func(kodis ...*realkodi.Kodi)) {
	t.Helper()
	var kodis []*realkodi.Kodi
	lives := realkodi.Lives{
		Ended: func() bool { return slices.ContainsFunc(kodis, (*realkodi.Kodi).Ended) },
		Renew: func(testing.TB) {},
		Last: func() (all string) {
			for _, k := range kodis {
				all += k.Tail() + "\n"
			}
			return all
		},
	}
	lives.Survive(t, t.Name(), func(mortal testing.TB) {
		dir, err := os.MkdirTemp("", "filmspool-kodi-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil { // Kodi runs as another user
			t.Fatal(err)
		}
		kodis = nil
		for i := range number {
			k := realkodi.New(mortal, filepath.Join(dir, fmt.Sprint("kodi", i+1)))
			kodis = append(kodis, k)
			defer k.Stop()
		}
		do(kodis...)
	})
}

// watcher is the real program beside a real Kodi: a daemon and the service it
// reports to.
type watcher struct {
	*household
	kodis   []*realkodi.Kodi
	box     *process
	daemon  *process
	seen    map[int64]string // what the queue last showed
	entries []queue.Entry
}

// newWatcher logs in; nothing watches yet.
func newWatcher(t *testing.T, kodis ...*realkodi.Kodi) *watcher {
	t.Helper()
	w := &watcher{household: newHousehold(t), kodis: kodis, seen: map[int64]string{}}
	w.t = kodis[0].T
	config := filepath.Join(w.dir, "config", "filmspool", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	var text string
	for _, k := range kodis {
		text += fmt.Sprintf("[[kodi.libraries]]\nuserdata = %q\n", k.Userdata())
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.box = w.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", w.dir+"/box", "--secret-key", secretKey)
	w.do(secretKey, "login", "--base-url", "http://"+w.box.address+"/api/v1", "--key-stdin")
	return w
}

// watch runs the daemon; one that is blind gets no events of files, and can
// only look at them now and then.
func (w *watcher) watch(blind bool) {
	w.t.Helper()
	cmd := w.command(w.t.Context(), "run")
	if blind {
		cmd.Args = append([]string{
			"unshare", "--user", "--map-root-user", "sh", "-c",
			`echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"`, "sh", // of that namespace alone
		}, cmd.Args...)
		cmd.Path = "/usr/bin/unshare"
	}
	began := time.Now()
	w.daemon = w.serve(cmd)
	w.read(began)
	if said := w.try("status"); strings.Contains(said, "looked at now and then") != blind {
		w.t.Fatalf("blind %v, but status says:\n%s", blind, said)
	}
}

// end stops what runs.
func (w *watcher) end() {
	for _, p := range []*process{w.daemon, w.box} {
		if p != nil {
			p.end(syscall.SIGTERM)
		}
	}
}

// read waits until the daemon has read every library after a moment, and after
// its last change.
func (w *watcher) read(after time.Time) {
	w.t.Helper()
	w.soon("a reading", func() bool {
		var now struct{ Sources []control.Source }
		w.ask(&now, "status", "--json")
		return !slices.ContainsFunc(w.kodis, func(k *realkodi.Kodi) bool {
			return !slices.ContainsFunc(now.Sources, func(s control.Source) bool {
				return s.Name == "kodi:"+k.Userdata() && s.LastSeen != nil && s.LastSeen.After(after) && s.LastSeen.After(changed(k))
			})
		})
	})
}

// ask runs a command that prints JSON. Status has exit code 4 while something
// needs the user.
func (w *watcher) ask(answer any, args ...string) {
	w.t.Helper()
	out, err := w.command(w.t.Context(), args...).Output()
	if len(out) == 0 {
		w.t.Fatalf("filmspool %v: %v", args, err)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		w.t.Fatalf("filmspool %v: %v in %s", args, err, out)
	}
}

// soon asks four times a second, for as long as a blind daemon may need.
func (w *watcher) soon(what string, good func() bool) {
	w.t.Helper()
	limit := time.After(100 * time.Second)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !good() {
		select {
		case <-limit:
			w.t.Fatalf("%s did not happen; status:\n%s", what, w.try("status"))
		case <-tick.C:
		}
	}
}

// rested waits until a Kodi's library has changed since a moment and rested
// for a second, and gives the time of its last change.
func (w *watcher) rested(k *realkodi.Kodi, since time.Time) (last time.Time) {
	w.t.Helper()
	k.Await("change of the library", func() bool {
		last = changed(k)
		return last.After(since) && time.Since(last) > time.Second
	})
	return last
}

// changed is when a library last changed, if it is a file.
func changed(k *realkodi.Kodi) (last time.Time) {
	if info, err := os.Stat(k.Database()); err == nil {
		last = info.ModTime()
	}
	return last
}

// news is what changed in the queue since it was last asked, sorted: one line
// for each entry that is new or stands elsewhere now.
func (w *watcher) news() (lines []string) {
	w.t.Helper()
	w.soon("end of sending", func() bool {
		w.list()
		return !slices.ContainsFunc(w.entries, func(e queue.Entry) bool { return e.State == "pending" || e.State == "sending" })
	})
	for _, e := range w.entries {
		line := string(e.State) + " " + e.Label()
		if e.State == "held" {
			line = string(e.State) + " " + e.Reason + " " + e.Label()
		}
		if w.seen[e.ID] != line {
			lines = append(lines, line)
		}
		w.seen[e.ID] = line
	}
	slices.Sort(lines)
	return lines
}

// list asks for all entries, the newest first.
func (w *watcher) list() {
	w.t.Helper()
	w.entries = nil
	w.ask(&w.entries, "queue", "list", "--json", "--limit", "10000")
}

// deed is something that the people of the house, or Kodi, do, and all that
// it changes in the queue.
type deed struct {
	name string
	do   func(k *realkodi.Kodi)
	want []string
}

// span is from the begin of a deed to its end.
type span struct{ from, to time.Time }

// live does deeds one after the other, and wants the watcher to see each for
// what it is. So do blind ones: they are started again after each deed, which
// spares waiting for their next look.
func (w *watcher) live(k *realkodi.Kodi, deeds []deed, blind ...*watcher) (spans []span) {
	w.t.Helper()
	for _, d := range deeds {
		s := w.act(k, d)
		w.read(s.from)
		w.expect(d.name, d.want)
		for _, b := range blind {
			b.daemon.end(syscall.SIGTERM)
			b.watch(true)
			b.expect(d.name+", without events", d.want)
		}
		spans = append(spans, s)
	}
	return spans
}

// act does one deed, and not within two seconds of another: that is how a mass
// mark looks.
func (w *watcher) act(k *realkodi.Kodi, d deed) span {
	w.t.Helper()
	k.Await("moment of rest", func() bool { return time.Since(changed(k)) > 3*time.Second })
	s := span{from: time.Now()}
	d.do(k)
	ended := time.Now() // Kodi may write a little later than it stops playing
	s.to = w.rested(k, s.from)
	if s.to.Before(ended) {
		s.to = ended
	}
	w.t.Logf("%-30s %4.1f s", d.name, time.Since(s.from).Seconds())
	return s
}

// expect compares the news. What is sent and should not be is false whether
// Kodi lives or not.
func (w *watcher) expect(what string, want []string) {
	w.t.Helper()
	want = slices.Sorted(slices.Values(want))
	got := w.news()
	if slices.Equal(got, want) {
		return
	}
	diff := cmp.Diff(want, got)
	for _, line := range got {
		if strings.HasPrefix(line, "delivered") && !slices.Contains(want, line) {
			w.t.Errorf("%s (-want +got):\n%s", what, diff)
			return
		}
	}
	w.t.Fatalf("%s (-want +got):\n%s", what, diff)
}

// true compares what the service has with what the queue delivered, and each
// time with the spans in which people did something.
func (w *watcher) isTrue(spans []span) {
	w.t.Helper()
	var told, has []string
	for _, e := range w.entries {
		if e.State != "delivered" {
			continue
		}
		told = append(told, e.WatchedAt.Time().Format(time.RFC3339))
		if !slices.ContainsFunc(spans, func(s span) bool {
			return e.WatchedAt.Time().After(s.from.Add(-1500*time.Millisecond)) && e.WatchedAt.Time().Before(s.to.Add(time.Second))
		}) {
			w.t.Errorf("%s at %v: nobody watched anything then", e.Label(), e.WatchedAt.Time())
		}
	}
	for _, r := range w.records(w.box.address).History {
		has = append(has, r.WatchedAt.UTC().Format(time.RFC3339))
	}
	slices.Sort(told)
	slices.Sort(has)
	if diff := cmp.Diff(told, has); diff != "" {
		w.t.Errorf("the service has other viewings (-queue +service):\n%s", diff)
	}
}
