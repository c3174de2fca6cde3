package replay

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// backOff lists the longest wait before each retry.
var backOff = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}

func TestEntryBacksOffToFiveMinutes(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(retryLater)
		b.watch(1)
		b.advance(1112 * time.Second)
		if got := gaps(b.script.sentAt()); !slices.Equal(got, seconds(backOff...)) {
			b.Errorf("tries are %v apart", got)
		}
		b.expectState(1, viewing.StatePending, 12)
		b.script.recover()
		b.advance(301 * time.Second)
		b.expectState(1, viewing.StateDelivered, 13)
	})
}

func TestOfflineServiceIsProbedWithoutCountingAttempts(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.goOffline()
		b.watch(1)
		b.advance(1112 * time.Second)
		if got := gaps(append(b.script.sentAt(), b.script.probedAt()...)); !slices.Equal(got, seconds(backOff...)) {
			b.Errorf("probes are %v apart", got)
		}
		if h := b.loop.Health(); h.State != account.Offline || h.Reason.Code != "unreachable" || h.NextTry.IsZero() {
			b.Errorf("health %+v", h)
		}
		b.expectState(1, viewing.StatePending, 0)
		b.script.recover()
		b.advance(301 * time.Second)
		b.expectState(1, viewing.StateDelivered, 1)
		b.expectHealth(account.OK)
	})
}

// A user's action, or a new entry during an outage, causes a retry at once.
func TestOutageEndsWithAUserActionOrNewEntry(t *testing.T) {
	offline, refused := (*script).goOffline, func(s *script) { s.answerAll(refused) }
	wake, use := func(b *fixture) { b.loop.Wake() }, func(b *fixture) { b.loop.SetService(b.client) }
	for name, c := range map[string]struct {
		trouble func(*script)
		act     func(*fixture)
	}{
		"offline, woken":       {offline, wake},
		"offline, new entry":   {offline, func(b *fixture) { b.watch(2) }},
		"offline, a new key":   {offline, use},
		"a refused key, again": {refused, wake},
		"a refused key, new":   {refused, use},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				c.trouble(b.script)
				b.watch(1)
				b.advance(31 * time.Minute)
				_, before := b.script.requestCounts()
				b.script.recover()
				c.act(b)
				synctest.Wait()
				if _, n := b.script.requestCounts(); n != before+1 || b.counts().Pending != 0 {
					b.Errorf("%d probes, %d entries wait", n-before, b.counts().Pending)
				}
			})
		})
	}
}

// A new entry causes a probe, at most once a second.
func TestNewEntryTriggersAProbe(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.goOffline()
		b.watch(1)
		b.advance(21 * time.Second) // probes after 1, 3, 7, 15 s
		b.watch(2)                  // one at 21 s
		b.watch(3)                  // one at 22 s
		b.advance(45 * time.Second)
		if got := gaps(b.script.probedAt()); !slices.Equal(got, seconds(1, 2, 4, 8, 6, 1)) {
			b.Errorf("probes are %v apart", got)
		}
	})
}

func TestRefusedKeyIsProbedFromFiveMinutesToSixHours(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(refused)
		b.watch(1)
		since := time.Now()
		b.advance(6 * time.Minute)
		b.restart() // the pause is kept
		if h := b.loop.Health(); h.Pause != account.PausedKey || h.Reason.Code != tracker.KeyRefused || since.Sub(h.Since).Abs() > time.Second {
			b.Errorf("health %+v", h)
		}
		b.watch(2) // a new entry causes no probe with a refused key
		b.advance(29 * time.Hour)
		minutes := []int{5, 10, 20, 40, 80, 160, 320, 360, 360, 360}
		var want []time.Duration
		for _, n := range minutes {
			want = append(want, time.Duration(n)*time.Minute)
		}
		if got := gaps(append([]time.Time{since}, b.script.probedAt()...)); !slices.Equal(got, want) {
			b.Errorf("probes after %v", got)
		}
		if n, _ := b.script.requestCounts(); n != 1 {
			b.Errorf("%d sends, want only the one before the pause", n)
		}
		b.script.recover()
		b.advance(6 * time.Hour)
		if row := b.accountRow(); row.Pause.Reason != "" || b.counts().Delivered != 2 {
			b.Errorf("row %+v, %+v", row, b.counts())
		}
	})
}

func TestRetryAfterDelaysTheWholeAccount(t *testing.T) {
	for asked, kept := range map[time.Duration]time.Duration{90 * time.Second: 90 * time.Second, 7 * day: day} {
		t.Run(fmt.Sprint(asked), func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				b.script.answerAll(rateLimited(asked))
				b.watch(1)
				b.script.recover()
				b.watch(2)
				b.loop.Wake() // neither a new entry nor Wake shortens it
				b.advance(kept - time.Second)
				if n, p := b.script.requestCounts(); n != 1 || p != 0 || b.loop.Health().Reason.Code != "wait" || b.loop.Health().State != account.Offline {
					b.Fatalf("%d sends and %d probes during the wait, health %+v", n, p, b.loop.Health())
				}
				b.advance(2 * time.Second)
				if n := b.counts().Delivered; n != 2 {
					b.Errorf("%d delivered after the wait", n)
				}
				b.expectHealth(account.OK)
			})
		})
	}
}

// A failing service gets three entries, then only probes.
func TestFailingServiceGetsThreeEntriesOnly(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(serverError)
		for film := range int64(20) {
			b.commit(filmAgo(film+1, 0))
		}
		b.advance(time.Hour)
		if n := b.counts().InDoubt; n != maxFailedEntries {
			b.Errorf("%d in doubt, want %d", n, maxFailedEntries)
		}
		b.expectHealth(account.Offline)
		b.script.recover()
		b.loop.Wake()
		b.advance(time.Second)
		if n := b.counts().Delivered; n != 20-maxFailedEntries {
			b.Errorf("%d delivered", n)
		}
	})
}

func TestFailingEntryBlocksNoOther(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.set(func() {
			b.script.answer = func(film int64) reply {
				if film == 1 {
					return busy
				}
				return delivered
			}
		})
		b.commit(filmAgo(1, 3*time.Hour), filmAgo(1, time.Minute)) // the second waits for the first
		for film := range int64(10) {
			b.advance(time.Minute)
			b.watch(film + 2)
			b.expectState(film+3, viewing.StateDelivered, 1)
		}
		b.expectState(2, viewing.StatePending, 0)
		if _, p := b.script.requestCounts(); p != 0 {
			b.Errorf("%d probes because of one failing entry", p)
		}
	})
}

func TestIdleLoopSleeps(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.watch(1)
		b.advance(time.Minute)
		before, _ := b.disk.counts()
		b.advance(7 * day)
		if calls, _ := b.disk.counts(); calls != before {
			b.Errorf("%d calls to the queue in an idle week", calls-before)
		}
	})
}

// The configured rates are respected, and live viewings are sent before imported ones.
func TestRateLimits(t *testing.T) {
	type batch struct {
		at    time.Duration
		films []int64 // negative: of an import
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		all, backfill float64
		batches       []batch
		want          string
	}{
		"two a second":          {2, 0, []batch{{0, []int64{1, 2, 3}}}, "1@0s 2@500ms 3@1s"},
		"imports five a second": {0, 5, []batch{{0, []int64{-1, -2, -3}}}, "1@0s 2@200ms 3@400ms"},
		"live passes imports":   {0, 5, []batch{{0, []int64{-1, -2, -3}}, {100 * ms, []int64{4}}}, "1@0s 4@100ms 2@200ms 3@400ms"},
		"live first of the rate": {
			1, 0, []batch{{0, []int64{-1, -2}}, {100 * ms, []int64{4, 5}}}, "1@0s 4@1s 5@2s 2@3s",
		},
		"both limits": {2, 1, []batch{{0, []int64{-1, -2, 3, 4}}}, "3@0s 4@500ms 1@1s 2@2s"},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, func(o *Options) { o.Rate, o.BackfillRate = c.all, c.backfill }, func(b *fixture) {
				begin := time.Now()
				for _, one := range c.batches {
					b.advance(one.at - time.Since(begin))
					var all []viewing.Event
					for _, film := range one.films {
						v := filmAgo(max(film, -film), 0)
						if film < 0 {
							v.Class = viewing.ClassImport
						}
						all = append(all, v)
					}
					b.commit(all...)
				}
				b.advance(time.Hour)
				got := ""
				for _, s := range b.script.sends {
					got += fmt.Sprintf(" %d@%s", s.film, s.at.Sub(begin).Round(10*ms))
				}
				if got != " "+c.want {
					b.Errorf("left%s, want %s", got, c.want)
				}
			})
		})
	}
}
