package notify

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
)

// memory is a [Keep] that can fail.
type memory struct {
	turn    *sync.Mutex // of the bench
	records map[string][]byte
	full    bool
}

func (m *memory) Load(context.Context) (map[string][]byte, error) {
	m.turn.Lock()
	defer m.turn.Unlock()
	return maps.Clone(m.records), nil
}

func (m *memory) Save(_ context.Context, name string, record []byte) error {
	m.turn.Lock()
	defer m.turn.Unlock()
	if m.full {
		return errors.New("the disk is full")
	}
	m.records[name] = record
	return nil
}

// sent is one notice, and when it came.
type sent struct {
	at time.Time
	Notice
}

// bench is a Run with a way that remembers, over problems that a test sets. It stands
// in a bubble of synctest.
type bench struct {
	turn     sync.Mutex // the test's, but for while time passes
	keep     memory
	problems map[string]control.Problem
	broken   bool
	tries    int
	sent     []sent
	log      strings.Builder
	news     chan struct{}
	quiet    config.Hours
	speech   words.Speech
	end      func()
}

func newBench(t testing.TB, quiet string) *bench {
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		keep: memory{turn: new(sync.Mutex), records: map[string][]byte{}}, problems: map[string]control.Problem{}, news: make(chan struct{}, 1), speech: catalogue.In("en"),
	}
	_ = b.quiet.UnmarshalText([]byte(quiet)) // what is wrong shows itself
	return b
}

// set has a problem stand, or be over, and says so.
func (b *bench) set(stands bool, p control.Problem) {
	delete(b.problems, key(p))
	if stands {
		b.problems[key(p)] = p
	}
	b.nudge()
}

func (b *bench) nudge() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// start runs until end is called.
func (b *bench) start() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		Run(ctx, Options{
			Ways: []Way{{Name: "test", Tells: AtLeast(control.Soon), Send: b.take}},
			Problems: func(context.Context) ([]control.Problem, error) {
				b.turn.Lock()
				defer b.turn.Unlock()
				return slices.SortedFunc(maps.Values(b.problems), func(p, q control.Problem) int { return strings.Compare(key(p), key(q)) }), nil
			},
			News: b.news, Quiet: b.quiet.Left, Keep: &b.keep, Speech: b.speech,
			Logger: slog.New(slog.NewTextHandler(b, nil)),
		})
	})
	b.end = func() { cancel(); running.Wait() }
}

func (b *bench) take(_ context.Context, n Notice) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.tries++
	if b.broken {
		return errors.New("nobody is there")
	}
	b.sent = append(b.sent, sent{time.Now(), n})
	return nil
}

// Write implements [io.Writer]: it is the log.
func (b *bench) Write(line []byte) (int, error) {
	b.turn.Lock()
	defer b.turn.Unlock()
	return b.log.Write(line)
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	b.turn.Lock()
	wake := time.Now().Add(d) // what the test did is done
	b.turn.Unlock()
	time.Sleep(time.Until(wake))
	synctest.Wait()
}

func problem(code string) control.Problem {
	return control.Problem{Code: code, Severity: control.NeedsYou, Text: code + " is wrong.", Act: control.Act{Text: "Mend it."}}
}

// fact is what a model knows of one problem.
type fact struct {
	stands  bool
	since   time.Time     // when it came or went
	away    time.Duration // the longest that it was over since it was told last; for good while it was never told
	lastly  time.Time     // told
	counted int           // notices of it that were judged
}

// TestMachine holds the promises over any life: a problem is told once, never in quiet
// hours, never when it is over, and not lost while it lasts and the way works.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var failure any // rapid has to see it outside of the bubble
		synctest.Test(t, func(*testing.T) {
			defer func() { failure = recover() }()
			live(t, r)
		})
		if failure != nil {
			panic(failure)
		}
	})
}

// live is one life.
func live(t *testing.T, r *rapid.T) {
	b := newBench(t, "22:00-08:00")
	b.start()
	defer func() { b.end() }()
	facts := map[string]*fact{"a": {}, "b": {}, "c": {}}
	works := time.Now() // since when the way does
	r.Repeat(map[string]func(*rapid.T){
		"flip": func(r *rapid.T) {
			code := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "code")
			f := facts[code]
			if f.stands = !f.stands; f.stands {
				f.away = max(f.away, time.Since(f.since))
			}
			f.since = time.Now()
			b.set(f.stands, problem(code))
			b.pass(30 * time.Second)
		},
		"break": func(*rapid.T) { b.broken, works = !b.broken, time.Now() },
		"restart": func(*rapid.T) {
			b.end()
			b.start()
		},
		"wait": func(r *rapid.T) {
			b.pass(rapid.SampledFrom([]time.Duration{time.Minute, 20 * time.Minute, 2 * time.Hour, 13 * time.Hour}).Draw(r, "time"))
		},
		"": func(*rapid.T) {
			for code, f := range facts {
				b.judge(r, code, f, works)
			}
		},
	})
}

// judge holds the promises for one problem against what was sent.
func (b *bench) judge(r *rapid.T, code string, f *fact, works time.Time) {
	n := 0
	for _, s := range b.sent {
		if !slices.Contains(s.Codes, code) {
			continue
		}
		if n++; n <= f.counted {
			continue
		}
		f.counted = n
		if hour := s.at.Hour(); hour >= 22 || hour < 8 {
			r.Fatalf("%s was told at %s", code, s.at)
		}
		if !f.stands || s.at.Before(f.since) {
			r.Fatalf("%s was told at %s, and is over", code, s.at)
		}
		if !f.lastly.IsZero() && s.at.Sub(f.lastly) < remindsIn && f.away < overFor-time.Minute {
			r.Fatalf("%s was told at %s, and again at %s", code, f.lastly, s.at)
		}
		f.lastly, f.away = s.at, 0
	}
	// It may take the back-off and a night.
	late := lastTry + lookEvery + 10*time.Hour + 2*time.Minute
	if !f.stands || b.broken || time.Since(f.since) < late || time.Since(works) < late {
		return
	}
	if anew := f.away > overFor+lookEvery; f.lastly.IsZero() || anew || time.Since(f.lastly) > remindsIn+late {
		r.Fatalf("%s stands since %s and was not told since %s", code, f.since, f.lastly)
	}
}
