package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Options configures an instance.
type Options struct {
	Config  config.Config
	Paths   config.Paths
	Getenv  func(string) string
	Version string
	Logger  *slog.Logger
	// Ready is called once, with the listening address, when the first instance is ready. It may be
	// nil.
	Ready func(address string)
	// Loop may change the options of each account's loop. Tests use it to replace the queue and
	// shorten waits. It may be nil.
	Loop func(*replay.Options)

	// Source loads and changes Config. If nil, the configuration is fixed.
	Source *config.Source
	// Reload receives requests to read the configuration again. It may be nil.
	Reload <-chan os.Signal
}

// core is the common part of a running daemon and of a command that opens the queue itself: the
// queue of a locked folder, and the configuration.
type core struct {
	o             Options
	log           *slog.Logger
	keys          config.Keys
	store         *queue.Store
	pairing       *pairing.Registry
	libraries     []*kodi.Importer
	accounts      map[string]*sender // empty in an offline command
	providers     []*provider        // the enabled ones
	providersOpen bool
	answers       *resolve.Cache // of the providers; nil if it cannot be opened
	titles        *titleLookup   // nil if TMDB is off or no instance runs
	playing       playing        // the current playbacks
	jobs          atomic.Int32   // running jobs that a reload would interrupt
	changeMu      sync.Mutex     // held during a configuration change
	files         fileImports
	problem       *atomic.Pointer[error] // why the last change of the configuration was refused
	restart       func(context.Context, config.Config)
	rawStatus     func(context.Context) (control.Status, error) // the status without its problems
	offline       bool                                          // no instance runs: problems are reported without delay
}

// newCore returns a core whose queue is not open yet.
func newCore(o Options) *core {
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	d := &core{o: o, log: o.Logger, keys: keys, accounts: map[string]*sender{}, problem: &atomic.Pointer[error]{}, restart: func(context.Context, config.Config) {}}
	d.rawStatus, d.offline = offline{d}.status, true
	d.files.turn, d.files.jobs = make(chan struct{}, 1), map[string]*fileJob{}
	return d
}

// open opens the queue, the pairings and the libraries.
func (d *core) open(ctx context.Context) (err error) {
	d.store, err = queue.Open(ctx, queue.Options{Path: d.o.Paths.Database(), Settings: d.rules(), Logger: d.log.With("part", "queue")})
	if err != nil {
		return wrapUnwritable(fmt.Errorf("open the queue: %w", err), d.o.Paths.State)
	}
	if d.pairing, err = pairing.New(ctx, recordStore{d.store, "clients"}); err != nil {
		return err
	}
	return d.openLibraries()
}

// Close closes the queue and the clients. Goroutines that use them must have returned.
func (d *core) Close() error {
	var faults []error
	for _, a := range d.accounts {
		a.conn.Load().close()
	}
	if d.store != nil {
		faults = append(faults, d.store.Close())
	}
	return errors.Join(faults...)
}

// withQueue runs work while the queue's writer runs. If the writer fails, the context of work is
// cancelled.
func (d *core) withQueue(ctx context.Context, work func(context.Context) error) error {
	writer, stopWriter := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriter()
	ctx, stopWork := context.WithCancel(ctx)
	defer stopWork()
	written := make(chan error, 1)
	go func() {
		defer stopWork()
		written <- d.store.Run(writer)
	}()
	err := work(ctx)
	stopWriter()
	return errors.Join(err, <-written)
}

// language returns the locale of the environment.
func (d *core) language() string {
	return cmp.Or(d.o.Getenv("LC_ALL"), d.o.Getenv("LC_MESSAGES"), d.o.Getenv("LANG"))
}

// Daemon is one running instance.
type Daemon struct {
	*core
	process   *process
	connector *connector.Server
	site      *page.Site
	address   string // of its listener; "" before it listens
	stop      func() // ends this instance
}

// newDaemon opens the queue; [Daemon.Run] starts the parts. The caller must call Close.
func newDaemon(ctx context.Context, o Options, p *process) (*Daemon, error) {
	d := &Daemon{core: newCore(o), process: p, stop: func() {}}
	d.restart, d.rawStatus, d.offline, d.problem = d.restartWith, d.status, false, &p.problem
	removeLeftovers(o.Paths)
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Run starts all parts and returns when ctx ends or one of them fails. The queue stops last, so
// that every answer is written.
func (d *Daemon) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d.stop = stop
	return d.withQueue(ctx, d.runParts)
}

// runParts runs everything except the queue's writer.
func (d *Daemon) runParts(ctx context.Context) error {
	d.openProviders(ctx)
	d.openTitles()
	for _, name := range d.accountNames() {
		a, err := d.openAccount(ctx, name)
		if err != nil {
			return fmt.Errorf("open account %s: %w", name, err)
		}
		d.accounts[name] = a
	}
	if err := d.openEndpoints(); err != nil {
		return fmt.Errorf("open the pages: %w", err)
	}
	defer d.site.Close()
	if err := d.process.listen(ctx, d.o); err != nil {
		return err
	}
	d.address = d.process.address
	g, ctx := errgroup.WithContext(ctx)
	for _, a := range d.accounts {
		g.Go(func() error { return a.loop.Run(ctx) })
	}
	for _, k := range d.libraries {
		g.Go(func() error { return d.runLibrary(ctx, k.Source(), k.Run) })
	}
	d.files.daemonCtx = ctx
	defer d.files.work.Wait()
	g.Go(func() error { d.resumeFiles(ctx); return nil })
	g.Go(func() error { return d.connector.Run(ctx) })
	g.Go(func() error { d.nudgeBrowsers(ctx); return nil })
	g.Go(func() error { return d.sendNotices(ctx) })
	if d.titles != nil {
		g.Go(func() error { d.titles.run(ctx); return nil })
	}
	g.Go(func() error {
		d.feedWatchdog(ctx, service.WatchdogInterval(), d.store.Alive, func() error { return service.Notify("WATCHDOG=1") })
		return nil
	})
	g.Go(func() error { d.reloadOnSignal(ctx); return nil })
	g.Go(func() error { return d.serve(ctx) })
	return g.Wait()
}

// nudgeBrowsers sends the browsers a new status after each change, until ctx ends.
func (d *Daemon) nudgeBrowsers(ctx context.Context) {
	news, stop := d.changes()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
			d.connector.Nudge()
		}
	}
}

// rules returns the rules of the configuration, with the labels of paired browsers and programs.
func (d *core) rules() rules.Settings {
	s := ruleSettings(d.o.Config)
	s.Label = func(source string) string {
		_, id, _ := strings.Cut(source, ":")
		return d.pairing.Label(id)
	}
	return s
}

// ruleSettings converts the configuration into the settings of the rules.
func ruleSettings(c config.Config) rules.Settings {
	s := rules.Settings{
		Routes: c.SourceRoutes(), Grace: c.Replay.Grace.Duration, Classes: map[viewing.Class]rules.Action{}, BurstLimit: c.Burst, Approve: c.Hold == "all",
		Untitled: c.IgnoreUntitled,
	}
	for name, action := range c.Kodi.Classes.ByName() {
		s.Classes[viewing.Class(name)] = rules.Action(action)
	}
	for _, f := range c.Filters {
		if f.ShorterThan != nil {
			f.Match.ShorterThan = f.ShorterThan.Duration
		}
		s.Filters = append(s.Filters, rules.NewFilter(f.Match, rules.Action(f.Action)))
	}
	return s
}

// recordStore stores the records of one part of the program in the queue's file, under a source
// name.
type recordStore struct {
	store  *queue.Store
	source string
}

// Load implements [pairing.Store] and [notify.Store].
func (r recordStore) Load(ctx context.Context) (map[string][]byte, error) {
	return r.store.State(ctx, r.source)
}

// Save implements [pairing.Store] and [notify.Store].
func (r recordStore) Save(ctx context.Context, id string, record []byte) error {
	_, err := r.store.Commit(ctx, viewing.Batch{Source: r.source, State: map[string][]byte{id: record}})
	return err
}

// changes returns a channel that receives at once, and after each change of the queue, an account
// or the current playbacks. Several changes may be one message. The caller must call the returned
// function.
func (d *Daemon) changes() (<-chan struct{}, func()) {
	news, ended := make(chan struct{}, 1), make(chan struct{})
	var all sync.WaitGroup
	follow := func(changed <-chan struct{}, stop func()) {
		all.Go(func() {
			defer stop()
			for {
				select {
				case news <- struct{}{}:
				default: // one is waiting already
				}
				select {
				case <-ended:
					return
				case <-changed:
				}
			}
		})
	}
	follow(d.store.Subscribe())
	follow(d.playing.changes.Subscribe())
	for _, a := range d.accounts {
		follow(a.loop.Subscribe())
	}
	return news, func() { close(ended); all.Wait() }
}
