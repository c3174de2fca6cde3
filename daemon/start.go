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

// ErrUnwritable means that the queue cannot be opened because its disk is full or read-only. A
// later attempt may succeed.
var ErrUnwritable = errors.New("the disk is full or read-only")

// wrapUnwritable wraps errors of a full or read-only disk in [ErrUnwritable] and returns other
// errors unchanged.
func wrapUnwritable(err error, folder string) error {
	for _, cause := range []error{sqlite.ErrStorage, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		if errors.Is(err, cause) {
			t := sqlite.Trouble{Cause: err}
			return &viewing.Refusal{Kind: fmt.Errorf("%w: %w", ErrUnwritable, err), Message: t.Message(), Hint: storageHint(t, folder)}
		}
	}
	return err
}

// lockTimeout is how long to wait for the lock of the state folder. A command holds it for
// milliseconds.
const lockTimeout = 2 * time.Second

// process holds what survives a reload: the lock, the servers and the configuration of the next
// instance.
type process struct {
	dispatcher
	lock         *sqlite.Lock
	commands     *http.Server
	public       *http.Server // nil before the first listen
	publicListen string       // the value of "listen" for which it was opened
	address      string       // of the public listener
	failed       chan error   // errors of servers that stopped unexpectedly
	calls        sync.Map     // see [connector.Options]

	next    atomic.Pointer[config.Config] // the configuration of the next instance; nil for no reload
	problem atomic.Pointer[error]         // why the last change of the configuration was refused
}

// newProcess locks the state folder and opens the control socket. Commands wait until an instance
// is ready.
func newProcess(ctx context.Context, paths config.Paths) (*process, error) {
	if err := paths.MakeState(); err != nil {
		return nil, err
	}
	lock, err := sqlite.AwaitLock(ctx, paths.State, lockTimeout)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o600)
	if filepath.Dir(paths.Control) != paths.State { // a machine-wide service: its group may control it
		mode = 0o660
	}
	l, err := control.Listen(paths.Control, mode)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	p := &process{dispatcher: newDispatcher(), lock: lock, failed: make(chan error, 4)} // one error per listener
	p.commands = &http.Server{Handler: p.forward(func(i *instance) http.Handler { return i.commands }), ReadHeaderTimeout: requestTimeout}
	p.serve(p.commands, l)
	return p, nil
}

// close stops the servers and releases the lock.
func (p *process) close() error {
	close(p.closed)
	return errors.Join(shutDown(p.commands), shutDown(p.public), p.lock.Release())
}

// A queue that is damaged again within damageWindow is reopened at most maxDamaged times in a
// row.
const (
	damageWindow = time.Minute
	maxDamaged   = 5
)

// Serve runs instances one after another until ctx ends. After a configuration change it starts a
// new instance; if that fails, it starts one with the previous configuration. A queue that is
// damaged or deleted while in use is reopened, which recovers its readable rows. The error wraps
// [sqlite.ErrLocked] if another process holds the folder for more than two seconds,
// [sqlite.ErrNewer] if a newer version wrote the queue, [config.ErrInvalid] if the user must
// correct a setting, and [ErrUnwritable] for a full or read-only disk.
func Serve(ctx context.Context, o Options) (err error) {
	p, err := newProcess(ctx, o.Paths)
	if err != nil {
		return wrapUnwritable(err, o.Paths.State)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var previous *config.Config // set until an instance is ready with the new one
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
		if time.Since(begun) > damageWindow {
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
		case errors.Is(err, sqlite.ErrDamaged) && damaged < maxDamaged:
			damaged++
			o.Logger.Error("the queue is opened again", "error", err)
		default:
			return err
		}
	}
}
