package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The waits between tries to open a queue that cannot be written.
const (
	firstTry = time.Second
	lastTry  = 30 * time.Second
)

// Runs that end soon because of the queue's file are no use after a few.
const (
	soon     = time.Minute
	fewSoons = 5
)

// Serve runs an instance until ctx ends. Where the disk is full or read-only it
// waits, says so, and tries again. When the queue's file is damaged or gone it
// opens the queue anew, which saves what can be saved. The errors are those of
// [New] and [Daemon.Run].
func Serve(ctx context.Context, o Options) error {
	o.wait = true
	short := 0
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		begun := time.Now()
		err := serveOnce(ctx, o)
		if time.Since(begun) > soon {
			short, pause = 0, firstTry
		}
		switch {
		case ctx.Err() != nil, err == nil:
			return err
		case errors.Is(err, disk.ErrDamaged) && short < fewSoons:
			short++
			o.Logger.Error("the queue is opened anew", "error", err)
		case refusesWrites(err):
			o.Logger.Error("nothing can be written; trying again", "in", pause, "error", err)
			_ = service.Notify("STATUS=Waiting: " + err.Error())
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		default:
			return err
		}
	}
}

func serveOnce(ctx context.Context, o Options) error {
	d, err := New(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(d.Run(ctx), d.Close())
}

// refusesWrites reports whether a disk is full or may not be written now, which
// passes without us.
func refusesWrites(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT)
}

// openQueue opens the queue. Where storage fails and the instance may wait, it
// opens what can be read, and Run waits for the rest.
func (d *Daemon) openQueue(ctx context.Context) (err error) {
	d.store, err = queue.Open(ctx, d.queueOptions())
	if err == nil || !d.o.wait || !errors.Is(err, disk.ErrStorage) && !refusesWrites(err) {
		return err
	}
	d.log.Error("the queue cannot be written; waiting until it can", "error", err)
	d.waiting = &disk.Trouble{Since: time.Now(), Cause: err}
	if d.store, err = queue.OpenReading(ctx, d.queueOptions()); err != nil {
		d.log.Error("nor can it be read", "error", err)
		d.store, err = queue.OpenNothing(ctx, d.queueOptions())
	}
	return err
}

func (d *Daemon) queueOptions() queue.Options {
	settings := settingsOf(d.o.Config)
	settings.Label = d.labelOf
	return queue.Options{Path: d.o.Paths.Database(), Settings: settings, Logger: d.log.With("part", "queue")}
}

// await runs what can be run without a queue to write to: the listener, which
// tells how things stand and refuses browsers and programs for now.
func (d *Daemon) await(ctx context.Context) error {
	listener, err := listen(ctx, d.o)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- d.serve(serving, listener, http.HandlerFunc(refuseForNow)) }()
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		if every := service.WatchdogInterval(); every > 0 {
			d.beat(serving, every, []vital{d.listens()}, func() error { return service.Notify("WATCHDOG=1") })
		}
	}()
	store, err := d.untilWritable(ctx, served)
	stop()
	<-beating
	if err != nil || store == nil {
		return errors.Join(err, <-served)
	}
	// Nobody reads the old one any more.
	if err := errors.Join(<-served, d.store.Close()); err != nil {
		return errors.Join(err, store.Close())
	}
	d.store, d.waiting = store, nil
	d.log.Info("the queue can be written again")
	_ = service.Notify("STATUS=")
	return d.openSources()
}

// untilWritable tries to open the queue until that succeeds, the listener
// fails or ctx ends.
func (d *Daemon) untilWritable(ctx context.Context, served chan error) (*queue.Store, error) {
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		select {
		case <-ctx.Done():
			return nil, nil
		case err := <-served:
			served <- nil // for whoever waits for its end
			return nil, err
		case <-time.After(pause):
		}
		store, err := queue.Open(ctx, d.queueOptions())
		if err == nil || !errors.Is(err, disk.ErrStorage) && !refusesWrites(err) {
			return store, err
		}
		d.log.Warn("the queue cannot be written yet", "error", err)
	}
}

// refuseForNow answers browsers and programs. They keep what they have.
func refuseForNow(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", fmt.Sprint(int(lastTry.Seconds())))
	http.Error(w, "the queue cannot be written now; try again later", http.StatusServiceUnavailable)
}

// trouble is what keeps the queue from being written; nil when nothing does.
func (d *Daemon) trouble() *disk.Trouble {
	if d.waiting != nil {
		return d.waiting
	}
	if t, ok := d.store.Trouble(); ok {
		return &t
	}
	return nil
}

// settingsOf is the configuration in the words of the rules.
func settingsOf(c config.Config) rules.Settings {
	s := rules.Settings{
		Routes: c.SourceRoutes(), Grace: c.Replay.Grace.Duration, Classes: map[viewing.Class]rules.Action{}, Wave: c.Wave,
	}
	if c.Hold != "none" {
		s.Approve = rules.Approval(c.Hold)
	}
	for name, action := range c.Kodi.Classes.ByName() {
		s.Classes[viewing.Class(name)] = rules.Action(action)
	}
	for _, f := range c.Filters {
		m := rules.Match{
			Path: f.Path, Folder: f.Folder, Source: f.Source, Site: f.Site,
			Kind: viewing.MediaType(f.Kind), Genre: f.Genre, Tag: f.Tag,
		}
		if f.ShorterThan != nil {
			m.ShorterThan = f.ShorterThan.Duration
		}
		s.Filters = append(s.Filters, rules.NewFilter(m, rules.Action(f.Action)))
	}
	return s
}
