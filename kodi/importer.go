package kodi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/kodi/watch"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Sink takes what the importer finds and keeps its memory, both in one
// transaction.
type Sink interface {
	// State is what an earlier Commit of this source kept.
	State(ctx context.Context, source string) (map[string][]byte, error)
	// Commit keeps a batch whole or not at all.
	Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error)
}

// Options says which library to import and where to.
type Options struct {
	// Userdata is Kodi's userdata folder; it need not exist yet.
	Userdata string
	// Zone is the zone of Kodi's clock; nil means as learned from playbacks
	// seen live, else this machine's.
	Zone *time.Location
	// Sink takes the viewings.
	Sink Sink
	// Logger takes the few lines worth a person's time; nil drops them.
	Logger *slog.Logger
	// Quiet, Ceiling and Poll are the pace of package watch; 0 means its own.
	Quiet, Ceiling, Poll time.Duration
	// Foresee tells what the queue would make of what a preview shows; nil goes
	// by the class of a viewing alone.
	Foresee Foresee
	// Login gives the server of a library another user and password; nil keeps
	// those of advancedsettings.xml.
	Login func(library.Server) (*library.Server, error)
	// Claim is told which library the folder leads to, before a reading of it
	// is believed; an error stands in its way. Nil lets all pass.
	Claim func(origin string) error
	// Watched are the userdata folders of all libraries that are watched, this one
	// among them: to find profiles of this Kodi that are not. Nil looks for none.
	Watched []string
	// Wishes is what is handed over beside viewings; nothing by default.
	Wishes Wishes
	// ReadWishes reads what Wishes asks for; nil reads Kodi's.
	ReadWishes func(context.Context, snapshot.Want) (snapshot.Wishes, error)
	// Hosts are those of the service that the viewings go to, with their ports
	// where they have one: to find add-ons that report to it too. Nil looks for
	// none.
	Hosts func() []string
	// Read takes one reading of the library; nil reads Kodi's.
	Read func(ctx context.Context) (snapshot.Snapshot, error)
	// ReadPart takes a reading of which only a part is in full. It goes with
	// Read, which takes its place when it is nil.
	ReadPart func(ctx context.Context, part snapshot.Part) (snapshot.Snapshot, error)
	// Mark is the mark of the library now, for readings that have one. It goes
	// with Read.
	Mark func(ctx context.Context) (string, error)
	// Watch calls settled once at the start and after every change that Read
	// would see, and unchanged when it has made sure that there was none. It
	// blocks until ctx ends. Nil watches Kodi's Database folder.
	Watch func(ctx context.Context, settled func(context.Context), unchanged func()) error

	ears func(watch.Ears) // is told how changes are heard of
}

// Importer turns changes of one library into viewings.
type Importer struct {
	o       Options
	source  string
	machine *time.Location

	work   sync.Mutex // one reading at a time; guards the fields below
	known  *memory    // nil until the state was loaded
	sound  time.Time  // when known was last right, with the monotonic clock
	saved  time.Time  // when the state was last committed
	wake   time.Time  // when to look again though nothing changes
	failed int        // readings that failed in a row
	since  time.Time  // when the first of them was begun
	zone   kodiZone   // of Kodi's settings

	names    string    // mark of all identifiers at the last reading; "" when it is not known
	mark     string    // of the last reading, when the library is on a server
	whole    time.Time // when all of it was last read
	settings string    // stamp of Kodi's settings at that time

	addOns      addOns    // that were last found
	addOnsAt    time.Time // when they were looked for
	addOnsStamp string    // of their folder then

	show   sync.Mutex
	status Status
	ears   watch.Ears // how changes are heard of
}

// New makes an importer; nothing starts before Run.
func New(o Options) (*Importer, error) {
	if o.Userdata == "" || o.Sink == nil {
		return nil, errors.New("make importer: a userdata folder and a sink are needed")
	}
	folder, err := filepath.Abs(o.Userdata)
	if err != nil {
		return nil, fmt.Errorf("make importer: %w", err)
	}
	o.Userdata = folder
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Read == nil {
		d := door{folder, o.Login, o.Claim}
		o.Read, o.ReadPart, o.Mark, o.ReadWishes = d.read, d.readPart, d.mark, d.readWishes
	}
	i := &Importer{source: "kodi:" + folder, machine: time.Local}
	o.ears = i.hear
	if o.Watch == nil {
		o.Watch = o.watchKodi
	}
	if o.Foresee == nil {
		o.Foresee = plainFate
	}
	i.o = o
	i.status = Status{Userdata: folder, State: StateStarting, Since: time.Now(), Summary: "Not read yet."}
	return i, nil
}

// Source is the importer's name in batches: "kodi:" and the absolute folder.
func (i *Importer) Source() string { return i.source }

// Run imports until ctx ends, which is no error.
func (i *Importer) Run(ctx context.Context) error {
	settled := make(chan struct{}, 1)
	unchanged := make(chan time.Time, 1)
	watching := make(chan error, 1)
	go func() {
		watching <- i.o.Watch(ctx, func(context.Context) { nudge(settled, struct{}{}) }, func() { nudge(unchanged, time.Now()) })
	}()
	retry := time.NewTimer(0)
	retry.Stop()
	defer retry.Stop()
	for {
		select {
		case err := <-watching: // it stops with ctx
			i.save(ctx)
			if err != nil {
				return fmt.Errorf("watch library: %w", err)
			}
			return nil
		case at := <-unchanged: // the folder, that is
			if i.asks() {
				i.again(retry, i.pass(ctx))
			} else {
				i.confirm(ctx, at)
			}
		case <-settled:
			i.again(retry, i.pass(ctx))
		case <-retry.C:
			i.again(retry, i.pass(ctx))
		}
	}
}

// again sets the timer for the next look; zero waits for a change.
func (i *Importer) again(retry *time.Timer, after time.Duration) {
	retry.Stop()
	if after > 0 {
		retry.Reset(after)
	}
}

// watchKodi watches the folder of Kodi's library files and, when they are
// asked for, that of its playlists.
func (o Options) watchKodi(ctx context.Context, settled func(context.Context), unchanged func()) error {
	if !o.Wishes.Playlists {
		return o.watchDatabase(ctx, settled, unchanged)
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return o.watchDatabase(ctx, settled, unchanged) })
	both.Go(func() error { return o.watchPlaylists(ctx, settled) })
	return both.Wait()
}

// watchDatabase watches the folder of Kodi's library files.
func (o Options) watchDatabase(ctx context.Context, settled func(context.Context), unchanged func()) error {
	return watch.Run(ctx, watch.Options{
		Dir: filepath.Join(o.Userdata, "Database"), Match: isLibraryFile, Logger: o.Logger,
		Quiet: o.Quiet, Ceiling: o.Ceiling, Poll: o.Poll, Unchanged: unchanged, Ears: o.ears,
	}, settled)
}

// isLibraryFile matches MyVideosNNN.db and the files SQLite puts beside it.
func isLibraryFile(name string) bool {
	rest, ok := strings.CutPrefix(name, "MyVideos")
	return ok && (strings.HasSuffix(rest, ".db") || strings.HasSuffix(rest, ".db-journal") || strings.HasSuffix(rest, ".db-wal"))
}

// nudge hands v over unless one waits already.
func nudge[T any](to chan T, v T) {
	select {
	case to <- v:
	default:
	}
}

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
		i.trouble(err)
		return min(firstRetry<<min(i.failed-1, 10), lastRetry)
	}
	i.failed = 0
	return i.next()
}

// next is how long to wait for a change; 0 is for ever.
func (i *Importer) next() time.Duration {
	var after time.Duration
	if !i.wake.IsZero() {
		after = max(time.Until(i.wake), firstRetry)
	}
	if i.mark != "" && (after == 0 || after > i.pause()) {
		after = i.pause()
	}
	return after
}

// refresh takes a reading unless nothing can have changed.
func (i *Importer) refresh(ctx context.Context) error {
	if same, err := i.same(ctx); same || err != nil {
		return err
	}
	snap, err := i.read(ctx, i.changes)
	if err != nil {
		return err
	}
	return i.grant(ctx, snap)
}

// read takes a reading in one of two ways, decides and commits.
func (i *Importer) read(ctx context.Context, take func(context.Context) (snapshot.Snapshot, error)) (snapshot.Snapshot, error) {
	if err := i.load(ctx); err != nil {
		return snapshot.Snapshot{}, err
	}
	snap, err := take(ctx)
	if err != nil {
		return snap, err
	}
	now := time.Now()
	snap.Written = i.written(snap)
	i.findAddOns(ctx)
	v, err := i.decide(snap, now)
	if err != nil {
		return snap, err
	}
	if err := i.commit(ctx, v, now); err != nil {
		return snap, err
	}
	i.sound, i.wake, i.names, i.mark, i.whole = now, v.wake, snap.Names, snap.Mark, now
	i.settings = i.o.stamp()
	i.good(snap, v)
	return snap, nil
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
	known, err := parseMemory(state)
	if err != nil {
		return err
	}
	if known == nil {
		known = &memory{meta: meta{ID: strings.ToLower(rand.Text())}, files: map[string]record{}, wishes: map[string]granted{}}
	}
	i.known = known
	return nil
}

// decide asks the rule. A library that is suddenly empty is left alone: Kodi
// or an add-on is about to fill it again.
func (i *Importer) decide(snap snapshot.Snapshot, now time.Time) (verdict, error) {
	if len(snap.Files) == 0 && len(i.known.files) > 0 {
		return verdict{}, errEmptied
	}
	return decide(i.present(now), snap, now, i.around()), nil
}

// present is what is known, with the time of the last good reading in terms
// of a clock that may have been set back since.
func (i *Importer) present(now time.Time) *memory {
	known := *i.known
	if !i.sound.IsZero() {
		known.meta.GoodAt = min(known.meta.GoodAt, now.Add(-now.Sub(i.sound)).UnixMilli())
	}
	return &known
}

// commit hands over what was found and keeps the new state. A reading that
// found nothing new only moves the time, and is not worth a write.
func (i *Importer) commit(ctx context.Context, v verdict, now time.Time) error {
	before := i.known.meta
	before.GoodAt = v.meta.GoodAt
	quiet := before == v.meta && len(v.files)+len(v.viewings)+len(v.amendments) == 0
	if quiet && now.Sub(i.saved) < saveEvery {
		i.known.apply(v)
		return nil
	}
	state, err := v.render()
	if err != nil {
		return err
	}
	outcomes, err := i.o.Sink.Commit(ctx, viewing.Batch{Source: i.source, Viewings: v.viewings, Amendments: v.amendments, State: state})
	if err != nil {
		i.known = nil // it may have been kept all the same: look
		return fmt.Errorf("%w: commit: %w", errStorage, err)
	}
	for _, o := range outcomes {
		if o.Status == viewing.StatusConflict {
			i.o.Logger.Warn("an event id was used before", "source", i.source, "event", o.EventID, "reason", o.Reason)
		}
	}
	i.known.apply(v)
	i.saved = now
	return nil
}

// confirm takes in that the library was still as known at a later time.
func (i *Importer) confirm(ctx context.Context, at time.Time) {
	i.work.Lock()
	defer i.work.Unlock()
	if i.known == nil || i.failed > 0 || i.sound.IsZero() || at.Before(i.sound) {
		return
	}
	i.sure(ctx, at)
}

// sure takes it in; the lock is held.
func (i *Importer) sure(ctx context.Context, at time.Time) {
	i.sound = at
	i.known.meta.GoodAt = at.UnixMilli()
	if at.Sub(i.saved) >= saveEvery {
		i.keepTime(ctx)
	}
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
	i.keepTime(last)
}

// keepTime writes the meta data alone. Without it the next reading only
// takes more for caught up.
func (i *Importer) keepTime(ctx context.Context) {
	if i.known.meta.GoodAt == 0 {
		return
	}
	if err := i.commit(ctx, verdict{meta: i.known.meta, files: nil}, i.saved.Add(saveEvery)); err != nil {
		i.o.Logger.Debug("keeping the time of the last reading failed", "source", i.source, "error", err)
		return
	}
	i.saved = time.Now()
}
