//go:build linux && root

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

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/viewing"
	"golang.org/x/sys/unix"
)

// zeros never end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) { clear(into); return len(into), nil }

// A full disk shows in both probes, and so does its end.
func TestProbesTellOfAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("filmspool", dir, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Fatal(err)
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
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); !p.healthy(t.Context()); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("there is room, and it is not called healthy")
		}
	}
	v.probed(200, 200)
}
