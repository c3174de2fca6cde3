package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// reply is a response to a request.
type reply struct {
	status     int
	body       string
	retryAfter time.Duration
}

// The responses that the tests use most.
var (
	delivered   = reply{status: 200, body: `{"success":true}`}
	rejected    = reply{status: 422, body: `{"error":"VALIDATION_ERROR","message":"no such film"}`}
	refused     = reply{status: 401, body: `{"error":"UNAUTHORIZED","message":"no"}`}
	unproven    = reply{status: 404, body: "<!doctype html>"}
	retryLater  = reply{status: 425}
	serverError = reply{status: 500}
	busy        = reply{status: 503, body: `{"error":"BUSY","message":"busy"}`}
)

// rateLimited returns a 429 with a Retry-After.
func rateLimited(d time.Duration) reply {
	return reply{status: 429, body: `{"error":"RATE_LIMITED","message":"wait"}`, retryAfter: d}
}

// script is a service that implements the contract with responses set by the test.
type script struct {
	mu            sync.Mutex
	answer        func(film int64) reply // nil delivers
	probeReply    reply                  // the zero value is a success
	delay         time.Duration          // before every response to a POST
	offline       bool                   // connections fail
	sends         []sent
	probes        []time.Time // including failed connections
	inProgress    int         // requests in progress
	maxInProgress int         // the most at once
}

// sent is one request for a film.
type sent struct {
	at      time.Time
	film    int64
	watched string
	key     string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || strings.Contains(r.URL.Path, "resolve") {
		http.NotFound(w, r)
		return
	}
	var item struct {
		ID        int64
		WatchedAt string
	}
	json.Unmarshal(body, &item)
	s.mu.Lock()
	answer, delay := s.answer, s.delay
	if item.ID == 0 {
		s.probes = append(s.probes, time.Now())
		probed := s.probeReply
		if probed.status == 0 {
			probed = rejected
		}
		answer = func(int64) reply { return probed }
	} else {
		s.sends = append(s.sends, sent{time.Now(), item.ID, item.WatchedAt, r.Header.Get("Idempotency-Key")})
	}
	s.inProgress++
	s.maxInProgress = max(s.maxInProgress, s.inProgress)
	s.mu.Unlock()
	if sleep(r.Context().Done(), delay) {
		with := delivered
		if answer != nil {
			with = answer(item.ID)
		}
		if with.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(with.retryAfter/time.Second)))
		}
		w.WriteHeader(with.status)
		io.WriteString(w, with.body)
	}
	s.mu.Lock()
	s.inProgress--
	s.mu.Unlock()
}

// sleep waits for d; it returns false if done is closed before.
func sleep(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return false
	case <-time.After(d):
		return true
	}
}

// dial wraps a dialer that fails while the script is offline.
func (s *script) dial(to func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		s.mu.Lock()
		away := s.offline
		if away {
			s.probes = append(s.probes, time.Now())
		}
		s.mu.Unlock()
		if away {
			return nil, syscall.ECONNREFUSED
		}
		return to(ctx, network, address)
	}
}

// set changes the script while the loop runs.
func (s *script) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// answerAll sets the response to every entry and every probe.
func (s *script) answerAll(r reply) {
	s.set(func() { s.answer, s.probeReply = func(int64) reply { return r }, r })
}

// goOffline makes all connections fail.
func (s *script) goOffline() { s.set(func() { s.offline = true }) }

// recover makes the script accept everything.
func (s *script) recover() { s.set(func() { s.answer, s.probeReply, s.offline = nil, reply{}, false }) }

// requestCounts returns the numbers of entries and probes so far.
func (s *script) requestCounts() (sends, probes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sends), len(s.probes)
}

// sentAt returns the times of the entries.
func (s *script) sentAt() (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sends {
		all = append(all, one.at)
	}
	return all
}

// probedAt returns the times of the probes.
func (s *script) probedAt() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.probes)
}

var errDisk = errors.New("no space left on device")

// flakyDisk makes steps of the loop fail like writes to a full disk.
type flakyDisk struct {
	mu    sync.Mutex
	fails map[Step]bool
	slow  time.Duration // while an entry is marked as sending
	calls int
	hits  int
}

// fail makes these steps fail; without arguments, none.
func (f *flakyDisk) fail(steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.fails)
	for _, s := range steps {
		f.fails[s] = true
	}
}

// markSlowly sets how long it takes to mark an entry as sending.
func (f *flakyDisk) markSlowly(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow = d
}

func (f *flakyDisk) step(s Step) error {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	if s == StepMark {
		time.Sleep(slow)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.fails[s] {
		f.hits++
		return errDisk
	}
	return nil
}

// counts returns the numbers of steps and of failed steps.
func (f *flakyDisk) counts() (calls, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.hits
}
