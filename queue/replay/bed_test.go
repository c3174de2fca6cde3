package replay

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/tracker/sandbox/pipe"
	v1 "github.com/filmspool/filmspool/queue/tracker/v1"
	"github.com/filmspool/filmspool/queue/viewing"
)

// bed is the whole way from the disk to a sandbox, in a bubble: hours pass in
// no time.
type bed struct {
	*testing.T
	box    *sandbox.Service
	client *v1.Client
	path   string
	store  *queue.Store
	shut   func()
	loop   *Loop
	stop   func()
	change func(*Options)
	events int

	mu      sync.Mutex
	asked   map[string]int // requests, as "GET /history"
	honours bool           // the service records one Idempotency-Key once
}

// inBed runs a test in a bubble. contractOnly is the sandbox's; change is what
// is special about the loop.
func inBed(t *testing.T, contractOnly bool, change func(*Options), test func(b *bed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(37*time.Second + 123*time.Millisecond) // no round times
		b := &bed{T: t, path: storePath(t), change: change, asked: map[string]int{}}
		var err error
		b.box, err = sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db"), ContractOnly: contractOnly})
		if err != nil {
			t.Fatal(err)
		}
		listener := pipe.Listen()
		server := &http.Server{Handler: b.counted(b.box.Handler())}
		served := make(chan struct{})
		go func() { defer close(served); server.Serve(listener) }()
		b.client, err = v1.New(v1.Options{BaseURL: "http://127.0.0.1/api/v1", Key: b.box.SecretKey(), Dial: listener.Dial})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			b.client.Close()
			server.Close()
			<-served
			b.box.Close()
		})
		b.store, b.shut = openStore(t, b.path)
		b.start()
		test(b)
		b.stop()
		b.shut()
	})
}

// counted counts what is asked. A service that is not known to honour
// Idempotency-Key does not, or it would hide what is sent twice.
func (b *bed) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.asked[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1")]++
		if !b.honours {
			r.Header.Del("Idempotency-Key")
		}
		b.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (b *bed) askedFor(what string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked[what]
}

// plain is a service that shows its history, but not the status of items.
type plain struct{ *v1.Client }

func (p plain) MediaStatus(ctx context.Context, _ []viewing.Media) (map[string]tracker.ItemStatus, error) {
	return nil, &tracker.ReadError{Verdict: tracker.Verdict{Fate: tracker.Rejected, Sent: true, Status: 404, Problem: "none here"}}
}

// withoutStatus gives the loop such a service.
func withoutStatus(o *Options) { o.Service = plain{o.Service.(*v1.Client)} }

// start begins a run of the loop.
func (b *bed) start() {
	b.Helper()
	b.loop = newLoop(b.T, b.store, b.client, func(o *Options) {
		o.Doubts, o.Lookups, o.InstallationID = b.store, b.store, b.store.InstallationID()
		if b.change != nil {
			b.change(o)
		}
		b.mu.Lock()
		b.honours = o.Idempotent
		b.mu.Unlock()
	})
	b.stop = start(b.T, b.loop)
}

// restart ends the loop and the queue, and begins both anew.
func (b *bed) restart() {
	b.stop()
	b.shut()
	b.store, b.shut = openStore(b.T, b.path)
	b.start()
}

func (b *bed) arm(fault string, times int) {
	b.Helper()
	b.armAt("POST /history", fault, times)
}

func (b *bed) armAt(match, fault string, times int) {
	b.Helper()
	if err := b.box.Arm(sandbox.Fault{Match: match, Fault: fault, Times: times}); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) commit(all ...viewing.Event) {
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
func ago(film int64, d time.Duration) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, Count: 1, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
		WatchedAt: viewing.At(time.Now().Add(-d)),
	}
}

// anchor has a film arrive that was watched days ago.
func (b *bed) anchor() {
	b.Helper()
	b.commit(ago(999, 50*time.Hour))
	b.pass(time.Second)
	if c := b.counts(); c.Delivered != 1 {
		b.Fatalf("the anchor did not arrive: %+v", c)
	}
}

// pass lets time go by.
func (b *bed) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bed) counts() entry.Counts {
	b.Helper()
	c, err := b.store.Counts(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// films counts the records of each film.
func (b *bed) films() map[int64]int {
	b.Helper()
	records, err := b.box.Records(b.Context())
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
func (b *bed) said(id int64) (all []string) {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	for _, step := range x.Steps {
		all = append(all, step.Detail)
	}
	return all
}

func (b *bed) entry(id int64) queue.Entry {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return x.Entry
}
