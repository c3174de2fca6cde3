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

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
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
	speech   locale.Speech
	end      func()
}

func newBench(t testing.TB) *bench {
	b := &bench{
		keep: memory{turn: new(sync.Mutex), records: map[string][]byte{}}, problems: map[string]control.Problem{}, news: make(chan struct{}, 1), speech: locale.In("en"),
	}
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
			News: b.news, Keep: &b.keep, Speech: b.speech,
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
