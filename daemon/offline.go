package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/queue"
)

// held reports whether a process holds the state folder's lock, or may hold it
// where that cannot be seen: the machine's folder is hidden from people.
func held(dir string) bool {
	folder, err := os.Open(dir)
	if err == nil {
		folder.Close()
	}
	return errors.Is(err, fs.ErrPermission) || queue.Held(dir)
}

// Holds reports whether a process holds the state folder.
func Holds(p config.Paths) bool { return queue.Held(p.State) }

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

// Reading is [Offline] for what only reads. It makes no queue where there is
// none, changes nothing, and works on a full or read-only disk.
func Reading(ctx context.Context, o Options, do func(status.Control) error) error {
	if !queue.There(o.Paths.Database()) {
		return noQueue(o.Paths.State)
	}
	d := &Daemon{o: o, log: o.Logger}
	err := d.openReading(ctx)
	if err == nil {
		err = do(d.Control())
	}
	if queue.Damaged(err) {
		err = &status.Fault{
			Code: status.CodeInternal, Message: fmt.Sprintf("the queue in %s is damaged, and nothing was changed: %v", o.Paths.State, err),
			Hint: "filmspool service start, or filmspool run: it sets the file aside and saves what can be read",
		}
	}
	return errors.Join(err, d.Close())
}

// openReading takes the lock and opens the queue. On a disk that may not be
// written there may be no lock to take, and nobody who could have it.
func (d *Daemon) openReading(ctx context.Context) (err error) {
	d.lock, err = queue.AwaitLock(ctx, d.o.Paths.State, lockPatience)
	if err != nil && !refusesWrites(err) {
		return err
	}
	d.store, err = queue.OpenReading(ctx, d.queueOptions())
	if errors.Is(err, queue.ErrNone) {
		return noQueue(d.o.Paths.State)
	}
	return err
}

// noQueue says that there is nothing to read.
func noQueue(dir string) error {
	return &status.Fault{
		Code: status.CodeNotFound, Message: "there is no queue in " + dir,
		Hint: "check --state-dir and FILMSPOOL_STATE_DIR; filmspool run makes a queue",
	}
}
