package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// listen serves browsers and programs over TCP, or goes on with that.
func (p *process) listen(ctx context.Context, o Options) error {
	if p.public != nil && p.publicListen == o.Config.Listen {
		return nil
	}
	if err := shutDown(p.public); err != nil {
		return fmt.Errorf("stop listening at %s: %w", p.publicListen, err)
	}
	p.public = nil
	listeners, err := listen(ctx, o)
	if err != nil {
		return err
	}
	p.public = newServer(p.forward(func(i *instance) http.Handler { return i.public }), requestTime)
	p.publicListen, p.address = o.Config.Listen, listeners[0].Addr().String()
	p.serve(p.public, listeners...)
	return nil
}

// serve has a server answer at listeners until it is shut down.
func (p *process) serve(s *http.Server, listeners ...net.Listener) {
	for _, l := range listeners {
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				p.failed <- err
			}
		}()
	}
}

// shutDown ends a server, which may be nil, and gives the answers that are on their way some time.
func shutDown(s *http.Server) error {
	if s == nil {
		return nil
	}
	wait, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if s.Shutdown(wait) != nil {
		return s.Close()
	}
	return nil
}

// listen opens the listener, and holds its port at all addresses of localhost: a browser
// may try any of them, and would bring tickets and cookies to whoever listens there.
func listen(ctx context.Context, o Options) (all []net.Listener, err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Config.Listen)
	if err != nil {
		return nil, listenError(ctx, o, err)
	}
	all = append(all, l)
	own, port, _ := net.SplitHostPort(l.Addr().String()) // a listener's address always splits
	for _, host := range []string{"127.0.0.1", "::1"} {
		if host == own {
			continue
		}
		probe, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
		if err != nil { // the machine has no such address
			continue
		}
		_ = probe.Close() // no connection was promised anything
		o.Config.Listen = net.JoinHostPort(host, port)
		if l, err = lc.Listen(ctx, "tcp", o.Config.Listen); err != nil {
			for _, open := range all {
				_ = open.Close()
			}
			return nil, listenError(ctx, o, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// listenError says why an address cannot be listened on.
func listenError(ctx context.Context, o Options, err error) error {
	if taken := PortTaken(ctx, o); taken != nil {
		return taken
	}
	return fmt.Errorf("%w: listen: %w", config.ErrInvalid, err)
}

// PortTaken says that another program listens where such an instance would; nil where none
// does. It wraps [config.ErrInvalid]: to start again would not mend it.
func PortTaken(ctx context.Context, o Options) error {
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "tcp", o.Config.Listen)
	if err != nil {
		return nil
	}
	_ = conn.Close() // nothing was said
	return fmt.Errorf("%w: %w", config.ErrInvalid, control.Refused(
		viewing.Say("portTaken", "address", o.Config.Listen), viewing.Say("hint.otherPort", "file", o.Paths.File)))
}

// openFronts wires the endpoint of browsers and programs, and the pages.
func (d *Daemon) openFronts() (err error) {
	d.connector = connector.New(connector.Options{
		Allow:   guard.Extension,
		Program: func(r *http.Request) bool { return !guard.FromBrowser(r) },
		Sink:    d.store,
		Pairing: d.pairing,
		Calls:   &d.process.calls,
		Playing: d.clientPlays,
		Status:  d.connectorStatus,
		Version: d.o.Version,
		Logger:  d.log.With("part", "connector"),
	})
	o := page.Options{API: d.Control(), Changed: d.changes, Sessions: filepath.Join(d.o.Paths.State, "sessions.json"), Log: d.log.With("part", "page")}
	if d.titles != nil {
		o.Poster = d.titles.poster
	}
	d.site, err = page.New(o)
	return err
}

const (
	// requestTime is how long a request may take to come, and its answer to be taken. The
	// pages and the connector give themselves longer.
	requestTime = 15 * time.Second
	// stopTime is how long requests may go on when an instance ends.
	stopTime = 2 * time.Second
)

// serve answers browsers and programs, and commands, until ctx ends.
func (d *Daemon) serve(ctx context.Context) (err error) {
	i := newInstance(d.byHost(), control.Handler(d.Control(), d.log.With("part", "control")))
	d.process.enter(i)
	d.announce()
	select {
	case err = <-d.process.failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	d.process.leave()
	d.site.Close() // open pages listen without end
	i.finish()
	return err
}

// newServer serves whoever can open a connection to our port: requests that take too long
// are cut off.
func newServer(h http.Handler, requestTime time.Duration) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: requestTime, ReadTimeout: requestTime, WriteTimeout: requestTime, IdleTimeout: 2 * requestTime,
	}
}

// byHost gives requests for the pages' own name to them, and those for our addresses to
// browsers' extensions and programs.
func (d *Daemon) byHost() http.Handler {
	_, port, _ := net.SplitHostPort(d.address) // a listener's address always splits
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", guard.Programs(http.HandlerFunc(d.healthz)))
	if d.o.Config.Metrics.Enabled {
		mux.Handle("GET /metrics", guard.Programs(http.HandlerFunc(d.metrics)))
	}
	mux.HandleFunc("GET /{$}", d.site.Outside)
	mux.Handle("/", d.connector.Handler())
	others := guard.Host([]string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}, mux)
	host, pages := d.site.Host(port), d.site.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == host {
			pages.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// healthz answers 200 with "ok" while the queue can be written, as far as was tried, and its
// writer moves; else 503 with "unavailable".
func (d *Daemon) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	word := "ok\n"
	if _, ill := d.store.Trouble(); ill || d.store.Alive(ctx) != nil {
		word = "unavailable\n"
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, word) // fails only where the asker is gone
}

// announce says that the instance can be used.
func (d *Daemon) announce() {
	d.log.Info("ready", "address", d.address, "version", d.o.Version)
	if d.o.Ready != nil {
		d.o.Ready(d.address)
	}
	if err := service.Notify("READY=1"); err != nil {
		d.log.Warn("the service manager was not told that we are ready", "error", err)
	}
}

// feedWatchdog calls sign every so often until ctx ends, each time only when alive returns
// nil before the next time; 0 is never. A service manager that waits for a sign in vain
// restarts us.
func (d *Daemon) feedWatchdog(ctx context.Context, every time.Duration, alive func(context.Context) error, sign func() error) {
	if every == 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		patience, cancel := context.WithTimeout(ctx, every)
		err := alive(patience)
		cancel()
		if err == nil {
			err = sign()
		}
		if err != nil && ctx.Err() == nil {
			d.log.Error("the service manager is not told that we are alive", "error", err)
		}
	}
}

// gate gives each request to the instance of the moment. While there is none, requests wait
// for the next one: the servers outlive a reload, so nobody is refused or cut off by it.
type gate struct {
	mu      sync.Mutex
	now     *instance     // nil between two
	entered chan struct{} // closed when the next one answers
	closed  chan struct{} // closed when no other comes
}

func newGate() gate { return gate{entered: make(chan struct{}), closed: make(chan struct{})} }

// instance answers requests until it has left the gate and is finished.
type instance struct {
	public, commands http.Handler

	requests sync.WaitGroup  // under way
	patience context.Context // ends when those that are under way are cut off
	cut      func()
}

func newInstance(public, commands http.Handler) *instance {
	i := &instance{public: public, commands: commands}
	i.patience, i.cut = context.WithCancel(context.Background())
	return i
}

// finish waits for the requests that are under way, and cuts off those that take too long.
func (i *instance) finish() {
	impatient := time.AfterFunc(stopTime, i.cut)
	i.requests.Wait()
	impatient.Stop()
	i.cut()
}

// enter has an instance answer from now on.
func (g *gate) enter(i *instance) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = i
	close(g.entered)
}

// leave has the requests that come from now on wait for the next instance.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now != nil {
		g.now, g.entered = nil, make(chan struct{})
	}
}

// visit is the instance for a request, which the caller tells when it is done; nil where ctx
// or the process ended before there was one.
func (g *gate) visit(ctx context.Context) *instance {
	for {
		g.mu.Lock()
		i, entered := g.now, g.entered
		if i != nil {
			i.requests.Add(1)
		}
		g.mu.Unlock()
		if i != nil {
			return i
		}
		select {
		case <-entered:
		case <-g.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// forward is the handler of a server: which of an instance's own answers.
func (g *gate) forward(which func(*instance) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := g.visit(r.Context())
		if i == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer i.requests.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(i.patience, func() {
			cancel()
			past, c := time.Unix(1, 0), http.NewResponseController(w)
			_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // fail only where the connection is gone
		})()
		which(i).ServeHTTP(w, r.WithContext(ctx))
	})
}

// metrics answers programs such as Prometheus with figures, without titles. Where the queue
// cannot be read it answers 503, without the reason, which could name a file.
func (d *Daemon) metrics(w http.ResponseWriter, r *http.Request) {
	text, err := d.figures(r.Context())
	if err != nil {
		http.Error(w, "the queue cannot be read now", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text) // fails only where the asker is gone
}

// figures is how things stand, in Prometheus' text format. Totals count since the start.
func (d *Daemon) figures(ctx context.Context) (string, error) {
	var out strings.Builder
	write := func(kind, name, help string, values map[string]int64) {
		fmt.Fprintf(&out, "# HELP filmspool_%s %s\n# TYPE filmspool_%[1]s %[3]s\n", name, help, kind)
		for _, labels := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&out, "filmspool_%s%s %d\n", name, labels, values[labels])
		}
	}
	counts, err := d.store.CountsOf(ctx)
	if err != nil {
		return "", err
	}
	s, err := d.status(ctx)
	if err != nil {
		return "", err
	}
	entries, states, sends, libraries, answers, refused := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	for name, a := range d.accounts {
		if _, has := counts[name]; !has {
			counts[name] = entry.Counts{}
		}
		for result, n := range a.loop.Sends() {
			sends[fmt.Sprintf("{account=%q,result=%q}", name, result)] = n
		}
	}
	for account, c := range counts {
		for state, n := range map[viewing.State]int64{
			viewing.StatePending: c.Pending, viewing.StateSending: c.Sending, viewing.StateHeld: c.Held, viewing.StateInDoubt: c.InDoubt,
			viewing.StateRejected: c.Rejected, viewing.StateDelivered: c.Delivered, viewing.StateMerged: c.Merged, viewing.StateDropped: c.Dropped,
		} {
			entries[fmt.Sprintf("{account=%q,state=%q}", account, state)] = n
		}
	}
	for _, a := range s.Accounts {
		states[fmt.Sprintf("{account=%q,state=%q}", a.Name, a.State)] = 1
	}
	for _, k := range d.libraries {
		libraries[fmt.Sprintf("{state=%q}", k.Status().State)]++
	}
	for _, p := range d.chain() {
		for kind, n := range p.Answers() {
			answers[fmt.Sprintf("{kind=%q,resolver=%q}", kind, strings.ToLower(p.Name))] = n
		}
	}
	for code, n := range d.connector.Refused() {
		refused[fmt.Sprintf("{code=%q}", code)] = n
	}
	writable := int64(1)
	if s.Storage != nil {
		writable = 0
	}
	write("gauge", "entries", "Entries in the queue, by account and state.", entries)
	write("gauge", "oldest_pending_seconds", "How long the oldest pending entry has waited; 0 for none.", map[string]int64{"": s.OldestPendingSeconds})
	write("gauge", "queue_writable", "1 when the queue can be written, as far as was tried.", map[string]int64{"": writable})
	write("gauge", "account_state", "1 for the state in which an account is.", states)
	write("counter", "sends_total", "Requests for entries, by account and by what the answer meant.", sends)
	write("gauge", "libraries", "Kodi libraries, by state.", libraries)
	write("counter", "resolver_answers_total", "Questions about what an item is, by resolver and kind of answer.", answers)
	write("gauge", "websockets", "Open websockets of browsers.", map[string]int64{"": int64(d.connector.Sockets())})
	write("counter", "refused_total", "Messages and posts that were not taken, by code.", refused)
	return out.String(), nil
}
