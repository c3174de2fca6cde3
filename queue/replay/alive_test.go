package replay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// deafOutbox answers the question for an account's row when it is let.
type deafOutbox struct {
	Outbox
	let chan struct{}
}

func (o deafOutbox) Account(ctx context.Context, name string) (account.Row, error) {
	<-o.let
	return account.Row{Name: name}, errors.New("not now")
}

func (o deafOutbox) Subscribe() (<-chan struct{}, func()) { return nil, func() {} }

// A loop that hangs in its outbox does not answer; one that waits does.
func TestAliveWaitsForTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := deafOutbox{let: make(chan struct{})}
		l, err := New(Options{Account: "default", Outbox: box, InstallationID: "i"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		ask := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			return l.Alive(ctx)
		}
		if err := ask(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while it hangs: %v", err)
		}
		close(box.let)
		if err := ask(); err != nil {
			t.Errorf("while it waits: %v", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
}
