package kodi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Sink takes what the importer finds and keeps its memory, both in one
// transaction.
type Sink interface {
	// State is what an earlier Commit of this source kept.
	State(ctx context.Context, source string) (map[string][]byte, error)
	// Commit keeps a batch whole or not at all.
	Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error)
	// Recorded tells when items, by [viewing.Media.Key], were watched, whoever
	// saw it: an import leaves that out.
	Recorded(ctx context.Context, source string, keys []string) (map[string][]viewing.Instant, error)
}

// Account is what is known of the account that the viewings go to.
type Account interface {
	// Predict tells the outcome of an item of a viewing that this source would hand
	// over now.
	Predict(source string, v viewing.Event, m viewing.Media, now time.Time) Outcome
	// Hosts are those of its service, with their ports where they have one: to
	// find add-ons that report to it too.
	Hosts(source string) []string
}

// Options says what to do with a library.
type Options struct {
	// Userdata is the userdata folder of a Kodi, which need not exist yet.
	Userdata string
	// Access lets its library be read.
	Access Access
	// Zone is the zone of Kodi's clock; nil means that of its settings, else this
	// machine's.
	Zone *time.Location
	// Sink takes the viewings.
	Sink Sink
	// Account is the one that they go to.
	Account Account
	// Logger takes the few lines worth a person's time.
	Logger *slog.Logger
	// Watched are the userdata folders of all libraries that are watched, this one
	// among them: to find profiles of this Kodi that are not. Nil looks for none.
	Watched []string
	// Playing takes what the Kodi of this library plays, and since when; the zero media is
	// nothing. Nil leaves it out.
	Playing func(source string, m viewing.Media, since time.Time)
	// Tags say which films and series go to the watchlist and to lists.
	Tags []rule.Target
	// Announcements has the Kodi of this library heard announce its playbacks, where
	// it runs on this machine.
	Announcements bool
}

// Importer turns changes of one library into viewings.
type Importer struct {
	o       Options
	path    string
	source  string
	library reader
	kodi    *announce.Listener // hears nothing where it does not run
	pace    pace
	event   atomic.Bool // an event has told of a change since the last reading

	work   sync.Mutex   // one reading at a time; guards the fields below
	known  *rule.Memory // nil until the state was loaded
	sound  time.Time    // when known was last right, with the monotonic clock
	saved  time.Time    // when the state was last committed
	wake   time.Time    // when to look again though nothing changes
	stamp  string       // of the last reading; "" when all must be read again
	failed int          // readings that failed in a row
	since  time.Time    // when the first of them was begun

	zone      *time.Location // of Kodi's settings; nil when they do not say
	zoneStamp string         // of their file when it was read

	reporters, writers []string // add-ons that were last found
	addOnsStamp        string   // of their folder then

	show   sync.Mutex
	status Status
}

// New makes an importer; nothing starts before Run.
func New(o Options) *Importer {
	path := filepath.Clean(o.Userdata)
	return &Importer{
		o: o, path: path, source: "kodi:" + path, library: &folder{path, o.Access}, pace: usualPace,
		kodi:   announce.New(func() string { return "127.0.0.1:" + library.AnnouncementsPort(path) }, o.Logger),
		status: Status{Userdata: path, State: StateStarting, Since: time.Now(), Problem: viewing.Say("library.notRead")},
	}
}

// Source is the importer's name in batches: "kodi:" and the library's path.
func (i *Importer) Source() string { return i.source }

// The pace of retries and of keeping the time of the last good reading.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	saveEvery  = time.Hour
	saveWithin = 2 * time.Second
)

// pass reads the library once, and says when to look again: 0 waits for a
// change.
func (i *Importer) pass(ctx context.Context) time.Duration {
	i.work.Lock()
	defer i.work.Unlock()
	began := time.Now()
	if err := i.refresh(ctx); err != nil {
		if ctx.Err() != nil {
			return 0
		}
		if i.failed++; i.failed == 1 {
			i.since = began
		}
		i.showError(err)
		return min(firstRetry<<min(i.failed-1, 10), lastRetry)
	}
	i.failed = 0
	if i.wake.IsZero() {
		return 0
	}
	return max(time.Until(i.wake), firstRetry)
}

// errFault: a library made the program fail.
var errFault = errors.New("a fault while a library was read")

// contain makes an error of a panic: one library never ends the program.
func contain(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%w: %v\n%s", errFault, cause, debug.Stack())
	}
}

// refresh takes a reading, and hands over what is new for the watchlist.
func (i *Importer) refresh(ctx context.Context) (err error) {
	defer contain(&err)
	snap, v, err := i.look(ctx, false)
	if err != nil {
		return err
	}
	if err := i.take(ctx, snap, v); err != nil {
		return err
	}
	return i.addTagged(ctx)
}

// Check reads the library once and returns how it stands. It hands over nothing and
// keeps nothing.
func (i *Importer) Check(ctx context.Context) (Status, error) {
	i.work.Lock()
	defer i.work.Unlock()
	snap, v, err := i.look(ctx, false)
	if err == nil {
		i.showRead(snap, v)
	} else {
		i.showError(err)
	}
	return i.Status(), err
}

// look takes a reading, in full of all files or of those that the rule asks for, and
// decides. It keeps nothing. A library that is suddenly empty is left alone: Kodi or an
// add-on is about to fill it again.
func (i *Importer) look(ctx context.Context, full bool) (snap library.Snapshot, v rule.Verdict, err error) {
	defer contain(&err)
	if err := i.load(ctx); err != nil {
		return snap, v, err
	}
	known, now := i.known, time.Now()
	needs := func(f library.File) bool { return known.Needs(f, now) }
	if full {
		needs = nil
	}
	snap, err = i.library.Read(ctx, needs)
	if err != nil {
		return snap, v, err
	}
	i.kodi.Await(ctx, snap.Written)
	snap.Written = i.written(snap)
	i.readSettings(ctx)
	if len(snap.Files) == 0 && !i.known.Empty() {
		return snap, v, errEmptied
	}
	now = time.Now()
	return snap, rule.Decide(i.present(now), snap, now, i.environment(snap)), nil
}

// take commits what follows from a reading.
func (i *Importer) take(ctx context.Context, snap library.Snapshot, v rule.Verdict) error {
	if err := i.commit(ctx, v); err != nil {
		return err
	}
	i.sound, i.wake, i.stamp = time.Now(), v.Wake, snap.Mark
	i.event.Store(false)
	i.showRead(snap, v)
	return nil
}

// load fetches the state, or mints a new library at first contact.
func (i *Importer) load(ctx context.Context) error {
	if i.known != nil {
		return nil
	}
	state, err := i.o.Sink.State(ctx, i.source)
	if err != nil {
		return fmt.Errorf("%w: load state: %w", errStorage, err)
	}
	i.known, err = rule.Parse(state, strings.ToLower(rand.Text()))
	return err
}

// present is what is known, with the time of the last good reading in terms
// of a clock that may have been set back since.
func (i *Importer) present(now time.Time) *rule.Memory {
	known := *i.known
	if !i.sound.IsZero() {
		known.Meta.GoodAt = min(known.Meta.GoodAt, now.Add(-now.Sub(i.sound)).UnixMilli())
	}
	return &known
}

// commit hands over what was found and keeps the new state. A reading that found nothing
// new only moves the time, and is written once an hour.
func (i *Importer) commit(ctx context.Context, v rule.Verdict) error {
	now := time.Now()
	if v.Quiet(i.known) && now.Sub(i.saved) < saveEvery {
		i.known.Apply(v)
		return nil
	}
	outcomes, err := i.o.Sink.Commit(ctx, viewing.Batch{Source: i.source, Events: v.Viewings, Amendments: v.Amendments, State: v.State()})
	if err != nil {
		i.known, i.stamp = nil, "" // it may have been kept or not: all is read again
		return fmt.Errorf("%w: commit: %w", errStorage, err)
	}
	for _, o := range outcomes {
		if o.Status == viewing.StatusConflict {
			i.o.Logger.Warn("an event id was used before", "source", i.source, "event", o.EventID, "reason", o.Reason)
		}
	}
	i.known.Apply(v)
	i.saved = now
	return nil
}

// save keeps the time of the last good reading when Run ends.
func (i *Importer) save(ctx context.Context) {
	i.work.Lock()
	defer i.work.Unlock()
	if i.known == nil || !i.sound.After(i.saved) {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	i.saved = time.Time{}
	i.saveTime(last)
}

// saveTime keeps the time of the last good reading. Without it the next reading only
// takes more for caught up.
func (i *Importer) saveTime(ctx context.Context) {
	if err := i.commit(ctx, rule.Verdict{Meta: i.known.Meta}); err != nil {
		i.o.Logger.Debug("keeping the time of the last reading failed", "source", i.source, "error", err)
	}
}
