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

// listen opens the TCP listeners, unless they are open for the same address already.
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
	p.public = newServer(p.forward(func(i *instance) http.Handler { return i.public }), requestTimeout)
	p.publicListen, p.address = o.Config.Listen, listeners[0].Addr().String()
	p.serve(p.public, listeners...)
	return nil
}

// serve starts s on the listeners. Unexpected errors are sent to p.failed.
func (p *process) serve(s *http.Server, listeners ...net.Listener) {
	for _, l := range listeners {
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				p.failed <- err
			}
		}()
	}
}

// shutDown stops a server, which may be nil. Requests get stopTimeout to finish.
func shutDown(s *http.Server) error {
	if s == nil {
		return nil
	}
	wait, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if s.Shutdown(wait) != nil {
		return s.Close()
	}
	return nil
}

// listen opens the configured address and, to keep other programs off it, the same port on all
// loopback addresses: a browser may try any of them for "localhost" and send tickets and cookies
// there.
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
		_ = probe.Close() // it was only opened to see whether the address exists
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

// listenError returns the reason why an address cannot be opened.
func listenError(ctx context.Context, o Options, err error) error {
	if taken := PortTaken(ctx, o); taken != nil {
		return taken
	}
	return fmt.Errorf("%w: listen: %w", config.ErrInvalid, err)
}

// PortTaken returns an error if another program listens on the configured address, else nil. The
// error wraps [config.ErrInvalid]: a restart does not help.
func PortTaken(ctx context.Context, o Options) error {
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "tcp", o.Config.Listen)
	if err != nil {
		return nil
	}
	_ = conn.Close() // nothing was written
	return fmt.Errorf("%w: %w", config.ErrInvalid, control.Refused(
		viewing.Say("portTaken", "address", o.Config.Listen), viewing.Say("hint.otherPort", "file", o.Paths.File)))
}

// openEndpoints creates the connector for browsers and programs, and the web pages.
func (d *Daemon) openEndpoints() (err error) {
	d.connector = connector.New(connector.Options{
		Allow:   guard.Extension,
		Program: func(r *http.Request) bool { return !guard.FromBrowser(r) },
		Sink:    d.store,
		Pairing: d.pairing,
		Calls:   &d.process.calls,
		Playing: d.updateClientPlaying,
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
	// requestTimeout limits reading a request and writing its answer. The pages and the connector
	// extend it for their own requests.
	requestTimeout = 15 * time.Second
	// stopTimeout is how long running requests may continue when an instance stops.
	stopTimeout = 2 * time.Second
)

// serve answers requests and commands until ctx ends or a server fails.
func (d *Daemon) serve(ctx context.Context) (err error) {
	i := newInstance(d.routeByHost(), control.Handler(d.Control(), d.log.With("part", "control")))
	d.process.activate(i)
	d.reportReady()
	select {
	case err = <-d.process.failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	d.process.deactivate()
	d.site.Close() // ends the event streams of open pages
	i.finish()
	return err
}

// newServer returns a server with short timeouts, because any local program can connect.
func newServer(h http.Handler, requestTimeout time.Duration) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: requestTimeout, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout, IdleTimeout: 2 * requestTimeout,
	}
}

// routeByHost sends requests with the pages' host name to the pages, and those for loopback
// addresses to the connector.
func (d *Daemon) routeByHost() http.Handler {
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

// healthz answers 200 "ok" if the last write of the queue succeeded and its writer responds, else
// 503 "unavailable".
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
	_, _ = io.WriteString(w, word) // fails only if the client is gone
}

// reportReady logs that the instance is ready and notifies the service manager.
func (d *Daemon) reportReady() {
	d.log.Info("ready", "address", d.address, "version", d.o.Version)
	if d.o.Ready != nil {
		d.o.Ready(d.address)
	}
	if err := service.Notify("READY=1"); err != nil {
		d.log.Warn("the service manager was not told that we are ready", "error", err)
	}
}

// feedWatchdog calls notify at each interval while alive returns nil within the interval. A
// service manager that misses the notification restarts us. An interval of 0 disables it.
func (d *Daemon) feedWatchdog(ctx context.Context, interval time.Duration, alive func(context.Context) error, notify func() error) {
	if interval == 0 {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		deadline, cancel := context.WithTimeout(ctx, interval)
		err := alive(deadline)
		cancel()
		if err == nil {
			err = notify()
		}
		if err != nil && ctx.Err() == nil {
			d.log.Error("the service manager is not told that we are alive", "error", err)
		}
	}
}

// dispatcher hands each request to the current instance. During a reload the servers stay open
// and requests wait for the next instance, so no request is refused or cut off.
type dispatcher struct {
	mu      sync.Mutex
	current *instance     // nil between two instances
	ready   chan struct{} // closed when the next instance is ready
	closed  chan struct{} // closed when the process stops
}

func newDispatcher() dispatcher {
	return dispatcher{ready: make(chan struct{}), closed: make(chan struct{})}
}

// instance counts the running requests of one instance, so that it can wait for them at its end.
type instance struct {
	public, commands http.Handler

	requests sync.WaitGroup
	aborted  context.Context // ends when running requests are aborted
	abort    func()
}

func newInstance(public, commands http.Handler) *instance {
	i := &instance{public: public, commands: commands}
	i.aborted, i.abort = context.WithCancel(context.Background())
	return i
}

// finish waits for running requests and aborts them after stopTimeout.
func (i *instance) finish() {
	timer := time.AfterFunc(stopTimeout, i.abort)
	i.requests.Wait()
	timer.Stop()
	i.abort()
}

// activate makes i the current instance.
func (d *dispatcher) activate(i *instance) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current = i
	close(d.ready)
}

// deactivate makes new requests wait for the next instance.
func (d *dispatcher) deactivate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current != nil {
		d.current, d.ready = nil, make(chan struct{})
	}
}

// acquire returns the instance for a request and counts the request; the caller must call
// requests.Done. It returns nil if ctx or the process ends first.
func (d *dispatcher) acquire(ctx context.Context) *instance {
	for {
		d.mu.Lock()
		i, ready := d.current, d.ready
		if i != nil {
			i.requests.Add(1)
		}
		d.mu.Unlock()
		if i != nil {
			return i
		}
		select {
		case <-ready:
		case <-d.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// forward returns a server's handler. It passes requests to the handler that which selects from
// the current instance.
func (d *dispatcher) forward(which func(*instance) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := d.acquire(r.Context())
		if i == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer i.requests.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(i.aborted, func() {
			cancel()
			past, c := time.Unix(1, 0), http.NewResponseController(w)
			_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // fail only if the connection is gone
		})()
		which(i).ServeHTTP(w, r.WithContext(ctx))
	})
}

// metrics serves metricsText for Prometheus, without titles. If the queue cannot be read it answers
// 503 without the error, which could contain a file name.
func (d *Daemon) metrics(w http.ResponseWriter, r *http.Request) {
	text, err := d.metricsText(r.Context())
	if err != nil {
		http.Error(w, "the queue cannot be read now", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text) // fails only if the client is gone
}

// metricsText returns the metrics in Prometheus' text format. Counters start at 0 with each
// instance.
func (d *Daemon) metricsText(ctx context.Context) (string, error) {
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
	write("gauge", "queue_writable", "1 if the last write of the queue succeeded, else 0.", map[string]int64{"": writable})
	write("gauge", "account_state", "1 for the state in which an account is.", states)
	write("counter", "sends_total", "Requests for entries, by account and by what the answer meant.", sends)
	write("gauge", "libraries", "Kodi libraries, by state.", libraries)
	write("counter", "resolver_answers_total", "Questions about what an item is, by resolver and kind of answer.", answers)
	write("gauge", "websockets", "Open websockets of browsers.", map[string]int64{"": int64(d.connector.Sockets())})
	write("counter", "refused_total", "Messages and posts that were not taken, by code.", refused)
	return out.String(), nil
}
