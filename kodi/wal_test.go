package kodi

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
)

// Reading a library in WAL mode makes files beside it; that must not look
// like a change and lead to the next reading, for ever.
func TestReadingIsNoChange(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	must(t, h.sim.SwitchToWAL())
	must(t, h.sim.Close())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	counted := &counting{reader: &folder{h.dir, open{}}, first: sync.OnceFunc(func() { time.AfterFunc(1500*time.Millisecond, cancel) })}
	i := newImporter(t, s, counted)
	i.path = h.dir
	i.pace = pace{quiet: 10 * time.Millisecond, ceiling: time.Second, poll: 100 * time.Millisecond}
	must(t, i.Run(ctx))
	if n := counted.reads.Load(); n < 1 || n > 3 {
		t.Errorf("%d readings of a library that nobody changes", n)
	}
}

// counting counts the readings of a library, and tells of the first.
type counting struct {
	reader
	first func()
	reads atomic.Int64
}

func (c *counting) Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error) {
	c.reads.Add(1)
	defer c.first()
	return c.reader.Read(ctx, pick)
}
