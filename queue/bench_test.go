package queue

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/queue/viewing"
)

// floor is what the disk can do: the median time of overwriting 4 KiB of a
// file that has its full size, and flushing it.
type floor struct {
	file *os.File
	took []time.Duration
}

func newFloor(b *testing.B, dir string) *floor {
	b.Helper()
	file, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	if _, err := file.Write(make([]byte, 256*4096)); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
	return &floor{file: file}
}

// measure overwrites and flushes once.
func (f *floor) measure(b *testing.B) {
	page := make([]byte, 4096)
	at := int64(len(f.took)%256) * 4096
	begun := time.Now()
	if _, err := f.file.WriteAt(page, at); err != nil {
		b.Fatal(err)
	}
	if err := unix.Fdatasync(int(f.file.Fd())); err != nil {
		b.Fatal(err)
	}
	f.took = append(f.took, time.Since(begun))
}

func median(took []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[len(sorted)/2]
}

// report reports the median and its ratio to the floor.
func (f *floor) report(b *testing.B, took []time.Duration) {
	p50, least := median(took), median(f.took)
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	b.ReportMetric(float64(least.Microseconds()), "floor-p50-µs")
	b.ReportMetric(float64(p50)/float64(least), "×floor")
}

// ready opens a store whose log has grown already.
func ready(b *testing.B) *opened {
	b.Helper()
	s := fresh(b)
	if err := s.write(b.Context(), func(*tx) error { return nil }); err != nil {
		b.Fatal(err)
	}
	// The log is grown by the writer when its timer fires; a batch of that size
	// does the same without waiting for it.
	for i := range 3 {
		s.fill(b, fmt.Sprintf("warm%d", i), 500)
	}
	return s
}

// fill commits n viewings of different films in one batch.
func (o *opened) fill(b testing.TB, name string, n int) {
	b.Helper()
	var batch []viewing.Viewing
	for i := range n {
		batch = append(batch, film(fmt.Sprintf("%s-%d", name, i), int64(1_000_000+i), -i))
	}
	o.commit(b, batch...)
}

// BenchmarkAdd is one durable viewing at a time, from one caller.
func BenchmarkAdd(b *testing.B) {
	s := ready(b)
	disk := newFloor(b, filepath.Dir(s.path))
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		disk.measure(b)
		batch := viewing.Batch{Source: "browser:b1", Viewings: []viewing.Viewing{film(fmt.Sprint("one-", i), int64(i+1), i%1000)}}
		begun := time.Now()
		if _, err := s.Commit(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	disk.report(b, took)
}

// BenchmarkAdd64 is durable viewings from 64 callers at once.
func BenchmarkAdd64(b *testing.B) {
	const callers = 64
	s := ready(b)
	disk := newFloor(b, filepath.Dir(s.path))
	var mu sync.Mutex
	var took []time.Duration
	round := 0
	begun := time.Now()
	var spent time.Duration
	for b.Loop() {
		disk.measure(b)
		began := time.Now()
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				for i := range 20 {
					v := film(fmt.Sprint(round, "-", caller, "-", i), int64(caller*1000+i+1), i)
					t := time.Now()
					if _, err := s.Commit(context.Background(), viewing.Batch{Source: "browser:b1", Viewings: []viewing.Viewing{v}}); err != nil {
						b.Error(err)
						return
					}
					mu.Lock()
					took = append(took, time.Since(t))
					mu.Unlock()
				}
			})
		}
		all.Wait()
		spent += time.Since(began)
		round++
	}
	_ = begun
	disk.report(b, took)
	b.ReportMetric(float64(len(took))/spent.Seconds(), "acks/s")
}
