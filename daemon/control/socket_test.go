package control_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
)

// The socket of a killed process is replaced.
func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
	if _, err := control.Dial(t.Context(), path); !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		t.Errorf("a stale socket: %v", err)
	}
	again, err := control.Listen(path, 0o600)
	must(t, err)
	if _, err := control.Dial(t.Context(), path); err != nil {
		t.Errorf("the next one: %v", err)
	}
	must(t, again.Close())
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket stays")
	}
}

// A path that is too long is explained; the system only reports an invalid argument.
func TestLongPathsAreExplained(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	if _, err := control.Listen(path, 0o600); err == nil || !strings.Contains(err.Error(), "--state-dir") {
		t.Errorf("got %v", err)
	}
	if _, err := control.Dial(t.Context(), path); !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		t.Errorf("got %v", err)
	}
}
