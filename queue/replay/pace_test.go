package replay

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// addBatch commits viewings at once; a negative film is one that an import brought.
func (m *memory) addBatch(films ...int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, film := range films {
		e := m.make(max(film, -film))
		if film < 0 {
			e.Lane = viewing.LaneBackfill
		}
	}
	m.nudge()
}

// leaving is a film and when its request left, counted from a beginning.
type leaving struct {
	film  int64
	after time.Duration
}

// left are the requests since begin, in order.
func (s *remote) left(begin time.Time) (all []leaving) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sent := range s.sends {
		if !sent.at.Before(begin) {
			all = append(all, leaving{sent.req.Media.IDs.TMDB, sent.at.Sub(begin)})
		}
	}
	return all
}

// rates are the options of a user who limits the pace.
func rates(all, backfill float64) func(*Options) {
	return func(o *Options) { o.Rate, o.BackfillRate = all, backfill }
}

const ms = time.Millisecond

func TestPace(t *testing.T) {
	type batch struct {
		at    time.Duration
		films []int64 // negative: of an import
	}
	for _, c := range []struct {
		name          string
		all, backfill float64
		batches       []batch
		want          []leaving
	}{
		{"two a second", 2, 0, []batch{{0, []int64{1, 2, 3}}}, []leaving{{1, 0}, {2, 500 * ms}, {3, 1000 * ms}}},
		{"one in two seconds", 0.5, 0, []batch{{0, []int64{1, 2}}}, []leaving{{1, 0}, {2, 2000 * ms}}},
		{"imports five a second", 0, 5, []batch{{0, []int64{-1, -2, -3}}}, []leaving{{1, 0}, {2, 200 * ms}, {3, 400 * ms}}},
		{
			"live passes imports", 0, 5,
			[]batch{{0, []int64{-1, -2, -3}}, {100 * ms, []int64{4, 5}}},
			[]leaving{{1, 0}, {4, 100 * ms}, {5, 100 * ms}, {2, 200 * ms}, {3, 400 * ms}},
		},
		{
			"live first of the rate", 1, 0,
			[]batch{{0, []int64{-1, -2, -3}}, {100 * ms, []int64{4, 5}}},
			[]leaving{{1, 0}, {4, 1000 * ms}, {5, 2000 * ms}, {2, 3000 * ms}, {3, 4000 * ms}},
		},
		{
			"both limits", 2, 1,
			[]batch{{0, []int64{-1, -2, 3, 4, 5}}},
			[]leaving{{3, 0}, {4, 500 * ms}, {5, 1000 * ms}, {1, 1500 * ms}, {2, 2500 * ms}},
		},
		{"the wider limit", 1, 5, []batch{{0, []int64{-1, -2}}}, []leaving{{1, 0}, {2, 1000 * ms}}},
		{"no limit", 0, 0, []batch{{0, []int64{-1, -2, 3}}}, []leaving{{3, 0}, {1, 0}, {2, 0}}},
		{
			"the elder of a film first", 0, 5,
			[]batch{{0, []int64{-1, -2, 2, 3}}},
			[]leaving{{3, 0}, {1, 0}, {2, 200 * ms}, {2, 200 * ms}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *memory, s *remote) {
				start(t, newLoop(t, m, s, rates(c.all, c.backfill), func(o *Options) { o.MaxInFlight = 1 }))
				for round := range 2 { // an hour without work earns nothing
					begin := time.Now()
					for _, b := range c.batches {
						time.Sleep(b.at - time.Since(begin))
						m.addBatch(b.films...)
						synctest.Wait()
					}
					time.Sleep(time.Hour)
					if got := s.left(begin); !slices.Equal(got, c.want) {
						t.Errorf("round %d: left %v, want %v", round, got, c.want)
					}
				}
			})
		})
	}
}

// TestPaceNeverRuns holds odd rates for a while: never too fast, hardly too
// slow, and the loop does not spin while it waits.
func TestPaceNeverRuns(t *testing.T) {
	for _, perSecond := range []float64{0.3, 3, 7, 11, 999} {
		bubble(t, func(t *testing.T, m *memory, s *remote) {
			start(t, newLoop(t, m, s, rates(0, perSecond)))
			begin := time.Now()
			for film := range int64(100) {
				m.addBatch(-film - 1)
			}
			time.Sleep(time.Hour)
			gap := time.Duration(math.Floor(float64(time.Second) / perSecond))
			got := s.left(begin)
			if len(got) != 100 {
				t.Fatalf("%g a second: %d left", perSecond, len(got))
			}
			for i := 1; i < len(got); i++ {
				if d := got[i].after - got[i-1].after; d < gap-1 || d > gap+2 {
					t.Errorf("%g a second: %s between two, want %s", perSecond, d, gap)
				}
			}
			m.set(func(m *memory) {
				if m.leasing > 12*100 {
					t.Errorf("%g a second: %d leases for 100 entries", perSecond, m.leasing)
				}
			})
		})
	}
}

// TestPaceHoldsThroughTrouble: what is tried again counts like the rest.
func TestPaceHoldsThroughTrouble(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		s.answer = always(early())
		start(t, newLoop(t, m, s, rates(1, 0)))
		begin := time.Now()
		m.addBatch(1, 2, 3)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		got := s.left(begin)
		for i := 1; i < len(got); i++ {
			if got[i].after-got[i-1].after < time.Second {
				t.Errorf("left %v", got)
			}
		}
		if len(got) < 8 {
			t.Errorf("only %d left in ten seconds", len(got))
		}
	})
}

func TestRatesAreChecked(t *testing.T) {
	for _, r := range [][2]float64{{-1, 0}, {0, -1}, {math.NaN(), 0}, {0, math.NaN()}} {
		o := Options{Account: "default", Outbox: newMemory(), InstallationID: "i", Rate: r[0], BackfillRate: r[1]}
		if _, err := New(o); err == nil {
			t.Errorf("rates %v are taken", r)
		}
	}
}

// TestGraceIsKeptToTheEnd: neither new work nor a nudge lets an entry leave
// before its time, so that it can be dropped until then.
func TestGraceIsKeptToTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		l := newLoop(t, m, s)
		start(t, l)
		m.set(func(m *memory) {
			for film := range int64(2) {
				m.make(film + 1).NextAt = time.Now().Add(10 * time.Minute)
			}
			m.nudge()
		})
		time.Sleep(5 * time.Minute)
		l.Wake()
		m.add(3)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 {
			t.Fatalf("%d left, want only what came without a grace", n)
		}
		m.set(func(m *memory) { m.rows[1].State = viewing.StateDropped; m.nudge() })
		exactly(t, 5*time.Minute, "send", sends(s))
		time.Sleep(time.Hour)
		if n, _ := s.seen(); n != 2 || l.Health().State != account.OK {
			t.Errorf("%d left, health %+v", n, l.Health())
		}
	})
}
