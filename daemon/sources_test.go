package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// player is a source that is no Kodi.
type player struct{ ran, ended chan struct{} }

func (p player) Name() string           { return "player:tv" }
func (p player) Status() control.Source { return control.Source{Name: p.Name(), Kind: "player"} }
func (p player) Run(ctx context.Context) error {
	close(p.ran)
	<-ctx.Done()
	close(p.ended)
	return nil
}

// TestAnySourceRunsAndIsTold: the daemon knows a source by its interface alone.
func TestAnySourceRunsAndIsTold(t *testing.T) {
	ready := make(chan string, 1)
	o := testOptions(t)
	o.Ready = func(address string) { ready <- address }
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p := player{make(chan struct{}), make(chan struct{})}
	d.sources = append(d.sources, p)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	select {
	case <-p.ran:
	case err := <-ended:
		t.Fatal("it did not run:", err)
	}
	<-ready
	s, err := d.Control().Status(ctx)
	if err != nil || len(s.Sources) != 1 || s.Sources[0].Name != "player:tv" {
		t.Errorf("sources %+v, %v", s.Sources, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-p.ended
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
