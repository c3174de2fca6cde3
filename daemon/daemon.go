package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/identify"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/tenure"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Options is what an instance is made of.
type Options struct {
	Config  config.Config
	Paths   config.Paths
	Getenv  func(string) string
	Version string
	Logger  *slog.Logger
	// Ready is called once, with the address, when the instance can be used.
	// It may be nil.
	Ready func(address string)
	// Loop may change how each account's loop is made; nil leaves it as it is.
	// With it a test stands between loop and queue, and shortens waits.
	Loop func(*replay.Options)

	// Source is where Config came from, so that it can be changed and read again; nil
	// where it stays as it is.
	Source *config.Source
	// Reload asks for that. Nil never does.
	Reload <-chan os.Signal

	requestTimeout time.Duration // how long an unknown client may take; 0: guard.StrangerWait
	maxConnections int           // at one time; 0: guard.MaxConnections

	wait   bool                          // where the queue cannot be written, wait until it can
	tenure *tenure.Tenure[config.Config] // nil where no other instance comes
}

// Daemon is one instance over one state folder, which it holds locked.
type Daemon struct {
	o        Options
	log      *slog.Logger
	keys     config.Keys
	tenure   *tenure.Tenure[config.Config] // ours alone where o.tenure is nil
	stop     context.CancelFunc            // ends this instance; nil where no other one comes then
	work     atomic.Int32                  // what a change of the configuration would cut
	store    *queue.Store
	pairing  *pairing.Registry
	accounts []*sender
	// identifier asks others than the service what things are; nil where the
	// user did not turn that on.
	identifier *identify.Identifier
	sources    []source
	waiting    *sqlite.Trouble   // the queue can only be read, and this is why
	connector  *connector.Server // nil while waiting
	catalogue  words.Catalogue

	closed chan struct{} // is closed when nobody is let in any more

	mu      sync.Mutex
	address string     // where it listens; empty while it does not
	site    *page.Site // the pages; nil while nothing listens
}

// api is a daemon seen by who controls it.
type api struct{ d *Daemon }

// New locks the state folder, opens the queue and wires the parts; nothing
// runs yet. Close must be called. The error wraps [sqlite.ErrLocked] when
// another process has the folder for longer than two seconds, [sqlite.ErrNewer] when a newer program wrote
// it, [config.ErrInvalid] when the user must mend something.
func New(ctx context.Context, o Options) (*Daemon, error) {
	d := wired(o)
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close gives back the queue and the folder. Run must have returned.
func (d *Daemon) Close() error {
	var faults []error
	for _, a := range d.accounts {
		a.close()
	}
	if d.store != nil {
		faults = append(faults, d.store.Close())
	}
	faults = append(faults, d.identifier.Close())
	if d.o.tenure == nil {
		faults = append(faults, d.tenure.Close())
	}
	d.accounts, d.store, d.identifier = nil, nil, nil
	return errors.Join(faults...)
}

// Run listens, watches and sends until ctx ends or a part fails; the first
// failure stops all. The queue stops last, so that every answer is written.
func (d *Daemon) Run(ctx context.Context) error {
	if d.waiting != nil {
		if err := d.await(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return d.withQueue(ctx, d.runParts)
}

// setAddress remembers where the instance listens.
func (d *Daemon) setAddress(a string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.address = a
}

// listening is where the instance listens, or "".
func (d *Daemon) listening() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.address
}

// account finds an account by name.
func (d *Daemon) account(name string) *sender {
	i := slices.IndexFunc(d.accounts, func(a *sender) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return d.accounts[i]
}

// trouble is what keeps the queue from being written; nil when nothing does.
func (d *Daemon) trouble() *sqlite.Trouble {
	if d.waiting != nil {
		return d.waiting
	}
	if t, ok := d.store.Trouble(); ok {
		return &t
	}
	return nil
}

// notRunning says that nothing runs over these paths, and how to start it.
func notRunning(p config.Paths) *control.Fault {
	return control.NotRunning(service.StartHint(p.System))
}

// language is the one of who runs this process.
func (d *Daemon) language() string {
	return cmp.Or(d.o.Getenv("LC_ALL"), d.o.Getenv("LC_MESSAGES"), d.o.Getenv("LANG"))
}

// records keeps those of a room as the memory of a source of its own.
type records struct {
	store  *queue.Store
	source string // the name under which the queue keeps them
}

// Load implements [pairing.Keep] and [notify.Keep].
func (k records) Load(ctx context.Context) (map[string][]byte, error) {
	return k.store.State(ctx, k.source)
}

// Save implements [pairing.Keep] and [notify.Keep].
func (k records) Save(ctx context.Context, id string, record []byte) error {
	_, err := k.store.Commit(ctx, viewing.Batch{Source: k.source, State: map[string][]byte{id: record}})
	return err
}
