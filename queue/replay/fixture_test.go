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

// bed is the whole way from the disk to a service, in a bubble of its own: hours
// pass in no time. The service is a sandbox behind a pipe, or scripted.
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
	requests    map[string][]time.Time // when each request came, by "GET /history"
	idempotent  bool                   // the service records one Idempotency-Key once
	interceptor http.Handler           // answers in the sandbox's place; nil for nothing
}

// inBed runs a test against a sandbox. contractOnly is the sandbox's; change is
// what is special about the loop.
func withSandbox(t *testing.T, contractOnly bool, change func(*Options), test func(b *fixture)) {
	t.Helper()
	t.Parallel() // most of it waits for the disk
	synctest.Test(t, func(t *testing.T) {
		b := &fixture{T: t, options: change}
		b.openSandbox(contractOnly)
		b.run(test)
	})
}

// scripted runs a test against a service that answers as the test says. Reading
// back is not possible there.
func withScript(t *testing.T, change func(*Options), test func(b *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &fixture{T: t, options: change, script: &script{}}
		b.client = b.newScriptClient(b.script, false)
		b.run(test)
	})
}

func (b *fixture) run(test func(b *fixture)) {
	time.Sleep(37*time.Second + 123*time.Millisecond) // no round times
	b.path, b.requests = filepath.Join(b.TempDir(), "queue.db"), map[string][]time.Time{}
	b.openStore()
	b.start()
	test(b)
	b.stop()
	b.closeStore()
}

// openBox opens a sandbox and a client of it.
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

// clientOf serves a script and gives a client of it.
func (b *fixture) newScriptClient(s *script, proven bool) *tracker.Client {
	pipe := pipetest.Listen()
	return b.newClient(pipe, s, tracker.Options{Key: "sk_test", Dial: s.dial(pipe.Dial), Proven: proven})
}

// serve serves a handler, and makes a client of it.
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

// open opens the queue.
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

// counted counts what is asked. A service that is not known to honour
// Idempotency-Key does not, or it would hide what is sent twice.
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

// between puts something between the loop and the sandbox; nil takes it away.
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

// start begins a run of the loop. It waits as long as it may between tries.
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

// restart ends the loop and the queue, and begins both again.
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

// ago is a viewing of a film some time ago.
func filmAgo(film int64, d time.Duration) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, Count: 1, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
		WatchedAt: viewing.At(time.Now().Add(-d)),
	}
}

// anchor has a film arrive that was watched days ago.
func (b *fixture) deliverAnchor() {
	b.Helper()
	b.commit(filmAgo(999, 50*time.Hour))
	b.advance(time.Second)
	if c := b.counts(); c.Delivered != 1 {
		b.Fatalf("the anchor did not arrive: %+v", c)
	}
}

// pass lets time go by.
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

// films counts the records of each film.
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

// said are the sentences of the steps of an entry.
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

// row is the account's row.
func (b *fixture) accountRow() account.Row {
	b.Helper()
	row, err := b.store.Account(b.Context(), "default")
	if err != nil {
		b.Fatal(err)
	}
	return row
}

// edit changes the account's row, as commands and the page do.
func (b *fixture) editAccount(change func(*account.Row)) {
	b.Helper()
	if err := b.store.UpdateAccount(b.Context(), "default", change); err != nil {
		b.Fatal(err)
	}
	b.loop.Wake()
	synctest.Wait()
}

// pause pauses the account for a reason; "" ends that.
func (b *fixture) pause(reason string) {
	b.Helper()
	b.editAccount(func(a *account.Row) { a.Pause.Reason = reason })
}

// watch commits viewings of films that ended just now, and lets them leave.
func (b *fixture) watch(films ...int64) {
	b.Helper()
	var all []viewing.Event
	for _, film := range films {
		all = append(all, filmAgo(film, 0))
	}
	b.commit(all...)
	synctest.Wait()
}

// state fails unless an entry is in a state after so many attempts.
func (b *fixture) expectState(id int64, want viewing.State, attempts int) {
	b.Helper()
	if e := b.entry(id); e.State != want || e.Attempts != attempts {
		b.Errorf("entry %d is %s after %d attempts, want %s after %d", id, e.State, e.Attempts, want, attempts)
	}
}

// health fails unless the account is in a state.
func (b *fixture) expectHealth(want account.State) {
	b.Helper()
	if h := b.loop.Health(); h.State != want {
		b.Errorf("health %+v, want %s", h, want)
	}
}

// gaps are the times between requests, rounded to 10 ms.
func gaps(times []time.Time) (all []time.Duration) {
	for i := 1; i < len(times); i++ {
		all = append(all, times[i].Sub(times[i-1]).Round(10*time.Millisecond))
	}
	return all
}

// seconds makes durations.
func seconds(all ...int) (out []time.Duration) {
	for _, n := range all {
		out = append(out, time.Duration(n)*time.Second)
	}
	return out
}
