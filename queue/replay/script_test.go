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

// reply is an answer to a request.
type reply struct {
	status     int
	body       string
	retryAfter time.Duration
}

// The answers that the tests use most.
var (
	delivered   = reply{status: 200, body: `{"success":true}`}
	rejected    = reply{status: 422, body: `{"error":"VALIDATION_ERROR","message":"no such film"}`}
	refused     = reply{status: 401, body: `{"error":"UNAUTHORIZED","message":"no"}`}
	unproven    = reply{status: 404, body: "<!doctype html>"}
	retryLater  = reply{status: 425}
	serverError = reply{status: 500}
	busy        = reply{status: 503, body: `{"error":"BUSY","message":"busy"}`}
)

// waitFor asks to wait.
func rateLimited(d time.Duration) reply {
	return reply{status: 429, body: `{"error":"RATE_LIMITED","message":"wait"}`, retryAfter: d}
}

// script is a service of the contract that answers as the test says.
type script struct {
	mu            sync.Mutex
	answer        func(film int64) reply // nil delivers
	probeReply    reply                  // the zero value is a good answer
	delay         time.Duration          // of every answer to a POST
	offline       bool                   // no connection is made
	sends         []sent
	probes        []time.Time // also the connections that were not made
	inProgress    int         // requests under way
	maxInProgress int         // the most there ever were
}

// sent is one request for a film as it came.
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

// sleep waits for d; it is false when done came first.
func sleep(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return false
	case <-time.After(d):
		return true
	}
}

// dial dials unless the script is away.
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

// always has it answer every entry and every probe like that.
func (s *script) answerAll(r reply) {
	s.set(func() { s.answer, s.probeReply = func(int64) reply { return r }, r })
}

// leave has no connection made from now on.
func (s *script) goOffline() { s.set(func() { s.offline = true }) }

// well has it take everything.
func (s *script) recover() { s.set(func() { s.answer, s.probeReply, s.offline = nil, reply{}, false }) }

// seen is how many entries and probes came so far.
func (s *script) requestCounts() (sends, probes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sends), len(s.probes)
}

// sentAt is when entries came.
func (s *script) sentAt() (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sends {
		all = append(all, one.at)
	}
	return all
}

func (s *script) probedAt() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.probes)
}

var errDisk = errors.New("no space left on device")

// flaky is a disk that at times cannot be written or read.
type flakyDisk struct {
	mu    sync.Mutex
	fails map[Step]bool
	slow  time.Duration // while an entry is marked as sending
	calls int
	hits  int
}

// fail has these steps fail from now on; none ends that.
func (f *flakyDisk) fail(steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.fails)
	for _, s := range steps {
		f.fails[s] = true
	}
}

// markSlowly has it take so long to mark an entry as sending.
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

// used is how many steps came, and how many of them failed.
func (f *flakyDisk) counts() (calls, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.hits
}
