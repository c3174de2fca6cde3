package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/machine"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Options say which instance is looked at.
type Options struct {
	Paths  config.Paths
	Faults error // why the configuration is refused; nil where it is good
	Speech words.Speech
	// Ask asks the instance, or its queue while nothing runs.
	Ask func(context.Context) (h control.Health, running bool, err error)
	// Taken is who else has the port; nil where nobody has.
	Taken func(context.Context) error
	// Service is the way to the service manager; nil where this machine has none.
	Service Service
}

// Service is what is asked of a [service.Manager].
type Service interface {
	Status(context.Context) (service.Status, error)
}

// Examine looks at everything now, and tells the worst first.
func Examine(ctx context.Context, o Options) []control.Problem {
	answer, running, err := o.Ask(ctx)
	found := append(o.configuration(), o.folder(err)...)
	if running || sqlite.Held(o.Paths.State) {
		found = append(found, o.running(ctx)...)
	} else {
		found = append(found, o.stopped(ctx)...)
	}
	v := health.Judge(o.Speech, health.Conditions{Troubles: found, Now: time.Now()})
	return health.Ranked(append(v.Problems, answer.Problems...))
}

// configuration tells of each mistake in the configuration.
func (o Options) configuration() (found []control.Trouble) {
	if o.Faults == nil {
		return nil
	}
	each := config.ErrInvalid.Error() + ": "
	for fault := range strings.SplitSeq(strings.TrimPrefix(o.Faults.Error(), each), "\n"+each) {
		found = append(found, control.Trouble{Code: health.ConfigInvalid, Detail: oneLine(fault)})
	}
	return found
}

// oneLine is a mistake without the drawing below it: what the drawing marks stands
// behind its line, "listn = 5: unknown field".
func oneLine(fault string) string {
	all, shown := "", ""
	for line := range strings.Lines(fault) {
		number, text, drawn := strings.Cut(strings.TrimRight(line, "\n"), "| ")
		switch {
		case !drawn:
			all += strings.TrimSpace(line)
		case strings.TrimSpace(number) != "":
			shown = "line " + strings.TrimSpace(number) + ", " + strings.TrimSpace(text)
		default:
			all += ": " + shown + ": " + strings.TrimLeft(text, " ~")
		}
	}
	return all
}

// folder tells what keeps the instance from being asked, and who else may use its
// folder.
func (o Options) folder(err error) (found []control.Trouble) {
	found = health.OfFolder(machine.Others(o.Paths.State), o.Paths.State)
	trust, untrusted := errors.AsType[*config.FolderError](err)
	switch {
	case err == nil, errors.Is(err, &control.Fault{Code: control.CodeNotRunning}), errors.Is(err, config.ErrInvalid):
	case untrusted:
		found = append(found, control.Trouble{Code: health.StateDenied, About: o.Paths.State, Detail: trust.Error(), Hint: trust.Hint()})
	case errors.Is(err, fs.ErrPermission), errors.Is(err, &control.Fault{Code: control.CodeRefused}):
		found = append(found, control.Trouble{Code: health.StateDenied, About: o.Paths.State, Detail: err.Error()})
	case sqlite.Held(o.Paths.State):
		found = append(found, control.Trouble{Code: health.Silent, Detail: err.Error()})
	default:
		found = append(found, control.Trouble{Code: health.QueueUnread, Detail: err.Error()})
	}
	return found
}

// running tells what the service manager knows of an instance that runs.
func (o Options) running(ctx context.Context) (found []control.Trouble) {
	s, err := o.service(ctx)
	switch {
	case err != nil:
	case !s.Installed:
		found = append(found, control.Trouble{Code: health.ServiceMissing})
	case s.Outdated && !s.Silent:
		found = append(found, control.Trouble{Code: health.Outdated, Detail: o.Speech.Message(s.Detail), Hint: s.Hint})
	}
	if err == nil && s.Installed && !s.Autostart {
		found = append(found, control.Trouble{Code: health.ServiceManual})
	}
	if err == nil && s.UntilLogout {
		found = append(found, control.Trouble{Code: health.ServiceLogout})
	}
	return found
}

// stopped tells why nothing runs, as far as that can be seen.
func (o Options) stopped(ctx context.Context) []control.Trouble {
	down := control.Trouble{Code: health.NotRunning, Hint: service.StartHint(o.Paths.System)}
	if s, err := o.service(ctx); err == nil {
		switch s.State {
		case service.Stopped:
			down = control.Trouble{Code: health.ServiceStopped}
		case service.Failed, service.Restarting, service.Running:
			down = control.Trouble{Code: health.ServiceFailed, Detail: o.Speech.Message(s.Detail), Hint: s.Hint}
		case service.NotInstalled, service.Starting, service.Stopping:
		}
	}
	found := []control.Trouble{down}
	if err := o.Taken(ctx); err != nil {
		t := control.Trouble{Code: health.PortTaken, Detail: err.Error()}
		if knows, ok := errors.AsType[interface {
			error
			Hint() string
		}](err); ok {
			t.Hint = knows.Hint()
		}
		found = append(found, t)
	}
	return found
}

// service asks the service manager.
func (o Options) service(ctx context.Context) (service.Status, error) {
	if o.Service == nil {
		return service.Status{}, service.ErrNoManager
	}
	return o.Service.Status(ctx)
}
