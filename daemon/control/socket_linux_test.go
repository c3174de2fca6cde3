package control_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/daemon/control"
)

// TestAnothersSocketIsRefused: who may not open it is told what to do. Root may open all, so
// it asks as nobody.
func TestAnothersSocketIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := control.Listen(path, 0)
	must(t, err)
	defer l.Close()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		const nobody = 65534
		must(t, unix.Setfsuid(nobody))
		defer func() { must(t, unix.Setfsuid(0)) }()
	}
	_, err = control.Dial(t.Context(), path)
	if fault, ok := errors.AsType[*control.Fault](err); !ok || fault.Code != control.CodeRefused || fault.Hint.Code == "" {
		t.Errorf("got %v", err)
	}
}
