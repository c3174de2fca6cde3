package kodi

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// Reading a library in WAL mode makes files beside it; that must not look
// like a change and lead to the next reading, for ever.
func TestReadingIsNoChange(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	must(t, h.sim.SwitchToWAL())
	must(t, h.sim.Close())
	var reads atomic.Int64
	i, err := New(Options{
		Userdata: h.dir, Zone: time.UTC, Sink: s, Quiet: 10 * time.Millisecond, Ceiling: time.Second,
		Poll: 100 * time.Millisecond, Read: func(ctx context.Context) (snapshot.Snapshot, error) {
			reads.Add(1)
			return door{userdata: h.dir}.read(ctx)
		},
	})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	must(t, i.Run(ctx))
	if n := reads.Load(); n < 1 || n > 3 {
		t.Errorf("%d readings of a library that nobody changes", n)
	}
}
