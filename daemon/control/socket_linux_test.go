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

// Without permission for the socket the error has a hint. Root may open all files, so the test
// changes its file-system user.
func TestSocketWithoutPermission(t *testing.T) {
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
