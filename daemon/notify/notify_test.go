package notify

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// bench is a Run with two ways that remember, over problems that a test sets. It stands in
// a bubble of synctest.
type bench struct {
	lock     sync.Mutex
	stored   map[string][]byte
	full     bool // the disk
	problems []control.Problem
	broken   map[string]error // ways
	tries    int
	sent     []string // way and codes
	log      strings.Builder
	news     chan struct{}
	end      func()
}

func (b *bench) Load(context.Context) (map[string][]byte, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return maps.Clone(b.stored), nil
}

func (b *bench) Save(_ context.Context, name string, record []byte) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.full {
		return errors.New("the disk is full")
	}
	b.stored[name] = record
	return nil
}

// Write implements [io.Writer]: it is the log.
func (b *bench) Write(line []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.log.Write(line)
}

// start runs until end is called.
func (b *bench) start() {
	ctx, cancel := context.WithCancel(context.Background())
	way := func(name string, codes ...string) Way {
		return Way{Name: name, Codes: codes, Send: func(_ context.Context, n Notice) error {
			b.lock.Lock()
			defer b.lock.Unlock()
			b.tries++
			if b.broken[name] == nil {
				b.sent = append(b.sent, name+": "+strings.Join(n.Codes, " "))
			}
			return b.broken[name]
		}}
	}
	var running sync.WaitGroup
	running.Go(func() {
		n := Notifier{
			Ways: []Way{way("few", "a"), way("all")},
			Problems: func(context.Context) ([]control.Problem, error) {
				b.lock.Lock()
				defer b.lock.Unlock()
				return slices.Clone(b.problems), nil
			},
			News: b.news, Keep: b, Logger: slog.New(slog.NewTextHandler(b, nil)),
		}
		n.Run(ctx)
	})
	b.end = func() { cancel(); running.Wait() }
}

// stand has these problems stand, and says so.
func (b *bench) stand(all ...control.Problem) {
	b.lock.Lock()
	b.problems = all
	b.lock.Unlock()
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *bench) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bench) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(b.sent, want) {
		t.Fatalf("at %s the notices were %q, want %q", time.Now(), b.sent, want)
	}
}

func in(t *testing.T, test func(*testing.T, *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{stored: map[string][]byte{}, broken: map[string]error{}, news: make(chan struct{}, 1)}
		b.start()
		defer func() { b.end() }()
		test(t, b)
	})
}

func problem(code string) control.Problem {
	return control.Problem{Code: code, Severity: control.NeedsYou, Text: code + " is wrong.", Act: control.Act{Text: "Mend it."}}
}

// TestABurstIsOneNotice, and each way tells what it tells of, once, also over a restart.
func TestABurstIsOneNotice(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.stand(problem("a"))
		b.pass(3 * time.Second)
		soon, anna := problem("c"), problem("a")
		soon.Severity, anna.About = control.Soon, "anna"
		b.stand(problem("a"), problem("b"), soon)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: a b")
		b.end()
		b.start()
		b.stand(problem("a"), anna, problem("b"), soon)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: a b", "few: a", "all: a")
	})
}

func TestWhatComesByTimeIsFoundWithoutNews(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.pass(time.Minute)
		b.problems = []control.Problem{problem("b")}
		b.pass(lookEvery)
		b.expect(t, "all: b")
	})
}

func TestWhatLastsIsToldAgainAfterAWeek(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.stand(problem("b"))
		b.pass(remindIn - time.Hour)
		b.end()
		b.start()
		b.pass(time.Hour - time.Minute)
		b.expect(t, "all: b")
		b.pass(2 * lookEvery)
		b.expect(t, "all: b", "all: b")
	})
}

func TestWhatComesAndGoesIsToldOnceADay(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for range 10 {
			b.stand(problem("b"))
			b.pass(time.Hour)
			b.stand()
			b.pass(time.Hour)
		}
		b.expect(t, "all: b")
		b.pass(5 * time.Hour)
		b.stand(problem("b"))
		b.pass(time.Minute)
		b.expect(t, "all: b", "all: b")
	})
}

// TestAFailingWayIsTriedAgain, the log says why, and the other way tells nothing twice.
func TestAFailingWayIsTriedAgain(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.broken["few"] = errors.New("nobody is there")
		b.stand(problem("a"))
		b.pass(time.Hour)
		b.expect(t, "all: a")
		if b.tries != 8 {
			t.Errorf("%d tries in an hour", b.tries)
		}
		delete(b.broken, "few")
		b.pass(lookEvery)
		b.expect(t, "all: a", "few: a")
		if n := strings.Count(b.log.String(), "few: nobody is there"); n != 7 {
			t.Errorf("the log says it %d times:\n%s", n, b.log.String())
		}
	})
}

func TestNothingIsToldTwiceWhereTheDiskIsFull(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.full = true
		b.stand(problem("b"))
		b.pass(26 * time.Hour)
		b.full = false
		b.pass(lookEvery)
		b.end()
		b.start()
		b.pass(lookEvery)
		b.expect(t, "all: b")
		if !strings.Contains(b.log.String(), "the disk is full") {
			t.Errorf("the log does not say why: %s", b.log.String())
		}
	})
}

// TestACauseHidesItsEffects from a way that tells the cause.
func TestACauseHidesItsEffects(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		cause, effect := "b", problem("a")
		effect.Cause = &cause
		b.stand(problem("b"), effect)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: b")
	})
}

// TestAClockThatWasAheadIsForgiven: a machine without a battery may begin in the future.
func TestAClockThatWasAheadIsForgiven(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		ahead, err := json.Marshal(map[string]time.Time{"all b ": time.Now().AddDate(20, 0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		b.stored[record] = ahead
		b.stand(problem("b"))
		b.pass(time.Hour)
		b.expect(t)
		b.pass(remindIn)
		b.expect(t, "all: b")
	})
}
