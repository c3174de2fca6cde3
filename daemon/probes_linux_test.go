package daemon

import (
	"path/filepath"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue"
)

// probed asks both probes.
func (b *runningDaemon) probed(healthz, readyz int) {
	b.Helper()
	for path, want := range map[string]int{"/healthz": healthz, "/readyz": readyz} {
		word := map[int]string{200: "ok\n", 503: "unavailable\n"}[want]
		if status, body := b.get(path); status != want || body != word {
			b.Errorf("%s: %d %q, want %d", path, status, body, want)
		}
	}
}

// TestReadyMeansThatAllRuns: a key for each account, and each library looked at.
func TestReadyMeansThatAllRuns(t *testing.T) {
	runDaemon(t, nil).probed(200, 503) // there is no key
	v := visited(t, nil)
	v.probed(200, 200)
	o := testOptions(t)
	o.Config.Kodi.Libraries = []config.Library{{Userdata: t.TempDir()}}
	idle, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	v.d.sources = idle.sources // nobody runs them
	v.probed(200, 503)
	v.d.sources = nil
}

// Where the queue can only be read, nothing is well.
func TestAQueueToReadIsNotHealthy(t *testing.T) {
	store, err := queue.OpenNothing(t.Context(), queue.Options{Path: filepath.Join(t.TempDir(), "filmspool.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if p := (&probes{Daemon: &Daemon{store: store}}); p.healthy(t.Context()) || p.ready(t.Context()) {
		t.Error("it is called healthy")
	}
}
