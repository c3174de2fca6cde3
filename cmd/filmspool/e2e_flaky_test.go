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

// flaky is a tracking service that follows the contract, fails sometimes, and can stop a request
// at a step.
type flaky struct {
	t       testing.TB
	forgets bool // ignore Idempotency-Key, so that repeated requests are recorded twice
	service *sandbox.Service
	server  *httptest.Server

	mu   sync.Mutex
	step string
	trap *trap
}

// trap stops the first request that reaches a step until it is released.
type trap struct{ sprung, release chan struct{} }

// serviceSteps returns the steps of a request at the service: received, recorded but not
// answered, and answered.
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

// baseURL returns the service's address.
func (f *flaky) baseURL() string { return f.server.URL + "/api/v1" }

// set sets a trap at a step, in place of an earlier one.
func (f *flaky) set(step string) *trap {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.step, f.trap = step, &trap{make(chan struct{}), make(chan struct{})}
	return f.trap
}

// reach triggers the trap of a step once.
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

// free releases the request in the trap and removes the trap.
func (f *flaky) free(t *trap) {
	f.mu.Lock()
	f.trap = nil
	f.mu.Unlock()
	close(t.release)
}

// watched adds the traps to requests that record.
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

// watchedAnswer reaches the step "recorded" when the service begins to answer.
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

// Unwrap gives the service access to the connection, so that it can close it.
func (w *watchedAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// stumble sets a few random faults, in place of earlier ones.
func (f *flaky) stumble(matches []string) {
	f.recover()
	faults := []string{"drop-after", "drop-after", "late:200ms", "late:200ms", "drop-before", "reset", "cut", "status:503", "delay:100ms"}
	for range rand.IntN(3) {
		fault := sandbox.Fault{Match: matches[rand.IntN(len(matches))], Fault: faults[rand.IntN(len(faults))], Times: 1 + rand.IntN(2)}
		must(f.t, f.service.Arm(fault))
	}
}

// recover removes the faults.
func (f *flaky) recover() { f.service.Disarm() }
