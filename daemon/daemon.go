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
}

// core is what a running daemon and a command that works alone have in common: the queue
// of a locked folder, and the configuration.
type core struct {
	o             Options
	log           *slog.Logger
	keys          config.Keys
	store         *queue.Store
	pairing       *pairing.Registry
	libraries     []*kodi.Importer
	accounts      map[string]*sender // those that send; none while nothing runs
	providers     []*provider        // those that the user turned on
	providersOpen bool
	answers       *resolve.Cache // of the providers; nil where it is not open
	titles        *titleLookup   // nil where TMDB is off, or nothing runs
	playing       playing        // what plays now
	work          atomic.Int32   // what a change of the configuration would cut
	changing      sync.Mutex     // held while somebody changes the configuration
	files         fileImports
	problem       *atomic.Pointer[error] // why the last change of the configuration is not in use
	restart       func(context.Context, config.Config)
	look          func(context.Context) (control.Status, error) // how things stand, before that is judged
	offline       bool                                          // nothing runs: what is wrong is told at once
}

// newCore has opened nothing.
func newCore(o Options) *core {
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	d := &core{o: o, log: o.Logger, keys: keys, accounts: map[string]*sender{}, problem: &atomic.Pointer[error]{}, restart: func(context.Context, config.Config) {}}
	d.look, d.offline = offline{d}.status, true
	d.files.turn, d.files.jobs = make(chan struct{}, 1), map[string]*fileJob{}
	return d
}

// open opens the queue, what is paired, and the libraries.
func (d *core) open(ctx context.Context) (err error) {
	d.store, err = queue.Open(ctx, queue.Options{Path: d.o.Paths.Database(), Settings: d.rules(), Logger: d.log.With("part", "queue")})
	if err != nil {
		return unwritable(fmt.Errorf("open the queue: %w", err), d.o.Paths.State)
	}
	if d.pairing, err = pairing.New(ctx, records{d.store, "clients"}); err != nil {
		return err
	}
	return d.openLibraries()
}

// Close closes the queue and what asks others. What has run must have returned.
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

// withQueue runs the queue's writer around work.
func (d *core) withQueue(ctx context.Context, work func(context.Context) error) error {
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

// language is the one of who runs this process.
func (d *core) language() string {
	return cmp.Or(d.o.Getenv("LC_ALL"), d.o.Getenv("LC_MESSAGES"), d.o.Getenv("LANG"))
}

// Daemon is one instance that runs.
type Daemon struct {
	*core
	process   *process
	connector *connector.Server
	site      *page.Site
	address   string // where it listens; "" before
	stop      func() // ends this instance
}

// newDaemon opens the queue and wires the parts; nothing runs yet. Close must be called.
func newDaemon(ctx context.Context, o Options, p *process) (*Daemon, error) {
	d := &Daemon{core: newCore(o), process: p, stop: func() {}}
	d.restart, d.look, d.offline, d.problem = d.restartWith, d.status, false, &p.problem
	sweep(o.Paths)
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Run listens, watches and sends until ctx ends or a part fails; the first
// failure stops all. The queue stops last, so that every answer is written.
func (d *Daemon) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d.stop = stop
	return d.withQueue(ctx, d.runParts)
}

// runParts runs everything but the queue.
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
	if err := d.openFronts(); err != nil {
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
	d.files.life = ctx
	defer d.files.work.Wait()
	g.Go(func() error { d.resumeFiles(ctx); return nil })
	g.Go(func() error { return d.connector.Run(ctx) })
	g.Go(func() error { d.nudgeBrowsers(ctx); return nil })
	g.Go(func() error { return d.giveNotices(ctx) })
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

// nudgeBrowsers says that the status may have changed, until ctx ends.
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

// rules are the rules of the configuration, with the names that a person gave browsers and
// programs.
func (d *core) rules() rules.Settings {
	s := settingsOf(d.o.Config)
	s.Label = func(source string) string {
		_, id, _ := strings.Cut(source, ":")
		return d.pairing.Label(id)
	}
	return s
}

// settingsOf is the configuration in the words of the rules.
func settingsOf(c config.Config) rules.Settings {
	s := rules.Settings{
		Routes: c.SourceRoutes(), Grace: c.Replay.Grace.Duration, Classes: map[viewing.Class]rules.Action{}, Wave: c.Wave, Approve: c.Hold == "all",
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

// records keeps the state of one part of the program in the queue's file, as that of a source.
type records struct {
	store  *queue.Store
	source string // the name under which the queue keeps them
}

// Load implements [pairing.Store] and [notify.Keep].
func (k records) Load(ctx context.Context) (map[string][]byte, error) {
	return k.store.State(ctx, k.source)
}

// Save implements [pairing.Store] and [notify.Keep].
func (k records) Save(ctx context.Context, id string, record []byte) error {
	_, err := k.store.Commit(ctx, viewing.Batch{Source: k.source, State: map[string][]byte{id: record}})
	return err
}

// changes gives a channel of one slot that is nudged at once, and when the queue, an
// account or what plays has changed, and a function that ends that.
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
