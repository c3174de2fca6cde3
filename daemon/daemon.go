package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/replay"
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

	wait bool // where the queue cannot be written, wait until it can
}

// Daemon is one instance over one state folder, which it holds locked.
type Daemon struct {
	o        Options
	log      *slog.Logger
	keys     config.Keys
	lock     *disk.Lock
	store    *queue.Store
	pairing  *pairing.Registry
	accounts []*sender
	// identifier asks others than the service what things are; nil where the
	// user did not turn that on.
	identifier *identifier
	sources    []source
	waiting    *disk.Trouble // the queue can only be read, and this is why

	mu      sync.Mutex
	address string // where it listens; empty while it does not
}

// lockPatience is how long a state folder is waited for that a command holds,
// which takes milliseconds.
const lockPatience = 2 * time.Second

// New locks the state folder, opens the queue and wires the parts; nothing
// runs yet. Close must be called. The error wraps [disk.ErrLocked] when
// another process has the folder for longer than two seconds, [disk.ErrNewer] when a newer program wrote
// it, [config.ErrInvalid] when the user must mend something.
func New(ctx context.Context, o Options) (*Daemon, error) {
	d := &Daemon{o: o, log: o.Logger, keys: config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// open takes what New promises, step by step.
func (d *Daemon) open(ctx context.Context) (err error) {
	if err := d.o.Paths.MakeState(); err != nil {
		return err
	}
	if d.lock, err = disk.AwaitLock(ctx, d.o.Paths.State, lockPatience); err != nil {
		return err
	}
	d.removeStale()
	sweepCopies(d.o.Paths.State)
	if err := d.openQueue(ctx); err != nil {
		return fmt.Errorf("open the queue: %w", err)
	}
	if d.waiting != nil {
		return nil
	}
	return d.openSources()
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
	faults = append(faults, d.identifier.close())
	if d.lock != nil {
		faults = append(faults, d.lock.Release())
	}
	d.accounts, d.store, d.lock, d.identifier = nil, nil, nil, nil
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

// withQueue runs the queue's writer around work.
func (d *Daemon) withQueue(ctx context.Context, work func(context.Context) error) error {
	writer, stopWriter := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriter()
	ctx, stopWork := context.WithCancel(ctx)
	defer stopWork()
	written := make(chan error, 1)
	go func() {
		defer stopWork() // without the queue nothing else may go on
		written <- d.store.Run(writer)
	}()
	err := work(ctx)
	stopWriter()
	return errors.Join(err, <-written)
}

// runParts runs everything but the queue.
func (d *Daemon) runParts(ctx context.Context) error {
	d.openIdentifier(ctx)
	if err := d.openAccounts(ctx); err != nil {
		return err
	}
	var err error
	if d.pairing, err = pairing.New(ctx, clientKeep{d.store}); err != nil {
		return fmt.Errorf("read the paired browsers: %w", err)
	}
	server, err := d.openConnector()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, d.o)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, a := range d.accounts {
		g.Go(func() error { return a.loop.Run(ctx) })
	}
	for _, s := range d.sources {
		g.Go(func() error { return d.attend(ctx, s.Name(), s.Run) })
	}
	g.Go(func() error { return server.Run(ctx) })
	g.Go(func() error { d.onNews(ctx, server.Nudge); return nil }) // what browsers are told may have changed
	g.Go(func() error { return d.watchForNudges(ctx) })
	g.Go(func() error { return d.feedWatchdog(ctx) })
	g.Go(func() error { return d.serve(ctx, listener, server.Handler()) })
	return g.Wait()
}

// openConnector wires the endpoint of browsers and programs.
func (d *Daemon) openConnector() (*connector.Server, error) {
	c := d.o.Config.Connector
	s, err := connector.New(connector.Options{
		Allow:      guard.Extension,
		Program:    func(r *http.Request) bool { return !guard.FromBrowser(r) },
		Known:      welcome,
		Sink:       d.store,
		Pairing:    d.pairing,
		Status:     d.connectorStatus,
		Resolve:    d.resolve,
		Candidates: d.seek,
		Correct:    d.correct,
		Undo:       d.takeBackEvent,
		Version:    d.o.Version,
		Limits: connector.Limits{
			Rate: c.MessagesPerSecond, Burst: c.Burst, Sockets: c.Sockets,
			OriginSockets: c.SocketsPerOrigin, UnpairedHellos: c.HellosPerMinute,
		},
		Logger: d.log.With("part", "connector"),
	})
	if err != nil {
		return nil, fmt.Errorf("open the connector: %w", err)
	}
	return s, nil
}

// setAddress remembers where the instance listens.
func (d *Daemon) setAddress(a net.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.address = ""
	if a != nil {
		d.address = a.String()
	}
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
