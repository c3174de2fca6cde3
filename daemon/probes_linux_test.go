package daemon

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// zeros never end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) { clear(into); return len(into), nil }

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

// A full disk shows in both probes, and so does its end. However often they ask, the
// disk is tried once in a while.
func TestProbesTellOfAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("filmspool", dir, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Skipf("needs root and leave to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	v := visited(t, func(o *Options) {
		o.Paths = config.Paths{State: dir, File: filepath.Join(dir, "config.toml"), Control: filepath.Join(dir, "control.json")}
	})
	v.probed(200, 200)
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(filler, zeros{}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	for n := 0; err == nil || v.d.trouble() == nil; n++ { // the log has room for some; others may notice first
		list := &viewing.List{Name: strings.Repeat("x", 100) + strconv.Itoa(n)}
		_, err = v.d.Control().Add(t.Context(), viewing.Event{Kind: viewing.KindList, EventID: strconv.Itoa(n), List: list})
	}
	v.probed(503, 503)
	p := &probes{Daemon: v.d}
	if p.healthy(t.Context()) {
		t.Error("it is called healthy")
	}
	looked := p.looked
	for range 100 {
		p.healthy(t.Context())
	}
	if again := p.looked.Sub(looked); again != 0 && again < lookEvery {
		t.Errorf("the disk was tried again after %s", again)
	}
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		t.Fatal(err)
	}
	p.looked = looked.Add(-lookEvery)
	for limit := time.Now().Add(20 * time.Second); !p.healthy(t.Context()); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("there is room, and it is not called healthy")
		}
		p.looked = looked.Add(-lookEvery) // nothing is tried while somebody else writes
	}
	v.probed(200, 200)
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
