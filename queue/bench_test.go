//go:build long && linux

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

// diskBaseline measures the disk in the same run as the benchmark: overwriting 4 KiB of a file of
// fixed size, with an fsync.
type diskBaseline struct {
	file *os.File
	took []time.Duration
}

func newDiskBaseline(b *testing.B, dir string) *diskBaseline {
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
	return &diskBaseline{file: file}
}

// measure overwrites and syncs once.
func (f *diskBaseline) measure(b *testing.B) {
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

// report reports the median and its ratio to the baseline.
func (f *diskBaseline) report(b *testing.B, took []time.Duration) {
	p50, least := median(took), median(f.took)
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	b.ReportMetric(float64(least.Microseconds()), "floor-µs")
	b.ReportMetric(float64(p50)/float64(least), "×floor")
}

// add commits one viewing and returns how long that took.
func (o *opened) add(b *testing.B, name string, item int) time.Duration {
	batch := viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film(name, int64(item), -item%1000)}}
	begun := time.Now()
	if _, err := o.Commit(context.Background(), batch); err != nil {
		b.Error(err)
	}
	return time.Since(begun)
}

// BenchmarkAdd commits viewings one at a time.
func BenchmarkAdd(b *testing.B) {
	s := openNew(b)
	disk := newDiskBaseline(b, filepath.Dir(s.path))
	var took []time.Duration
	for i := 1; b.Loop(); i++ {
		disk.measure(b)
		took = append(took, s.add(b, fmt.Sprint("one-", i), i))
	}
	disk.report(b, took)
}

// BenchmarkAdd64 commits 20 viewings from each of 64 goroutines.
func BenchmarkAdd64(b *testing.B) {
	const callers, each = 64, 20
	s := openNew(b)
	disk := newDiskBaseline(b, filepath.Dir(s.path))
	var mu sync.Mutex
	var took []time.Duration
	var spent time.Duration
	busy := processTime(b)
	for round := 0; b.Loop(); round++ {
		disk.measure(b)
		begun := time.Now()
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				for i := range each {
					one := s.add(b, fmt.Sprint(round, "-", caller, "-", i), caller*each+i+1)
					mu.Lock()
					took = append(took, one)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		spent += time.Since(begun)
	}
	disk.report(b, took)
	b.ReportMetric(float64(len(took))/spent.Seconds(), "acks/s")
	b.ReportMetric(float64((processTime(b)-busy).Microseconds())/float64(len(took)), "cpu-µs/ack")
}

// processTime returns the CPU time of this process.
func processTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
