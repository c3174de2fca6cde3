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
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The waits between tries to open a queue that cannot be written.
const (
	firstTry = time.Second
	lastTry  = 30 * time.Second
)

// refusesWrites reports whether a disk is full or may not be written now, which
// passes without us.
func refusesWrites(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT)
}

// openQueue opens the queue. Where storage fails and the instance may wait, it
// opens what can be read, and Run waits for the rest.
func (d *Daemon) openQueue(ctx context.Context) (err error) {
	d.store, err = queue.Open(ctx, d.queueOptions())
	if err == nil || !d.o.wait || !errors.Is(err, sqlite.ErrStorage) && !refusesWrites(err) {
		return err
	}
	d.log.Error("the queue cannot be written; waiting until it can", "error", err)
	d.waiting = &sqlite.Trouble{Since: time.Now(), Cause: err}
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
	listeners, err := d.listen(ctx)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- d.serve(serving, listeners, http.HandlerFunc(refuseForNow)) }()
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
	told := ""
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
		if err == nil || !errors.Is(err, sqlite.ErrStorage) && !refusesWrites(err) {
			return store, err
		}
		if told != err.Error() {
			told = err.Error()
			d.log.Warn("the queue cannot be written yet", "error", err)
		}
	}
}

// refuseForNow answers browsers and programs. They keep what they have.
func refuseForNow(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", fmt.Sprint(int(lastTry.Seconds())))
	http.Error(w, "the queue cannot be written now; try again later", http.StatusServiceUnavailable)
}

// settingsOf is the configuration in the words of the rules.
func settingsOf(c config.Config) rules.Settings {
	s := rules.Settings{
		Routes: c.SourceRoutes(), Grace: c.Replay.Grace.Duration, Classes: map[viewing.Class]rules.Action{}, Wave: c.Wave, Approve: c.Hold == "all",
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
