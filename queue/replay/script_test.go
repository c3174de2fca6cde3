package replay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// script is a service that answers as the test says.
type script struct {
	mu     sync.Mutex
	answer func(film int64) tracker.Verdict // nil delivers
	probed tracker.Verdict                  // the zero value is a good answer
	delay  time.Duration                    // of every answer
	proven bool
	sends  []sent
	probes []time.Time
	busy   int // requests under way
	most   int // the most there ever were
}

// sent is one request as it came.
type sent struct {
	at  time.Time
	req tracker.Request
}

func (s *script) Send(ctx context.Context, r tracker.Request) tracker.Verdict {
	s.mu.Lock()
	s.sends = append(s.sends, sent{time.Now(), r})
	s.busy++
	s.most = max(s.most, s.busy)
	answer, delay := s.answer, s.delay
	s.mu.Unlock()
	verdict := tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Problem: viewing.Say("noAnswer")}
	if sleep(ctx.Done(), delay) {
		verdict = delivered
		if answer != nil {
			verdict = answer(r.Media.IDs.TMDB)
		}
	}
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	return verdict
}

func (s *script) Probe(ctx context.Context) tracker.Verdict {
	s.mu.Lock()
	s.probes = append(s.probes, time.Now())
	verdict, delay := s.probed, s.delay
	s.mu.Unlock()
	if verdict.Fate == "" {
		verdict.Fate = tracker.Delivered
	}
	if !sleep(ctx.Done(), delay) {
		return tracker.Verdict{Fate: tracker.Offline}
	}
	return verdict
}

func (s *script) Proven() bool { return s.proven }

// errNone is the answer of an endpoint that is not there.
var errNone = &tracker.ReadError{Verdict: tracker.Verdict{Fate: tracker.Rejected, Sent: true, Status: 404, Problem: viewing.Say("answer.noEndpoint")}}

func (s *script) Me(context.Context) (tracker.User, error) { return tracker.User{}, errNone }

func (s *script) AllHistory(context.Context, viewing.MediaType) (tracker.Reading, error) {
	return tracker.Reading{}, errNone
}

func (s *script) Lists(context.Context) ([]tracker.RemoteList, bool, error) {
	return nil, false, errNone
}

func (s *script) ResolveBatch(context.Context, []tracker.Wanted) (map[int]tracker.Match, error) {
	return nil, errNone
}

func (s *script) Resolve(context.Context, tracker.Wanted) (tracker.Match, error) {
	return tracker.Match{}, errNone
}

// set changes the script while the loop runs.
func (s *script) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// always has it answer every entry and every probe like that.
func (s *script) always(v tracker.Verdict) {
	s.set(func() { s.answer, s.probed = func(int64) tracker.Verdict { return v }, v })
}

// well has it take everything.
func (s *script) well() { s.set(func() { s.answer, s.probed = nil, tracker.Verdict{} }) }

// seen is how many entries and probes came so far.
func (s *script) seen() (sends, probes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sends), len(s.probes)
}

// sentAt is when entries came.
func (s *script) sentAt() (all []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sends {
		all = append(all, one.at)
	}
	return all
}

func (s *script) probedAt() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.probes)
}

// The answers that the tests use most.
var (
	delivered = tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
	offline   = tracker.Verdict{Fate: tracker.Offline, Problem: viewing.Say("unreachable")}
	refused   = tracker.Verdict{Fate: tracker.Refused, Sent: true, Status: 401, Problem: viewing.Say("keyRefused"), Hint: viewing.Say("hint.command")}
	early     = tracker.Verdict{Fate: tracker.Later, Sent: true, Status: 425, Problem: viewing.Say("later")}
	broken    = tracker.Verdict{Fate: tracker.InDoubt, Sent: true, Status: 500, Problem: viewing.Say("life.doubt.recorded")}
)

var errDisk = errors.New("no space left on device")

// flaky is a disk that at times cannot be written or read.
type flaky struct {
	mu    sync.Mutex
	fails map[Step]bool
	slow  time.Duration // while an entry is marked as sending
	calls int
	hits  int
}

// fail has these steps fail from now on; none ends that.
func (f *flaky) fail(steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.fails)
	for _, s := range steps {
		f.fails[s] = true
	}
}

// markSlowly has it take so long to mark an entry as sending.
func (f *flaky) markSlowly(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow = d
}

func (f *flaky) step(s Step) error {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	if s == StepMark {
		time.Sleep(slow)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.fails[s] {
		f.hits++
		return errDisk
	}
	return nil
}

// used is how many steps came, and how many of them failed.
func (f *flaky) used() (calls, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.hits
}
