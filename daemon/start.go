package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrUnwritable says that the queue cannot be opened because its disk is full or read-only:
// another try may work.
var ErrUnwritable = errors.New("the disk is full or read-only")

// unwritable makes an [ErrUnwritable] of an error that comes from such a disk.
func unwritable(err error, folder string) error {
	for _, cause := range []error{sqlite.ErrStorage, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		if errors.Is(err, cause) {
			t := sqlite.Trouble{Cause: err}
			return &viewing.Refusal{Kind: fmt.Errorf("%w: %w", ErrUnwritable, err), Message: t.Message(), Hint: storageHint(t, folder)}
		}
	}
	return err
}

// lockTime is how long a state folder is waited for that a command holds,
// which takes milliseconds.
const lockTime = 2 * time.Second

// process is what outlives a reload: the lock, the servers, and what the next instance is
// made of.
type process struct {
	gate
	lock         *sqlite.Lock
	commands     *http.Server
	public       *http.Server // nil before
	publicListen string       // the setting for which it was opened
	address      string       // where it listens
	failed       chan error   // why a server has ended by itself
	calls        sync.Map     // see [connector.Options]

	next    atomic.Pointer[config.Config] // what the next instance is made of
	problem atomic.Pointer[error]         // why the last change of the configuration is not in use
}

// newProcess locks the state folder and takes commands, which wait until an instance answers.
func newProcess(ctx context.Context, paths config.Paths) (*process, error) {
	if err := paths.MakeState(); err != nil {
		return nil, err
	}
	lock, err := sqlite.AwaitLock(ctx, paths.State, lockTime)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o600)
	if filepath.Dir(paths.Control) != paths.State { // a machine's service: its group may control it
		mode = 0o660
	}
	l, err := control.Listen(paths.Control, mode)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	p := &process{gate: newGate(), lock: lock, failed: make(chan error, 4)} // one of each listener
	p.commands = &http.Server{Handler: p.forward(func(i *instance) http.Handler { return i.commands }), ReadHeaderTimeout: requestTime}
	p.serve(p.commands, l)
	return p, nil
}

func (p *process) close() error {
	close(p.closed)
	return errors.Join(shutDown(p.commands), shutDown(p.public), p.lock.Release())
}

// A queue that is damaged again within soon, mostDamaged times in a row, is not opened again.
const (
	soon        = time.Minute
	mostDamaged = 5
)

// Serve runs an instance until ctx ends. A changed configuration is put to use by a new
// instance in place of the old one; where that cannot begin, the previous configuration is
// used again. A queue that is damaged or gone while it is in use is opened again, which
// saves what can be saved. The error wraps [sqlite.ErrLocked] when another process has the
// folder for longer than two seconds, [sqlite.ErrNewer] when a newer program wrote it and
// [config.ErrInvalid] when the user must mend something; it may be an [ErrUnwritable].
func Serve(ctx context.Context, o Options) (err error) {
	p, err := newProcess(ctx, o.Paths)
	if err != nil {
		return unwritable(err, o.Paths.State)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var previous *config.Config // while the one in o has not been usable yet
	ready := o.Ready
	o.Ready = func(address string) {
		previous = nil
		if ready != nil {
			ready(address)
			ready = nil
		}
	}
	for damaged := 0; ; {
		begun := time.Now()
		d, err := newDaemon(ctx, o, p)
		if err == nil {
			err = errors.Join(d.Run(ctx), d.Close())
		}
		if time.Since(begun) > soon {
			damaged = 0
		}
		next := p.next.Swap(nil)
		switch {
		case ctx.Err() != nil && errors.Is(err, context.Canceled):
			return nil
		case ctx.Err() != nil:
			return err
		case next != nil:
			if err != nil {
				o.Logger.Error("the instance of the previous configuration did not end well", "error", err)
			}
			old := o.Config
			previous, o.Config = &old, *next
		case err != nil && previous != nil:
			o.Logger.Error("the new configuration cannot be used; the previous one is used again", "error", err)
			p.problem.Store(&err)
			o.Config, previous = *previous, nil
		case errors.Is(err, sqlite.ErrDamaged) && damaged < mostDamaged:
			damaged++
			o.Logger.Error("the queue is opened again", "error", err)
		default:
			return err
		}
	}
}
