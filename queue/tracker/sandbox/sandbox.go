// Package sandbox is an embedded tracking service that implements the contract of the media tracking API v1: for
// trying out, for tests, and for use without an account. It serves POST /history, /watchlist and /lists below
// /api/v1. Unless [Options.ContractOnly] is set, it honours Idempotency-Key and also serves
//
//	GET /me, /history, /lists                    readable with a public key
//	POST /media/resolve, /media/resolve/batch    the same, from a catalogue of a dozen titles
//	POST /lists/{id}/items                       adds an item, even if it is on the list
//	DELETE /history                              removes all viewings of one item
//
// Every request answered with 2xx is on disk, if the service has a file, and survives a restart; so do its keys.
// It accepts any identifier and does not detect duplicates. A count is at most 10,000, and an Idempotency-Key at
// most 255 bytes. It shares no code with the client that it tests.
//
// # Faults
//
// [Service.Arm] makes the next requests of one operation fail. POST /_sandbox/faults with
// {"match":"POST /history","fault":F,"times":N} does the same if [Options.FaultsByHTTP] is set (N is 1 by default;
// DELETE removes all faults). At most one fault applies to a request, the one armed first. These
// apply to every matching request, with any key and body, and record nothing:
//
//	status:503     that status (400 to 599) with the error object
//	bare:503       that status with an empty body and no content type
//	retry-after:2  429 with Retry-After: 2 and the error object
//	html           200 with an HTML page
//	empty          200 with an empty body
//	drop-before    the request is read, then the connection is closed
//	reset          the same, closed with a TCP reset
//
// These apply only to requests that passed every check:
//
//	delay:500ms       recorded and answered after that wait
//	drop-after        recorded, then the connection is closed
//	cut               recorded, then half of the response is sent
//	status-after:500  recorded, then that status (400 to 599) without a body
//	late:3s           the connection is closed at once, the request is recorded after that wait
//
// A delayed or late request counts as in progress. Faults of the second kind do not apply to a repeated request
// that is answered by its Idempotency-Key.
//
// GET /_sandbox/records lists all records in order. The control routes need no key; they refuse web
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

// Options configures [Open].
type Options struct {
	// Path is the file of the records; its folder must exist. Empty keeps everything in memory. Only one
	// Service at a time may use a file.
	Path string
	// SecretKey begins with sk_ and may write, PublicKey begins with pk_ and may read. An empty one is
	// generated, and stored in the file.
	SecretKey, PublicKey string
	// ContractOnly serves only the contract's three operations, and ignores Idempotency-Key.
	ContractOnly bool
	// FaultsByHTTP serves the control route that arms faults.
	FaultsByHTTP bool
}

// Service is one embedded tracking service. Its methods may be used from many goroutines.
type Service struct {
	contractOnly bool
	identity     identity
	handler      http.Handler
	closing      chan struct{} // closed by Close to end all waits
	work         sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	activeKeys map[string]bool // Idempotency-Keys of requests in progress
	faults     []parsedFault
	file       *os.File // nil if everything is in memory
	size       int64    // of the file
	recorded   Records
	responses  map[string]storedResponse
}

// Open creates or opens the service's file. It returns an error if a key has the wrong form, if the file is not a
// sandbox's, or if the folder does not exist. The caller must Close the service.
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

// SecretKey returns the key that may read and write.
func (s *Service) SecretKey() string { return s.identity.SecretKey }

// PublicKey returns the key that may only read.
func (s *Service) PublicKey() string { return s.identity.PublicKey }

// Handler returns the handler of the API below /api/v1 and the control routes below /_sandbox/. It must be mounted
// at the root of a server; the caller sets the server's timeouts.
func (s *Service) Handler() http.Handler { return s.handler }

// Close records delayed requests at once, waits for them and for requests in progress, and closes the file. Later
// requests are refused. A second call does nothing.
func (s *Service) Close() error {
	s.mu.Lock()
	wasClosed := s.closed
	s.closed = true
	s.mu.Unlock()
	if wasClosed {
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

// beginRequest reserves the Idempotency-Key ("" reserves none) and makes Close wait until done is called. It returns
// the stored response for that key, or an error while another request with it is in progress.
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

// wait sleeps until Close at most. It does not depend on the request: a service keeps working after its client
// has disconnected.
func (s *Service) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.closing:
	}
}
