package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Options say where and how a service is kept.
type Options struct {
	// Path is the SQLite file; its folder must exist. The file is made
	// readable by its owner alone. One Service at a time may use it.
	Path string
	// SecretKey begins with sk_ and may write, PublicKey begins with pk_ and
	// may read. One that is empty is made, and stays the same for this file.
	SecretKey, PublicKey string
	// ContractOnly serves the contract's three operations and nothing else,
	// and ignores Idempotency-Key.
	ContractOnly bool
	// Logger is told operations and statuses, never a key or a body. Nil is silent.
	Logger *slog.Logger
}

// Service is one embedded tracking service. Its methods may be used from
// many goroutines.
type Service struct {
	store        *store
	keys         keyring
	userID       string
	catalogue    []title
	contractOnly bool
	log          *slog.Logger
	now          func() time.Time
	endpoints    map[string]map[string]endpoint // by path, then by method
	faults       faultList

	closing chan struct{} // closed by Close: nothing waits any longer
	work    sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	claimed map[string]bool // Idempotency-Keys being worked on
}

// Open makes or opens the service's file. It fails when a key has the wrong
// form, when the file is another program's or of a newer version, and when
// the folder does not exist. The caller must Close the service.
func Open(ctx context.Context, o Options) (*Service, error) {
	for prefix, key := range map[string]string{secretPrefix: o.SecretKey, publicPrefix: o.PublicKey} {
		if key == "" {
			continue
		}
		if err := checkKeyForm(key, prefix); err != nil {
			return nil, fmt.Errorf("open sandbox: %w", err)
		}
	}
	catalogue, err := readCatalogue()
	if err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	store, err := openStore(ctx, o.Path)
	if err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	s := &Service{
		store: store, catalogue: catalogue, contractOnly: o.ContractOnly, log: o.Logger, now: time.Now,
		closing: make(chan struct{}), claimed: map[string]bool{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.endpoints = s.routes()
	if err := s.identify(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open sandbox: %w", err), store.close())
	}
	return s, nil
}

// identify finds the user's id and the keys: the given ones, else those made
// when the file was first opened without.
func (s *Service) identify(ctx context.Context, o Options) (err error) {
	s.keys = keyring{secret: o.SecretKey, public: o.PublicKey}
	if s.userID, err = s.store.own(ctx, "user id", "usr_"+rand.Text()); err != nil {
		return err
	}
	if s.keys.secret == "" {
		if s.keys.secret, err = s.store.own(ctx, "secret key", makeKey(secretPrefix)); err != nil {
			return err
		}
	}
	if s.keys.public == "" {
		s.keys.public, err = s.store.own(ctx, "public key", makeKey(publicPrefix))
	}
	return err
}

// SecretKey is the key that may read and write.
func (s *Service) SecretKey() string { return s.keys.secret }

// PublicKey is the key that may only read.
func (s *Service) PublicKey() string { return s.keys.public }

// Close records at once what was to be recorded late, waits for it and for
// requests being worked on, and closes the file. Requests that come
// afterwards are refused. Closing twice does nothing.
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
	if err := s.store.close(); err != nil {
		return fmt.Errorf("close sandbox: %w", err)
	}
	return nil
}

// begin claims the key ("" claims none) and holds Close back until done is
// called. It refuses while the same key is being worked on.
func (s *Service) begin(key string) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, &refusal{status: http.StatusServiceUnavailable, code: codeUnavailable, message: "the service is closing"}
	case key != "" && s.claimed[key]:
		return nil, keyInWork()
	case key != "":
		s.claimed[key] = true
	}
	s.work.Add(1)
	return func() {
		s.mu.Lock()
		delete(s.claimed, key)
		s.mu.Unlock()
		s.work.Done()
	}, nil
}

// pause waits, but not beyond Close. It does not end with the request: a
// service goes on working when its client is gone.
func (s *Service) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closing:
	}
}
