package main

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// flaky is a tracking service that keeps the contract, fails now and then, and
// can stop a request at a step.
type flaky struct {
	t       testing.TB
	forgets bool // it ignores Idempotency-Key, so that whatever is sent twice is recorded twice
	service *sandbox.Service
	server  *httptest.Server

	mu   sync.Mutex
	step string
	trap *trap
}

// trap is one step that is waited for. The request that comes to it stays
// there until it is let go.
type trap struct{ sprung, release chan struct{} }

// serviceSteps are the steps of a request at the service: it has come whole,
// it is recorded and not answered, it is answered.
func serviceSteps() []string { return []string{"arrived", "recorded", "answered"} }

// newFlaky serves until the test ends.
func newFlaky(t testing.TB, dir string, contractOnly bool) *flaky {
	t.Helper()
	f := &flaky{t: t}
	var err error
	f.service, err = sandbox.Open(t.Context(), sandbox.Options{
		Path: filepath.Join(dir, "sandbox.db"), SecretKey: secretKey, PublicKey: "pk_householdpublic", ContractOnly: contractOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.server = httptest.NewServer(f.watched(f.service.Handler()))
	t.Cleanup(func() {
		f.server.Close()
		f.service.Close()
	})
	return f
}

// baseURL is the service's address.
func (f *flaky) baseURL() string { return f.server.URL + "/api/v1" }

// set lays a trap at a step; the one before is void.
func (f *flaky) set(step string) *trap {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.step, f.trap = step, &trap{make(chan struct{}), make(chan struct{})}
	return f.trap
}

// reach springs the trap of a step, once.
func (f *flaky) reach(step string) {
	f.mu.Lock()
	t := f.trap
	if t == nil || f.step != step {
		f.mu.Unlock()
		return
	}
	f.trap = nil
	f.mu.Unlock()
	close(t.sprung)
	<-t.release
}

// free lets go what is in the trap, and takes the trap away.
func (f *flaky) free(t *trap) {
	f.mu.Lock()
	f.trap = nil
	f.mu.Unlock()
	close(t.release)
}

// watched is the service with traps at the requests that record.
func (f *flaky) watched(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path == "/api/v1/media/status" || r.ContentLength <= int64(len("{}")) {
			service.ServeHTTP(w, r)
			return
		}
		if f.forgets {
			r.Header.Del("Idempotency-Key")
		}
		f.reach("arrived")
		answer := &watchedAnswer{ResponseWriter: w, f: f}
		service.ServeHTTP(answer, r)
		if answer.begun && http.NewResponseController(w).Flush() == nil {
			f.reach("answered")
		}
	})
}

// watchedAnswer is at the step "recorded" when the service begins to answer.
type watchedAnswer struct {
	http.ResponseWriter
	f     *flaky
	begun bool
}

func (w *watchedAnswer) WriteHeader(status int) {
	w.begun = true
	w.f.reach("recorded")
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the service take the connection, to cut it.
func (w *watchedAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// stumble arms a few faults, as a bad day would, in place of those before.
func (f *flaky) stumble(matches []string) {
	f.recover()
	faults := []string{"drop-after", "drop-after", "late:200ms", "late:200ms", "drop-before", "reset", "cut", "status:503", "delay:100ms"}
	for range rand.IntN(3) {
		fault := sandbox.Fault{Match: matches[rand.IntN(len(matches))], Fault: faults[rand.IntN(len(faults))], Times: 1 + rand.IntN(2)}
		must(f.t, f.service.Arm(fault))
	}
}

// recover disarms what is left.
func (f *flaky) recover() { f.service.Disarm() }
