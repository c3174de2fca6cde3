// Package sandbox is an embedded tracking service that keeps the contract of the media tracking API v1: for
// trying out, for tests, for living without an account. It serves POST /history, /watchlist and /lists below
// /api/v1, and unless [Options.ContractOnly] is set it honours Idempotency-Key and also serves
//
//	GET /me, /history, /lists                    a public key may read them
//	POST /media/resolve, /media/resolve/batch    likewise, from a catalogue of a dozen titles
//	POST /lists/{id}/items                       takes an item as often as it comes
//	DELETE /history                              removes all viewings of one item
//
// What it answered 2xx is on disk, if it has a file, and survives a restart; so do its keys. It takes any
// identifier and never compares contents. A count is at most 10,000, and an Idempotency-Key at most 255 bytes.
// It shares no code with the client that it tests.
//
// # Faults
//
// [Service.Arm] makes the next requests of one operation go wrong, and so does POST /_sandbox/faults
// {"match":"POST /history","fault":F,"times":N} where [Options.FaultsByHTTP] is set (N is 1 when left out;
// DELETE disarms all). One request meets at most one fault, the one armed first. These
// strike every matching request, whatever its key and body, and record nothing:
//
//	status:503     that status (400 to 599) with the error object
//	bare:503       that status with an empty body and no content type
//	retry-after:2  429 with Retry-After: 2 and the error object
//	html           200 with an HTML page
//	empty          200 with an empty body
//	drop-before    the request is read, the connection closed
//	reset          the same, closed with a TCP reset
//
// These strike only requests that passed every check:
//
//	delay:500ms       worked on for that long, then recorded and answered
//	drop-after        recorded, then the connection is closed
//	cut               recorded, then half of the answer is sent
//	status-after:500  recorded, then that status (400 to 599) without a body
//	late:3s           the connection is closed at once, and the request recorded that much later
//
// A delayed or late request counts as still being worked on. A repeat that is answered by its Idempotency-Key
// meets none of the second kind.
//
// GET /_sandbox/records lists all that was recorded, in order. The control routes need no key; they refuse web
// pages (Origin) and any Host but a loopback one.
package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Options say where and how a service is kept.
type Options struct {
	// Path is the file of what is recorded; its folder must exist. Empty keeps everything in memory. One
	// Service at a time may use it.
	Path string
	// SecretKey begins with sk_ and may write, PublicKey begins with pk_ and may read. One that is empty is
	// made, and stays the same for this file.
	SecretKey, PublicKey string
	// ContractOnly serves the contract's three operations and nothing else, and ignores Idempotency-Key.
	ContractOnly bool
	// FaultsByHTTP serves the control route that arms faults.
	FaultsByHTTP bool
}

// Service is one embedded tracking service. Its methods may be used from many goroutines.
type Service struct {
	contractOnly bool
	identity     identity
	handler      http.Handler
	closing      chan struct{} // closed by Close: nothing waits any longer
	work         sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	activeKeys map[string]bool // Idempotency-Keys being worked on
	faults     []parsedFault
	file       *os.File // nil in memory
	size       int64    // of the file
	recorded   Records
	responses  map[string]storedResponse
}

// Open makes or opens the service's file. It fails when a key has the wrong form, when the file is not a
// sandbox's, and when the folder does not exist. The caller must Close the service.
func Open(_ context.Context, o Options) (*Service, error) {
	for prefix, key := range map[string]string{"sk_": o.SecretKey, "pk_": o.PublicKey} {
		rest, ok := strings.CutPrefix(key, prefix)
		if key != "" && (!ok || rest == "" || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' })) {
			return nil, fmt.Errorf("open sandbox: the key must be %s and printable ASCII without spaces", prefix)
		}
	}
	s := &Service{
		contractOnly: o.ContractOnly, closing: make(chan struct{}), activeKeys: map[string]bool{}, responses: map[string]storedResponse{},
	}
	s.handler = s.routes(o.FaultsByHTTP)
	if err := s.openFile(o.Path); err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	if s.identity.UserID == "" {
		fresh := identity{UserID: "usr_" + rand.Text(), SecretKey: "sk_" + rand.Text(), PublicKey: "pk_" + rand.Text()}
		if err := s.record(event{Identity: &fresh}); err != nil {
			return nil, errors.Join(fmt.Errorf("open sandbox: %w", err), s.Close())
		}
	}
	s.identity.SecretKey = cmp.Or(o.SecretKey, s.identity.SecretKey)
	s.identity.PublicKey = cmp.Or(o.PublicKey, s.identity.PublicKey)
	return s, nil
}

// SecretKey is the key that may read and write.
func (s *Service) SecretKey() string { return s.identity.SecretKey }

// PublicKey is the key that may only read.
func (s *Service) PublicKey() string { return s.identity.PublicKey }

// Handler serves the API below /api/v1 and the control routes below /_sandbox/. It must be mounted at the root.
// The server's time-outs are its owner's.
func (s *Service) Handler() http.Handler { return s.handler }

// Close records at once what was to be recorded late, waits for it and for requests being worked on, and closes
// the file. Requests that come afterwards are refused. Closing twice does nothing.
func (s *Service) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	close(s.closing)
	s.work.Wait()
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("close sandbox: %w", err)
	}
	return nil
}

// begin claims the key ("" claims none) and holds Close back until done is called. It gives the first answer to
// that key, or refuses while its request is being worked on.
func (s *Service) beginRequest(key string) (first *storedResponse, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, nil, &refusal{http.StatusServiceUnavailable, "UNAVAILABLE", "the service is closing"}
	case s.activeKeys[key]:
		return nil, nil, &refusal{http.StatusConflict, "CONFLICT", "Idempotency-Key: the first request with it is still being worked on"}
	case key != "":
		s.activeKeys[key] = true
	}
	if a, ok := s.responses[key]; ok {
		first = &a
	}
	s.work.Add(1)
	return first, func() {
		s.mu.Lock()
		delete(s.activeKeys, key)
		s.mu.Unlock()
		s.work.Done()
	}, nil
}

// pause waits, but not beyond Close. It does not end with the request: a service goes on working when its
// client is gone.
func (s *Service) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.closing:
	}
}
