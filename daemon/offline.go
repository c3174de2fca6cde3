package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Silent is why an instance that holds the state folder cannot be asked: it is
// starting, or it had no room to say where it listens. It is nil when nobody
// holds the folder.
func Silent(p config.Paths) error {
	if !sqlite.Held(p.State) {
		return nil
	}
	fault := &control.Fault{
		Code: control.CodeInternal, Message: "filmspool runs, but does not say where; " + p.State + " is held",
		Hint: "it may be starting: try again; its log tells more",
	}
	if err := tryRoom(p.State); refusesWrites(err) {
		t := sqlite.Trouble{Cause: err}
		fault.Message, fault.Hint = t.Text()+". Filmspool runs and waits for that; what it has is safe", t.Hint(p.State)
	}
	return fault
}

// tryRoom writes as much as a control file needs, and takes it back.
func tryRoom(dir string) error {
	file, err := os.CreateTemp(dir, ".room-")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 4096))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// Offline gives do the state folder itself, locked, while no daemon runs:
// what is added waits there for the next run. What needs a running daemon
// answers with a [control.NotRunning] fault. A folder that the user named must
// hold a queue: in a mistyped one, viewings would wait for ever.
func Offline(ctx context.Context, o Options, do func(control.API) error) error {
	if o.Paths.Named && !sqlite.Exists(o.Paths.Database()) {
		return noQueue(o.Paths.State)
	}
	return First(ctx, o, do)
}

// First is [Offline] for what comes before the first run: it makes a queue
// wherever there is none.
func First(ctx context.Context, o Options, do func(control.API) error) error {
	d, err := New(ctx, o)
	if err != nil {
		return err
	}
	err = d.withQueue(ctx, func(context.Context) error { return do(d.Control()) })
	return errors.Join(err, d.Close())
}

// Reading is [Offline] for what only reads. It makes no queue where there is
// none, changes nothing, and works on a full or read-only disk.
func Reading(ctx context.Context, o Options, do func(control.API) error) error {
	if !sqlite.Exists(o.Paths.Database()) {
		return noQueue(o.Paths.State)
	}
	return Looking(ctx, o, do)
}

// Looking is [Reading] for what can be told without a queue.
func Looking(ctx context.Context, o Options, do func(control.API) error) error {
	d := wired(o)
	var err error
	if d.catalogue, err = words.Load(); err == nil {
		err = d.openReading(ctx)
	}
	if err == nil {
		err = d.openSources()
	}
	if err == nil {
		err = do(d.Control())
	}
	if sqlite.Damaged(err) {
		err = &control.Fault{
			Code: control.CodeInternal, Message: fmt.Sprintf("the queue in %s is damaged, and nothing was changed: %v", o.Paths.State, err),
			Hint: service.StartHint(o.Paths.System) + "; that sets the file aside and saves what can be read",
		}
	}
	return errors.Join(err, d.Close())
}

// readPatience is how long a reading command waits for the lock, before it
// reads without.
const readPatience = 500 * time.Millisecond

// openReading takes the lock and opens the queue. On a disk that cannot be
// written there may be no lock to take, or an instance that has it and had no
// room to say where it listens: reading harms neither.
func (d *Daemon) openReading(ctx context.Context) (err error) {
	if !sqlite.Exists(d.o.Paths.Database()) {
		d.store, err = queue.OpenNothing(ctx, d.queueOptions())
		return err
	}
	_, err = d.tenure.Hold(ctx, d.o.Paths.State, readPatience)
	if err != nil && !refusesWrites(err) && !errors.Is(err, sqlite.ErrLocked) {
		return err
	}
	d.store, err = queue.OpenReading(ctx, d.queueOptions())
	if errors.Is(err, sqlite.ErrNone) {
		return noQueue(d.o.Paths.State)
	}
	return err
}

// noQueue says that there is no queue.
func noQueue(dir string) error {
	return &control.Fault{
		Code: control.CodeNotFound, Message: "there is no queue in " + dir,
		Hint: "check --state-dir and FILMSPOOL_STATE_DIR; filmspool run makes a queue",
	}
}

// Change has the settings changed. The instance that runs says first whether it could
// take that in. Then the file is changed with the rights of who asks, and the instance
// takes it in. It reports whether one runs.
func Change(ctx context.Context, o Options, change func(ctl control.API, dry bool) error) (running bool, err error) {
	c, err := Find(ctx, o.Paths)
	if errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		return false, change(wired(o).Control(), false)
	}
	if err != nil {
		return false, err
	}
	defer c.Close()
	now, err := c.Settings(ctx)
	if err == nil && now.File != o.Paths.File {
		err = &control.Fault{
			Code: control.CodeRefused, Message: "the instance that runs has its settings in " + now.File, Hint: "name that file with --config",
		}
	}
	if err == nil {
		err = change(c.API, true)
	}
	if err == nil {
		err = change(wired(o).Control(), false)
	}
	if err != nil {
		return true, err
	}
	return true, TakeIn(ctx, o.Paths)
}

// takenIn bounds how long an instance may take to end what it has begun and to be
// followed, in all, and between two looks.
const (
	takenIn   = 20 * time.Second
	lookAgain = 50 * time.Millisecond
)

// TakeIn has an instance that runs read its configuration again, and waits until it
// has done so. A configuration that was refused is an error.
func TakeIn(ctx context.Context, p config.Paths) error {
	c, err := Find(ctx, p)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Reload(ctx); err != nil {
		return err
	}
	var now control.Settings
	for till := time.Now().Add(takenIn); ; time.Sleep(lookAgain) { // it may have moved to another port
		next, err := Find(ctx, p)
		if err == nil {
			now, err = next.Settings(ctx)
			next.Close()
		}
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Now().After(till) {
			return err
		}
	}
	if now.Problem != "" {
		return &control.Fault{
			Code: control.CodeRefused, Message: "Filmspool goes on with the settings of before: " + now.Problem, Hint: "filmspool config check",
		}
	}
	return nil
}
