package disk

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The writer answers while it moves, and not while a write hangs, as on a disk
// that has gone.
func TestAliveWaitsForTheWriter(t *testing.T) {
	s := unopened(t)
	defer s.Close()
	ask := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return s.Alive(ctx)
	}
	if err := ask(20 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before it runs: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	if err := ask(time.Minute); err != nil {
		t.Errorf("while it runs: %v", err)
	}

	hangs, release := make(chan struct{}), make(chan struct{})
	written := make(chan error, 1)
	go func() {
		written <- s.Write(t.Context(), func(*Tx) error {
			close(hangs)
			<-release
			return nil
		})
	}()
	<-hangs
	if err := ask(20 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while a write hangs: %v", err)
	}
	close(release)
	if err := errors.Join(<-written, ask(time.Minute)); err != nil {
		t.Errorf("after it: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := ask(time.Minute); !errors.Is(err, ErrClosed) {
		t.Errorf("after its end: %v", err)
	}
}
