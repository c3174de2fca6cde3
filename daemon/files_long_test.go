//go:build long

package daemon

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// BenchmarkImport imports 200,000 rows of Trakt, every tenth without a number, and reports the
// maximum heap size.
func BenchmarkImport(b *testing.B) {
	const rows = 200_000
	content := traktZip(b, rows)
	openOffline(b, testOptions(b), func(c *core) {
		f, err := c.AddFile(b.Context(), "trakt.zip", bytes.NewReader(content))
		if err == nil {
			f.Skipped = map[string]int{} // like after a preview
			err = c.saveFile(f)
		}
		if err != nil {
			b.Fatal(err)
		}
		most, stop := watchHeap()
		begun := time.Now()
		did, err := c.ImportFile(b.Context(), control.FileOrder{ID: f.ID, Wait: true})
		if err != nil || did.New != rows {
			b.Fatal(did, err)
		}
		b.ReportMetric(rows/time.Since(begun).Seconds(), "rows/s")
		stop()
		b.ReportMetric(float64(most.Load()>>20), "MB")
	})
}

// watchHeap measures the maximum heap size.
func watchHeap() (most *atomic.Uint64, stop func()) {
	most = new(atomic.Uint64)
	ended, watching := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watching)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc))
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
	}()
	return most, func() { close(ended); <-watching }
}
