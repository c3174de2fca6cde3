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

// Sink stores viewings and the importer's state in one transaction.
type Sink interface {
	// State returns the state that earlier commits of this source stored.
	State(ctx context.Context, source string) (map[string][]byte, error)
	// Commit stores a whole batch or nothing.
	Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error)
	// Recorded returns the watch times of items, by [viewing.Media.Key], from all sources. An
	// import leaves these out.
	Recorded(ctx context.Context, source string, keys []string) (map[string][]viewing.Instant, error)
}

// Account answers questions about the account that receives the viewings.
type Account interface {
	// Predict returns the outcome of one item of a viewing if this source submitted it now.
	Predict(source string, v viewing.Event, m viewing.Media, now time.Time) Outcome
	// Hosts returns the host names of its service, some with a port, to find add-ons that
	// report to it.
	Hosts(source string) []string
}

// Options configures an importer.
type Options struct {
	// Userdata is the userdata folder of a Kodi, which need not exist yet.
	Userdata string
	// Access provides credentials and exclusive use of the library.
	Access Access
	// Zone is the zone of Kodi's clock; nil means that of its settings, else this
	// machine's.
	Zone *time.Location
	// Sink stores the viewings.
	Sink Sink
	// Account receives the viewings.
	Account Account
	// Logger receives state changes and warnings.
	Logger *slog.Logger
	// Watched lists the userdata folders of all watched libraries, including this one, to
	// find unwatched profiles of this Kodi. Nil disables the search.
	Watched []string
	// Playing is called with the item that Kodi plays and its start time, or with zero media
	// when nothing plays. Nil disables it.
	Playing func(source string, m viewing.Media, since time.Time)
	// Tags map Kodi tags to the watchlist and lists.
	Tags []rule.Target
	// Announcements enables listening to the announcements of a Kodi on this machine.
	Announcements bool
}

// Importer turns changes of one library into viewings.
type Importer struct {
	options   Options
	path      string
	source    string
	library   reader
	listener  *announce.Listener // receives nothing until it runs
	intervals intervals
	eventSeen atomic.Bool // a file event arrived since the last read

	readMu      sync.Mutex   // one read at a time; guards the fields below
	memory      *rule.Memory // nil until the state is loaded
	verifiedAt  time.Time    // when the library last matched memory, by the monotonic clock
	savedAt     time.Time    // when the state was last committed
	wakeAt      time.Time    // when to read again even without a change
	lastStamp   string       // stamp of the last read; "" to read again in any case
	failures    int          // failed reads in a row
	failedSince time.Time    // start of the first failed read

	zone      *time.Location // from Kodi's settings; nil if they name none
	zoneStamp string         // stamp of the settings file when zone was read

	reporters, writers []string // add-ons found at the last check
	addOnsStamp        string   // stamp of the add-on files at the last check

	statusMu sync.Mutex
	status   Status
}

// New returns an importer, which starts with Run.
func New(o Options) *Importer {
	path := filepath.Clean(o.Userdata)
	return &Importer{
		options: o, path: path, source: "kodi:" + path, library: &folder{path, o.Access}, intervals: defaultIntervals,
		listener: announce.New(func() string { return "127.0.0.1:" + library.AnnouncementsPort(path) }, o.Logger),
		status:   Status{Userdata: path, State: StateStarting, Since: time.Now(), Problem: viewing.Say("library.notRead")},
	}
}

// Source returns the source of the viewings: "kodi:" and the userdata path.
func (i *Importer) Source() string { return i.source }

// The intervals of retries and of saving the time of the last successful read.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	saveEvery  = time.Hour
	saveWithin = 2 * time.Second
)

// runPass reads the library once and returns the delay until the next read, or 0 to wait for a
// change.
func (i *Importer) runPass(ctx context.Context) time.Duration {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	began := time.Now()
	if err := i.refresh(ctx); err != nil {
		if ctx.Err() != nil {
			return 0
		}
		if i.failures++; i.failures == 1 {
			i.failedSince = began
		}
		i.showError(err)
		return min(firstRetry<<min(i.failures-1, 10), lastRetry)
	}
	i.failures = 0
	if i.wakeAt.IsZero() {
		return 0
	}
	return max(time.Until(i.wakeAt), firstRetry)
}

// errPanic is wrapped by errors that were panics.
var errPanic = errors.New("panic while reading a library")

// recoverPanic turns a panic into an error, so that one library cannot end the program.
func recoverPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%w: %v\n%s", errPanic, cause, debug.Stack())
	}
}

// refresh reads the library and commits new viewings and tagged items.
func (i *Importer) refresh(ctx context.Context) (err error) {
	defer recoverPanic(&err)
	snap, v, err := i.readAndDecide(ctx, false)
	if err != nil {
		return err
	}
	if err := i.apply(ctx, snap, v); err != nil {
		return err
	}
	return i.addTagged(ctx)
}

// Check reads the library once and returns its status. It submits and stores nothing.
func (i *Importer) Check(ctx context.Context) (Status, error) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	snap, v, err := i.readAndDecide(ctx, false)
	if err == nil {
		i.showRead(snap, v)
	} else {
		i.showError(err)
	}
	return i.Status(), err
}

// readAndDecide reads the library and returns the verdict without storing it. It reads details
// of all files if full is set, else of those that the rule needs. An empty library after a
// filled one is an error: Kodi or an add-on is about to fill it again.
func (i *Importer) readAndDecide(ctx context.Context, full bool) (snap library.Snapshot, v rule.Verdict, err error) {
	defer recoverPanic(&err)
	if err := i.load(ctx); err != nil {
		return snap, v, err
	}
	memory, now := i.memory, time.Now()
	needs := func(f library.File) bool { return memory.NeedsDetails(f, now) }
	if full {
		needs = nil
	}
	snap, err = i.library.Read(ctx, needs)
	if err != nil {
		return snap, v, err
	}
	i.listener.Await(ctx, snap.Written)
	snap.Written = i.writtenAt(snap)
	i.readSettings(ctx)
	if len(snap.Files) == 0 && !i.memory.IsEmpty() {
		return snap, v, errEmptyLibrary
	}
	now = time.Now()
	return snap, rule.Decide(i.adjustedMemory(now), snap, now, i.environment(snap)), nil
}

// apply commits the verdict of a read.
func (i *Importer) apply(ctx context.Context, snap library.Snapshot, v rule.Verdict) error {
	if err := i.commit(ctx, v); err != nil {
		return err
	}
	i.verifiedAt, i.wakeAt, i.lastStamp = time.Now(), v.Wake, snap.Stamp
	i.eventSeen.Store(false)
	i.showRead(snap, v)
	return nil
}

// load loads the stored state, or creates a memory with a new id.
func (i *Importer) load(ctx context.Context) error {
	if i.memory != nil {
		return nil
	}
	state, err := i.options.Sink.State(ctx, i.source)
	if err != nil {
		return fmt.Errorf("%w: load state: %w", errStorage, err)
	}
	i.memory, err = rule.Parse(state, strings.ToLower(rand.Text()))
	return err
}

// adjustedMemory returns the memory with the time of the last successful read corrected if the
// system clock was set back since.
func (i *Importer) adjustedMemory(now time.Time) *rule.Memory {
	memory := *i.memory
	if !i.verifiedAt.IsZero() {
		memory.Meta.VerifiedAt = min(memory.Meta.VerifiedAt, now.Add(-now.Sub(i.verifiedAt)).UnixMilli())
	}
	return &memory
}

// commit stores viewings and state. A verdict that only changes the time of the last successful
// read is stored once an hour.
func (i *Importer) commit(ctx context.Context, v rule.Verdict) error {
	now := time.Now()
	if v.IsQuiet(i.memory) && now.Sub(i.savedAt) < saveEvery {
		i.memory.Apply(v)
		return nil
	}
	batch := viewing.Batch{Source: i.source, Events: v.Viewings, Amendments: v.Amendments, State: v.State()}
	outcomes, err := i.options.Sink.Commit(ctx, batch)
	if err != nil {
		i.memory, i.lastStamp = nil, "" // the batch may be stored or not: load the state again
		return fmt.Errorf("%w: commit: %w", errStorage, err)
	}
	for _, o := range outcomes {
		if o.Status == viewing.StatusConflict {
			i.options.Logger.Warn("an event id was used before", "source", i.source, "event", o.EventID, "reason", o.Reason)
		}
	}
	i.memory.Apply(v)
	i.savedAt = now
	return nil
}

// saveOnStop stores the time of the last successful read when Run ends.
func (i *Importer) saveOnStop(ctx context.Context) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	if i.memory == nil || !i.verifiedAt.After(i.savedAt) {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	i.savedAt = time.Time{}
	i.saveTime(last)
}

// saveTime stores the time of the last successful read. If that fails, the next read only
// classifies more viewings as catch-up.
func (i *Importer) saveTime(ctx context.Context) {
	if err := i.commit(ctx, rule.Verdict{Meta: i.memory.Meta}); err != nil {
		i.options.Logger.Debug("cannot save the time of the last read", "source", i.source, "error", err)
	}
}
