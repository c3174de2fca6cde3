//go:build long && linux

package queue

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// BenchmarkBurst is 40,000 viewings of one source from 64 callers: all of one minute, and
// the same number spread over years. They cost about as much.
func BenchmarkBurst(b *testing.B) {
	const all, callers = 40_000, 64
	for name, apart := range map[string]time.Duration{"one minute": time.Millisecond, "years": time.Hour} {
		b.Run(name, func(b *testing.B) {
			var events int
			var spent, busy time.Duration
			for b.Loop() {
				s := fresh(b).by(rules.Settings{Wave: 5})
				begun, before := time.Now(), processTime(b)
				var done sync.WaitGroup
				for caller := range callers {
					done.Go(func() {
						for n := caller; n < all; n += callers {
							v := film(fmt.Sprint("e", n), int64(n+1), -60)
							v.WatchedAt = viewing.At(noon().Add(-time.Minute - time.Duration(n)*apart))
							if _, err := s.Commit(b.Context(), viewing.Batch{Source: chrome, Events: []viewing.Event{v}}); err != nil {
								b.Error(err)
							}
						}
					})
				}
				done.Wait()
				events, spent, busy = events+all, spent+time.Since(begun), busy+processTime(b)-before
				s.stop()
			}
			b.ReportMetric(float64(events)/spent.Seconds(), "acks/s")
			b.ReportMetric(float64(busy.Microseconds())/float64(events), "cpu-µs/event")
		})
	}
}
