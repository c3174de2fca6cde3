package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/tracker/sandbox/pipetest"

	"github.com/filmspool/filmspool/queue/viewing"
)

// fixture runs a queue, a loop and a service in a synctest bubble, so that hours pass at
// once. The service is a sandbox behind a pipe, or a script.
type fixture struct {
	*testing.T
	sandbox    *sandbox.Service // nil with a script
	client     *tracker.Client
	script     *script
	path       string
	store      *queue.Store
	disk       *flakyDisk
	closeStore func()
	loop       *Loop
	stop       func()
	options    func(*Options)
	events     int

	mu          sync.Mutex
	requests    map[string][]time.Time // times of the requests, by "GET /history"
	idempotent  bool                   // the service records an Idempotency-Key only once
	interceptor http.Handler           // responds instead of the sandbox, if set
}

// withSandbox runs a test against a sandbox. change may change the loop's options.
func withSandbox(t *testing.T, contractOnly bool, change func(*Options), test func(b *fixture)) {
	t.Helper()
	t.Parallel() // most of it waits for the disk
	synctest.Test(t, func(t *testing.T) {
		b := &fixture{T: t, options: change}
		b.openSandbox(contractOnly)
		b.run(test)
	})
}

// withScript runs a test against a script. It has no endpoint to read back from.
func withScript(t *testing.T, change func(*Options), test func(b *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &fixture{T: t, options: change, script: &script{}}
		b.client = b.newScriptClient(b.script, false)
		b.run(test)
	})
}

// run runs the test with an open queue and a running loop.
func (b *fixture) run(test func(b *fixture)) {
	time.Sleep(37*time.Second + 123*time.Millisecond) // no round times
	b.path, b.requests = filepath.Join(b.TempDir(), "queue.db"), map[string][]time.Time{}
	b.openStore()
	b.start()
	test(b)
	b.stop()
	b.closeStore()
}

// openSandbox opens a sandbox and a client for it.
func (b *fixture) openSandbox(contractOnly bool) {
	var err error
	b.sandbox, err = sandbox.Open(b.Context(), sandbox.Options{Path: filepath.Join(b.TempDir(), "sandbox.db"), ContractOnly: contractOnly})
	if err != nil {
		b.Fatal(err)
	}
	pipe := pipetest.Listen()
	b.client = b.newClient(pipe, b.countRequests(b.sandbox.Handler()), tracker.Options{Key: b.sandbox.SecretKey(), Dial: pipe.Dial})
	b.Cleanup(func() { b.sandbox.Close() })
}

// newScriptClient serves a script and returns a client for it.
func (b *fixture) newScriptClient(s *script, proven bool) *tracker.Client {
	pipe := pipetest.Listen()
	return b.newClient(pipe, s, tracker.Options{Key: "sk_test", Dial: s.dial(pipe.Dial), Proven: proven})
}

// newClient serves a handler and returns a client for it.
func (b *fixture) newClient(pipe *pipetest.Pipe, h http.Handler, o tracker.Options) *tracker.Client {
	server := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); server.Serve(pipe) }()
	o.BaseURL = "http://127.0.0.1/api/v1"
	client, err := tracker.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		client.Close()
		server.Close()
		<-served
	})
	return client
}

// openStore opens the queue.
func (b *fixture) openStore() {
	store, err := queue.Open(b.Context(), queue.Options{Path: b.path})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx) }()
	b.store, b.disk = store, &flakyDisk{fails: map[Step]bool{}}
	b.closeStore = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, store.Close()); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(b.closeStore)
}

// countRequests records the times of the requests. It removes the Idempotency-Key unless
// the test is about it, since the sandbox would hide duplicates.
func (b *fixture) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1")
		b.mu.Lock()
		b.requests[what] = append(b.requests[what], time.Now())
		if !b.idempotent {
			r.Header.Del("Idempotency-Key")
		}
		to := next
		if b.interceptor != nil {
			to = b.interceptor
		}
		b.mu.Unlock()
		to.ServeHTTP(w, r)
	})
}

// interceptWith has a handler respond instead of the sandbox; nil ends that.
func (b *fixture) interceptWith(portal http.Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.interceptor = portal
}

func (b *fixture) requestCount(what string) int { return len(b.requestTimes(what)) }

func (b *fixture) requestTimes(what string) []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests[what])
}

// start runs the loop, without jitter: every wait has its maximum.
func (b *fixture) start() {
	b.Helper()
	o := Options{Account: "default", Outbox: b.store, Service: b.client, InstallationID: b.store.InstallationID(), Step: b.disk.step}
	if b.options != nil {
		b.options(&o)
	}
	b.mu.Lock()
	b.idempotent = o.Idempotent
	b.mu.Unlock()
	loop := New(o)
	loop.jitter = func(most time.Duration) time.Duration { return most }
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx) }()
	b.loop = loop
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("run: %v", err)
		}
	})
	b.Cleanup(b.stop)
}

// restart stops the loop, closes the queue, and starts both again.
func (b *fixture) restart() {
	b.stop()
	b.closeStore()
	b.openStore()
	b.start()
	synctest.Wait()
}

func (b *fixture) armHistoryFault(fault string, times int) {
	b.Helper()
	b.armFault("POST /history", fault, times)
}

func (b *fixture) armFault(match, fault string, times int) {
	b.Helper()
	if err := b.sandbox.Arm(sandbox.Fault{Match: match, Fault: fault, Times: times}); err != nil {
		b.Fatal(err)
	}
}

func (b *fixture) commit(all ...viewing.Event) {
	b.Helper()
	for i := range all {
		b.events++
		all[i].EventID = fmt.Sprint("event-", b.events)
	}
	if _, err := b.store.Commit(b.Context(), viewing.Batch{Source: "browser:1", Events: all}); err != nil {
		b.Fatal(err)
	}
}

// filmAgo returns a viewing of a film that ended d ago.
func filmAgo(film int64, d time.Duration) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, Count: 1, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
		WatchedAt: viewing.At(time.Now().Add(-d)),
	}
}

// deliverAnchor delivers a film that was watched two days ago.
func (b *fixture) deliverAnchor() {
	b.Helper()
	b.commit(filmAgo(999, 50*time.Hour))
	b.advance(time.Second)
	if c := b.counts(); c.Delivered != 1 {
		b.Fatalf("the anchor did not arrive: %+v", c)
	}
}

// advance moves the bubble's clock forward.
func (b *fixture) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *fixture) counts() entry.Counts {
	b.Helper()
	c, err := b.store.Counts(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// recordsByFilm returns the number of records of each film.
func (b *fixture) recordsByFilm() map[int64]int {
	b.Helper()
	records, err := b.sandbox.Records(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	films := map[int64]int{}
	for _, r := range records.History {
		films[r.ID]++
	}
	return films
}

// stepTexts returns the code and cause of each step of an entry.
func (b *fixture) stepTexts(id int64) (all []string) {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	for _, step := range x.Steps {
		text := step.Code + " "
		if step.Cause != nil {
			text += step.Cause.Error()
		}
		all = append(all, text)
	}
	return all
}

func (b *fixture) entry(id int64) queue.Entry {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return x.Entry
}

// accountRow returns the account's row.
func (b *fixture) accountRow() account.Row {
	b.Helper()
	row, err := b.store.Account(b.Context(), "default")
	if err != nil {
		b.Fatal(err)
	}
	return row
}

// editAccount changes the account's row and wakes the loop, as commands and the page do.
func (b *fixture) editAccount(change func(*account.Row)) {
	b.Helper()
	if err := b.store.UpdateAccount(b.Context(), "default", change); err != nil {
		b.Fatal(err)
	}
	b.loop.Wake()
	synctest.Wait()
}

// pause pauses the account for a reason; "" resumes it.
func (b *fixture) pause(reason string) {
	b.Helper()
	b.editAccount(func(a *account.Row) { a.Pause.Reason = reason })
}

// watch commits viewings of films that ended just now, and waits until the loop is idle.
func (b *fixture) watch(films ...int64) {
	b.Helper()
	var all []viewing.Event
	for _, film := range films {
		all = append(all, filmAgo(film, 0))
	}
	b.commit(all...)
	synctest.Wait()
}

// expectState fails unless an entry has a state and a number of attempts.
func (b *fixture) expectState(id int64, want viewing.State, attempts int) {
	b.Helper()
	if e := b.entry(id); e.State != want || e.Attempts != attempts {
		b.Errorf("entry %d is %s after %d attempts, want %s after %d", id, e.State, e.Attempts, want, attempts)
	}
}

// expectHealth fails unless the account has a state.
func (b *fixture) expectHealth(want account.State) {
	b.Helper()
	if h := b.loop.Health(); h.State != want {
		b.Errorf("health %+v, want %s", h, want)
	}
}

// gaps returns the times between requests, rounded to 10 ms.
func gaps(times []time.Time) (all []time.Duration) {
	for i := 1; i < len(times); i++ {
		all = append(all, times[i].Sub(times[i-1]).Round(10*time.Millisecond))
	}
	return all
}

// seconds converts seconds to durations.
func seconds(all ...int) (out []time.Duration) {
	for _, n := range all {
		out = append(out, time.Duration(n)*time.Second)
	}
	return out
}
