// Package watch turns changes of files in one folder ([Run]) into "something
// settled here".
//
// It owns the way from the operating system's events to one call. It listens to
// the folder and waits until the writer has been quiet for a moment. It does not
// wait for ever when the writer never is. A slow poll of names, times and
// sizes stands behind the events, because network drives send none, queues
// overflow and limits run out. The folder may appear later, vanish and be
// replaced.
//
// It promises one call at the start, at least one after every change that can be
// seen, and never two calls at once. While nothing happens it wakes for the poll
// alone: once a minute, for all folders at the same moment. It tells when changes
// are found by the poll alone ([Ears]). That is so where a limit is reached, on
// drives of other machines, and where no event told of a change. For that it
// writes no file of its own.
//
// It refuses to say what changed: an event is only a hint, and the caller
// looks for itself. It knows nothing of what the files hold.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The pace when [Options] names none. One commit of a library takes up to
// 15 ms and a first scan writes for a second or more (seen with Kodi 20).
const (
	DefaultQuiet   = 500 * time.Millisecond
	DefaultCeiling = 5 * time.Second
	DefaultPoll    = time.Minute
)

// Options says what to watch and at what pace.
type Options struct {
	// Dir is the folder; it need not exist yet.
	Dir string
	// Match picks the names in it that matter; nil means all.
	Match func(name string) bool
	// Quiet is how long the files must rest before a change has settled.
	Quiet time.Duration
	// Ceiling is how long a change may go on before it counts as settled.
	Ceiling time.Duration
	// Poll is the time between two looks at names, times and sizes.
	Poll time.Duration
	// Unchanged, if set, is called after a poll that found the folder readable
	// and as it was before the last call of settled.
	Unchanged func()
	// Ears, if set, is told how changes are heard of when that has changed; at
	// the start events are taken to come.
	Ears func(Ears)
	// Logger takes the few lines worth a person's time; nil drops them.
	Logger *slog.Logger
}

// Run watches until ctx ends, which is no error. It calls settled on its own
// goroutine: once at the start, then after each change that has settled.
func Run(ctx context.Context, o Options, settled func(context.Context)) error {
	if o.Dir == "" || settled == nil {
		return errors.New("watch folder: a folder and a function to call are needed")
	}
	l := newLoop(o, settled)
	defer l.close()
	l.aim()
	l.settle(ctx)
	return l.run(ctx)
}

// loop is the state of one Run; only its goroutine touches it.
type loop struct {
	o       Options
	settled func(context.Context)
	pace    *pacer
	stamp   string // what the poll compares with; taken before settled looks

	open   func(dir string) (*fsnotify.Watcher, error)
	eyes   *fsnotify.Watcher // nil while only the poll works
	target string            // the folder that is listened to: Dir or the nearest parent there is
	info   fs.FileInfo       // of target, to see it replaced
	blind  string            // the reason last logged for having no eyes

	far   func(dir string) string // why changes of others send no event, or ""
	heard bool                    // an event came since the last call of settled
	found bool                    // the poll found the change that waits, and no event has come yet
	quiet int                     // changes in a row that no event told of
	told  Ears
	woken int // how often the loop has gone round
}

func newLoop(o Options, settled func(context.Context)) *loop {
	o.Dir = filepath.Clean(o.Dir)
	o.Quiet = orDefault(o.Quiet, DefaultQuiet)
	o.Ceiling = orDefault(o.Ceiling, DefaultCeiling)
	o.Poll = orDefault(o.Poll, DefaultPoll)
	if o.Match == nil {
		o.Match = func(string) bool { return true }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &loop{o: o, settled: settled, pace: newPacer(o.Quiet, o.Ceiling), open: listen, far: far}
}

func orDefault(d, standard time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return standard
}

func (l *loop) run(ctx context.Context) error {
	poll := time.NewTimer(untilNext(l.o.Poll))
	defer poll.Stop()
	defer l.pace.stop()
	for ; ; l.woken++ {
		events, faults := l.channels()
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-events:
			l.event(e, ok)
		case err, ok := <-faults:
			l.fault(err, ok)
		case <-poll.C:
			l.poll()
			poll.Reset(untilNext(l.o.Poll))
		case <-l.pace.C():
			l.pace.fire()
		}
		if l.pace.due() {
			l.settle(ctx)
		}
	}
}

// untilNext is the time to the next multiple of a period by the clock on the
// wall, so that all who wait for it are woken together.
func untilNext(every time.Duration) time.Duration {
	now := time.Now()
	return now.Truncate(every).Add(every).Sub(now.Round(0))
}

// settle takes the stamp before the caller looks: what changes while it does
// is seen by the next poll.
func (l *loop) settle(ctx context.Context) {
	l.pace.reset()
	l.judge()
	l.stamp = l.look()
	if ctx.Err() == nil {
		l.settled(ctx)
	}
}

// channels are nil, and so never ready, while there is no watcher.
func (l *loop) channels() (<-chan fsnotify.Event, <-chan error) {
	if l.eyes == nil {
		return nil, nil
	}
	return l.eyes.Events, l.eyes.Errors
}

// event arms the timer when e concerns us. Changed permissions of a file are
// no change of it.
func (l *loop) event(e fsnotify.Event, ok bool) {
	switch {
	case !ok:
		l.close()
	case e.Op == fsnotify.Chmod:
		l.heard = true // a file's time that was set looks like a change of it, too
	case l.target != l.o.Dir:
		l.parentEvent(e)
	case filepath.Clean(e.Name) == l.o.Dir:
		l.aim() // the folder itself is gone or has another name
		l.pace.hint()
	case l.o.Match(filepath.Base(e.Name)):
		l.heard = true
		l.pace.hint()
	}
}

// parentEvent looks again when the next folder on the way appears, or when
// the watched parent itself goes.
func (l *loop) parentEvent(e fsnotify.Event) {
	name := filepath.Clean(e.Name)
	if name != l.target && !within(l.o.Dir, name) {
		return
	}
	l.aim()
	if l.target == l.o.Dir {
		l.pace.hint()
	}
}

// fault treats lost events, whatever the reason, as a change.
func (l *loop) fault(err error, ok bool) {
	l.heard = true
	if !ok {
		l.close()
		return
	}
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		l.o.Logger.Warn("watching a folder failed, looking afresh", "dir", l.o.Dir, "error", err)
		l.aim()
	}
	l.pace.hint()
}

// poll is the safety net under the events.
func (l *loop) poll() {
	listening := l.aimed()
	if !listening {
		l.aim()
	}
	if l.pace.armed() {
		return
	}
	if l.look() != l.stamp {
		l.found = listening
		l.pace.hint()
		return
	}
	if l.o.Unchanged != nil && l.stamp != unreadable {
		l.o.Unchanged()
	}
}

// aimed reports whether the right folder is being listened to.
func (l *loop) aimed() bool {
	if l.eyes == nil || l.target != l.o.Dir {
		return false
	}
	info, err := os.Stat(l.o.Dir)
	return err == nil && os.SameFile(info, l.info)
}
