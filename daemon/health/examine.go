package health

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Examination configures [Examine].
type Examination struct {
	Paths  config.Paths
	Faults error // errors of the configuration; nil if it is valid
	// Ask returns the status of the running instance, else of its queue.
	Ask func(context.Context) (s control.Status, running bool, err error)
	// Taken returns an error if another program uses the port.
	Taken func(context.Context) error
	// Service returns the status reported by the service manager.
	Service func(context.Context) (service.Status, error)
}

// Examine checks the service, the port, the permissions of the folder, the configuration and the
// instance now. It changes nothing and works while no instance runs.
func Examine(ctx context.Context, o Examination) control.Status {
	status, running, err := o.Ask(ctx)
	found := o.folder(err)
	if o.Faults != nil {
		for _, m := range viewing.MessagesOf(o.Faults) {
			found = append(found, control.Problem{Code: ConfigInvalid, What: &m})
		}
	}
	if running || sqlite.IsLocked(o.Paths.State) {
		found = append(found, o.installed(ctx)...)
	} else {
		found = append(found, o.stopped(ctx)...)
	}
	all := Evaluate(Conditions{Troubles: found, Now: time.Now()})
	status.Problems = Rank(append(all, status.Problems...))
	status.State = State(&status, status.Problems)
	return status
}

// folder returns a problem for err, the error of Ask, and one if other users may write to the
// state folder.
func (o Examination) folder(err error) (found []control.Problem) {
	if info, err := os.Stat(o.Paths.State); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		what := viewing.Say("folderOpen")
		found = append(found, control.Problem{Code: StateDenied, About: o.Paths.State, What: &what, Act: control.Act{Verb: "private", Target: o.Paths.State}})
	}
	if err == nil || errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) || errors.Is(err, config.ErrInvalid) {
		return found
	}
	t := control.Problem{Code: QueueUnread, What: &viewing.MessagesOf(err)[0]}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, &control.Fault{Code: control.CodeRefused}):
		t.Code, t.About = StateDenied, o.Paths.State
	case sqlite.IsLocked(o.Paths.State):
		t.Code = Silent
	}
	return append(found, t)
}

// installed returns the problems of the service while an instance runs.
func (o Examination) installed(ctx context.Context) (found []control.Problem) {
	s, err := o.Service(ctx)
	if err != nil {
		return nil
	}
	if !s.Installed || !s.Autostart {
		found = append(found, control.Problem{Code: ServiceMissing})
	}
	if s.Outdated {
		found = append(found, control.Problem{Code: Outdated, What: message(s.Detail)})
	}
	if s.UntilLogout {
		found = append(found, control.Problem{Code: ServiceLogout})
	}
	return found
}

// stopped returns the reasons why no instance runs.
func (o Examination) stopped(ctx context.Context) (found []control.Problem) {
	down := control.Problem{Code: NotRunning}
	if s, err := o.Service(ctx); err == nil {
		switch s.State {
		case service.Stopped:
			down.Act = control.Act{Verb: "start"}
		case service.Failed, service.Restarting, service.Running:
			down = control.Problem{Code: ServiceFailed, What: message(s.Detail)}
		case service.NotInstalled, service.Starting, service.Stopping:
		}
	}
	found = append(found, down)
	if err := o.Taken(ctx); err != nil {
		found = append(found, control.Problem{Code: PortTaken, What: &viewing.MessagesOf(err)[0]})
	}
	return found
}
