package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxPath is how long a socket's path may be, in bytes: macOS has the least room for it.
const maxPath = 103

// Listen opens the socket at path, with these rights. The caller holds the state folder's
// lock, so a socket that is there already was left by a process that was killed.
func Listen(path string, mode fs.FileMode) (*net.UnixListener, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("listen at %s: a socket's path may have %d bytes, and this one has %d; use a shorter --state-dir", path, maxPath, len(path))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of an earlier run: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil { // until now the folder's rights protect it
		return nil, errors.Join(fmt.Errorf("listen for commands: %w", err), l.Close())
	}
	return l, nil
}

// Dial connects to the daemon that listens at path. Where none does, the error is a [Fault]
// with [CodeNotRunning].
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return newClient(path), conn.Close()
	case errors.Is(err, fs.ErrPermission):
		hint := "hint.joinGroup"
		if runtime.GOOS == "windows" {
			hint = "hint.asAdministrator"
		}
		return nil, Refused(viewing.Say("fault.notYours", "file", path), viewing.Say(hint))
	case ctx.Err() != nil:
		return nil, fmt.Errorf("connect to the daemon: %w", ctx.Err())
	default:
		return nil, NotRunning(viewing.Message{})
	}
}
