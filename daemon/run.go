package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/daemon/operate"
	"github.com/filmspool/filmspool/daemon/tenure"
	"github.com/filmspool/filmspool/daemon/words"
)

// lockPatience is how long a state folder is waited for that a command holds,
// which takes milliseconds.
const lockPatience = 2 * time.Second

// wired is an instance that has opened nothing.
func wired(o Options) *Daemon {
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	return &Daemon{o: o, log: o.Logger, keys: keys, closed: make(chan struct{}), tenure: cmp.Or(o.tenure, new(tenure.Tenure[config.Config]))}
}

// open takes what New promises, step by step.
func (d *Daemon) open(ctx context.Context) (err error) {
	if d.catalogue, err = words.Load(); err != nil {
		return err
	}
	if err := d.o.Paths.MakeState(); err != nil {
		return err
	}
	fresh, err := d.tenure.Hold(ctx, d.o.Paths.State, lockPatience)
	if err != nil {
		return err
	}
	if fresh {
		d.removeStale()
	}
	operate.SweepCopies(d.o.Paths.State)
	if err := d.openQueue(ctx); err != nil {
		return fmt.Errorf("open the queue: %w", err)
	}
	if d.waiting != nil {
		return nil
	}
	return d.openSources()
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
	if d.pairing, err = pairing.New(ctx, records{d.store, "clients"}); err != nil {
		return fmt.Errorf("read the paired browsers: %w", err)
	}
	server, err := d.openConnector()
	if err != nil {
		return err
	}
	d.connector = server
	listeners, err := d.listen(ctx)
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
	g.Go(func() error { return d.giveNotices(ctx) })
	g.Go(func() error { return d.feedWatchdog(ctx) })
	g.Go(func() error { d.obey(ctx); return nil })
	g.Go(func() error { return d.serve(ctx, listeners, server.Handler()) })
	return g.Wait()
}

// openConnector wires the endpoint of browsers and programs.
func (d *Daemon) openConnector() (*connector.Server, error) {
	c := d.o.Config.Connector
	s, err := connector.New(connector.Options{
		Allow:    guard.Extension,
		Program:  func(r *http.Request) bool { return !guard.FromBrowser(r) },
		Known:    guard.Welcome,
		Sink:     d.store,
		Pairing:  d.pairing,
		Status:   d.connectorStatus,
		Problems: d.connectorProblems,
		Version:  d.o.Version,
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
