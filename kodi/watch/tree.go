package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// DefaultRest is the time between two looks at a tree whose events are heard.
const DefaultRest = time.Hour

// lazy bounds what polling may cost: one part in twenty of the time.
const lazy = 20

// TreeOptions says what tree to watch and at what pace.
type TreeOptions struct {
	// Root is the topmost folder; it need not exist yet.
	Root string
	// Match picks the names of files that matter; nil means all.
	Match func(name string) bool
	// Quiet and Ceiling are as in [Options].
	Quiet, Ceiling time.Duration
	// Poll is the time between two looks where no events come: on network
	// drives, on systems other than Linux, and where a limit is reached. It
	// grows with the time that a look takes.
	Poll time.Duration
	// Rest is the time between two looks where events do come.
	Rest time.Duration
	// Seen takes what each look of the caller has seen.
	Seen <-chan Seen
	// Unchanged, if set, is called when the first event after a look comes:
	// until then, nothing had changed.
	Unchanged func()
	// Ears is as in [Options].
	Ears func(Ears)
	// Logger takes the few lines worth a person's time; nil drops them.
	Logger *slog.Logger
}

// Seen is what one look at a tree has seen.
type Seen struct {
	Folders []string      // to listen to
	Changed bool          // something differed from the look before
	Took    time.Duration // how long it took
	Again   time.Duration // when to look again though nothing changes; 0 is as usual
}

// RunTree watches the folders of a tree until ctx ends, which is no error. It
// calls settled once at the start, after each change that has settled, and now
// and then. The caller then looks, in its own time, and tells by Seen which
// folders there are: RunTree itself never walks the tree. Events that do not
// come although something changed are not relied on any more.
func RunTree(ctx context.Context, o TreeOptions, settled func(context.Context)) error {
	if o.Root == "" || o.Seen == nil || settled == nil {
		return errors.New("watch tree: a folder, a way to hear of it and a function to call are needed")
	}
	t := newTree(o, settled)
	defer t.close()
	t.settle(ctx)
	return t.run(ctx)
}

// tree is the state of one RunTree; only its goroutine touches it.
type tree struct {
	o       TreeOptions
	settled func(context.Context)
	pace    *pacer
	next    *time.Timer

	open    func() (*fsnotify.Watcher, error)
	deaf    func(dir string) string // why no events come from a folder, or ""
	eyes    *fsnotify.Watcher       // nil while only the poll works
	folders map[string]bool         // that eyes listen to
	blind   string                  // the reason last logged for having no eyes
	since   time.Time               // when eyes were closed
	heard   bool                    // an event came since the last call of settled
	polled  bool                    // that call was for the poll
	took    time.Duration
	again   time.Duration // as was last asked for
	told    Ears
}

func newTree(o TreeOptions, settled func(context.Context)) *tree {
	o.Root = filepath.Clean(o.Root)
	o.Poll = orDefault(o.Poll, DefaultPoll)
	o.Rest = orDefault(o.Rest, DefaultRest)
	if o.Match == nil {
		o.Match = func(string) bool { return true }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	pace := newPacer(orDefault(o.Quiet, DefaultQuiet), orDefault(o.Ceiling, DefaultCeiling))
	next := time.NewTimer(time.Hour)
	next.Stop()
	return &tree{o: o, settled: settled, pace: pace, next: next, open: fsnotify.NewWatcher, deaf: deafness}
}

func (t *tree) run(ctx context.Context) error {
	defer t.pace.stop()
	defer t.next.Stop()
	for {
		var events <-chan fsnotify.Event
		var faults <-chan error
		if t.eyes != nil {
			events, faults = t.eyes.Events, t.eyes.Errors
		}
		select {
		case <-ctx.Done():
			return nil
		case seen := <-t.o.Seen:
			t.adopt(seen)
		case e, ok := <-events:
			t.event(e, ok)
		case err, ok := <-faults:
			t.fault(err, ok)
		case <-t.next.C:
			t.polled = true
			t.settle(ctx)
		case <-t.pace.C():
			t.pace.fire()
		}
		if t.pace.due() {
			t.settle(ctx)
		}
	}
}

func (t *tree) settle(ctx context.Context) {
	t.pace.reset()
	t.heard = false
	t.rest()
	if ctx.Err() == nil {
		t.settled(ctx)
	}
}

// rest sets the time of the next look.
func (t *tree) rest() {
	every := max(t.o.Poll, lazy*t.took)
	if t.eyes != nil {
		every = t.o.Rest
	}
	if t.again > 0 {
		every = min(every, max(t.again, lazy*t.took))
	}
	t.next.Reset(every)
}

// adopt listens to what was seen. What changed between the look and the watch
// has sent no event, so a new folder is looked at once more.
func (t *tree) adopt(seen Seen) {
	polled := t.polled
	t.polled, t.took, t.again = false, seen.Took, seen.Again
	defer t.rest()
	if why := t.deaf(t.o.Root); why != "" {
		t.goBlind(errors.New(why))
		return
	}
	if polled && seen.Changed && !t.hears() {
		t.goBlind(errors.New("a change was found that no event told of"))
		return
	}
	if !t.reopen() {
		return
	}
	if err := t.listen(seen.Folders); err != nil {
		t.goBlind(err)
	}
}

// hears reports whether an event has come since the last look, or is waiting;
// without a watcher none is expected.
func (t *tree) hears() bool {
	if t.eyes == nil || t.heard {
		return true
	}
	select {
	case e, ok := <-t.eyes.Events:
		t.event(e, ok)
		return true
	default:
		return false
	}
}

// reopen makes sure that there is a watcher; after one has failed it waits.
func (t *tree) reopen() bool {
	if t.eyes != nil {
		return true
	}
	if !t.since.IsZero() && time.Since(t.since) < t.o.Rest {
		return false
	}
	eyes, err := t.open()
	if err != nil {
		t.goBlind(fmt.Errorf("open watcher: %w", err))
		return false
	}
	t.eyes, t.folders = eyes, map[string]bool{}
	t.tell(Ears{})
	return true
}

// listen makes the watched folders those that are wanted.
func (t *tree) listen(wanted []string) error {
	want := make(map[string]bool, len(wanted))
	for _, dir := range wanted {
		want[dir] = true
	}
	for dir := range t.folders {
		if !want[dir] {
			t.forget(dir)
		}
	}
	for _, dir := range wanted {
		if t.folders[dir] {
			continue
		}
		err := t.eyes.Add(dir)
		if errors.Is(err, fs.ErrNotExist) {
			if dir != t.o.Root { // it went after the look, and nobody listened to it
				t.pace.hint()
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("watch folder: %w", err)
		}
		t.folders[dir] = true
		t.pace.hint()
	}
	return nil
}

// forget stops listening to a folder.
func (t *tree) forget(dir string) {
	delete(t.folders, dir)
	if err := t.eyes.Remove(dir); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
		t.o.Logger.Debug("ending the watch of a folder failed", "dir", dir, "error", err)
	}
}

// event arms the timer when e concerns us: a file that matters, or a folder
// that comes or goes.
func (t *tree) event(e fsnotify.Event, ok bool) {
	switch gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename); {
	case !ok:
		t.close()
		t.hint()
	case e.Op == fsnotify.Chmod:
	case gone && t.folders[e.Name]:
		for dir := range t.folders { // a watch would follow a folder that moved
			if dir == e.Name || strings.HasPrefix(dir, e.Name+string(filepath.Separator)) {
				t.forget(dir)
			}
		}
		t.hint()
	case t.o.Match(filepath.Base(e.Name)) || e.Has(fsnotify.Create) && isFolder(e.Name):
		t.hint()
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func (t *tree) hint() {
	if !t.heard && !t.pace.armed() && t.o.Unchanged != nil {
		t.o.Unchanged()
	}
	t.heard = true
	t.pace.hint()
}

// fault treats lost events as a change.
func (t *tree) fault(err error, ok bool) {
	switch {
	case !ok:
		t.close()
	case !errors.Is(err, fsnotify.ErrEventOverflow):
		t.goBlind(err)
	}
	t.heard = true
	t.pace.hint()
}

// goBlind leaves it to the poll for a while, and says once why, and what
// would help.
func (t *tree) goBlind(err error) {
	t.close()
	t.since = time.Now()
	t.tell(Ears{err.Error(), remedy(err)})
	if t.blind == err.Error() {
		return
	}
	t.blind = err.Error()
	t.o.Logger.Warn("cannot listen to a folder tree, only looking at it now and then",
		"dir", t.o.Root, "every", max(t.o.Poll, lazy*t.took), "error", err, "hint", advice(err))
}

func (t *tree) close() {
	if t.eyes == nil {
		return
	}
	if err := t.eyes.Close(); err != nil {
		t.o.Logger.Debug("closing a watcher failed", "dir", t.o.Root, "error", err)
	}
	t.eyes, t.folders = nil, nil
}
