package replay

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// recordByOtherDevice records a film at the service without the queue.
func (b *fixture) recordByOtherDevice(film int64, at time.Time) {
	b.Helper()
	r := tracker.Request{Kind: viewing.KindViewing, Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}, WatchedAt: viewing.At(at)}
	if v := b.client.Send(b.Context(), r); v.Outcome != tracker.Delivered {
		b.Fatalf("%+v", v)
	}
}

// catchUpViewing returns a viewing that a library reports d after its end.
func catchUpViewing(film int64, d time.Duration) viewing.Event {
	v := filmAgo(film, d)
	v.Class = viewing.ClassCatchUp
	return v
}

// Package playback tests in detail which records are of the same playback.
func TestCatchUpIsMergedWithARecordOfTheSamePlayback(t *testing.T) {
	for name, c := range map[string]struct {
		apart   time.Duration
		want    viewing.State
		says    string
		records int
	}{
		"the same playback": {18 * time.Minute, viewing.StateMerged, "life.servicesOwn at=1999-12-30T18:00:37Z", 1},
		"another playback":  {21 * time.Minute, viewing.StateDelivered, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.recordByOtherDevice(1, time.Now().Add(-30*time.Hour))
				b.commit(catchUpViewing(1, 30*time.Hour+c.apart))
				b.advance(time.Minute)
				b.expectEnd(1, c.want, c.says)
				if n := b.recordsByFilm()[1]; n != c.records {
					b.Errorf("%d records, want %d", n, c.records)
				}
			})
		})
	}
}

// When the history is read again, the record of the first play is not taken for the second.
func TestSecondPlayOfAnEventIsNotMergedWithTheFirst(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.stop()
		v := catchUpViewing(1, 30*time.Hour)
		v.Count = 2
		b.commit(v)
		second := entry.Selection{IDs: []int64{2}}
		if _, err := b.store.Operate(b.Context(), entry.Order{Verb: entry.VerbHold, Selection: second}); err != nil {
			b.Fatal(err)
		}
		b.start()
		b.advance(time.Hour)
		b.expectEnd(1, viewing.StateDelivered, "")
		if _, err := b.store.Operate(b.Context(), entry.Order{Verb: entry.VerbRelease, Selection: second}); err != nil {
			b.Fatal(err)
		}
		b.advance(time.Hour)
		b.expectEnd(2, viewing.StateDelivered, "")
		if n := b.recordsByFilm()[1]; n != 2 || b.requestCount("GET /history") != 2 {
			b.Errorf("%d records after %d readings, want 2 after 2", n, b.requestCount("GET /history"))
		}
	})
}

func TestHistoryIsReadOnceForManyEntries(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		for film := range int64(30) {
			if film%2 == 0 {
				b.recordByOtherDevice(film+1, time.Now().Add(-30*time.Hour))
			}
		}
		for film := range int64(30) {
			b.commit(catchUpViewing(film+1, 30*time.Hour))
		}
		b.advance(30 * time.Second)
		if c := b.counts(); c.Merged != 15 || c.Delivered != 15 {
			b.Errorf("counts %+v", c)
		}
		if n := b.requestCount("GET /history"); n != 1 {
			b.Errorf("the history was read %d times", n)
		}
	})
}

func TestCatchUpIsSentWithoutAReadableHistory(t *testing.T) {
	for name, contractOnly := range map[string]bool{"no history": true, "a history that does not work": false} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, contractOnly, nil, func(b *fixture) {
				if !contractOnly {
					b.armFault("GET /history", "status:500", 100)
				}
				b.commit(catchUpViewing(1, 30*time.Hour), catchUpViewing(2, 31*time.Hour))
				b.advance(time.Minute)
				if c := b.counts(); c.Delivered != 2 || b.requestCount("GET /history") != 1 {
					b.Errorf("counts %+v, asked %d times", c, b.requestCount("GET /history"))
				}
			})
		})
	}
}

// While the service is not reached, the entry waits.
func TestCatchUpWaitsWhileOffline(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.recordByOtherDevice(1, time.Now().Add(-30*time.Hour))
		b.armFault("GET /history", "drop-before", 2)
		b.armFault("GET /me", "drop-before", 6)
		b.commit(catchUpViewing(1, 30*time.Hour))
		b.advance(time.Hour)
		b.expectEnd(1, viewing.StateMerged, "life.servicesOwn")
		if n := b.recordsByFilm()[1]; n != 1 {
			b.Errorf("%d records", n)
		}
	})
}
