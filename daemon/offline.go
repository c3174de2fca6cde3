package daemon

import (
	"context"
	"errors"

	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/queue"
)

// held reports whether a process holds the state folder's lock.
func held(dir string) bool {
	lock, err := queue.AcquireLock(dir)
	if err == nil {
		err = lock.Release()
	}
	return errors.Is(err, queue.ErrLocked)
}

// Offline gives do the state folder itself, locked, while no daemon runs:
// what is added waits there for the next run. What needs a running daemon
// answers with a [status.NotRunning] fault.
func Offline(ctx context.Context, o Options, do func(status.Control) error) error {
	d, err := New(ctx, o)
	if err != nil {
		return err
	}
	err = d.withQueue(ctx, func(context.Context) error { return do(d.Control()) })
	return errors.Join(err, d.Close())
}
