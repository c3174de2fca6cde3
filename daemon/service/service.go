// Package service has the machine's service manager run Filmspool: install, uninstall,
// start, stop, restart, an honest status and the log. Systemd is asked and told with its
// own tools. Launchd and the Windows service manager go through kardianos/service; a
// Windows person's own program is started by their login (the Run key of the registry)
// and kept running by a second process. Every verb may be said twice, and uninstall
// stops first. Elsewhere [New] fails with [ErrNoManager], and the person's own supervisor
// runs the program. Launchd and the Windows service manager were never seen: no such
// machine was at hand.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Name is what the service is called wherever a manager wants a name.
const Name = "filmspool"

// Options say which service is meant and what it runs.
type Options struct {
	// System means the one service of the whole machine; otherwise it is this
	// person's own.
	System bool
	// Executable is the program's absolute path; empty means this program.
	Executable string
	// Args are its arguments; none means "run". New adds "--system" for System.
	Args []string
	// Linger lets a person's own service run from boot to shutdown instead of
	// from login to logout. Only systemd knows it.
	Linger bool
	// Version is that of this program, and Ask asks the one that runs for its
	// own. Ask is silent ("") where it cannot know; the error is ErrNotRunning
	// where none runs, and else says that it gives no answer. Both may be left out.
	Version string
	Ask     func(context.Context) (version string, err error)
	// State is the folder for the log where the system has no journal.
	State string
}

// Manager is the way to this machine's service manager.
type Manager struct {
	backend backend
	o       Options
}

// backend is one kind of service manager.
type backend interface {
	install(ctx context.Context) error
	uninstall(ctx context.Context) error
	start(ctx context.Context) error
	stop(ctx context.Context) error
	// status is what the manager knows; a service that is not installed is a status.
	status(ctx context.Context) (Status, error)
	logs(ctx context.Context, out io.Writer, follow bool) error
}

// The verbs of [Manager.Do].
const (
	Install   = "install"   // it starts with the machine or the login from then on; it is not started now
	Uninstall = "uninstall" // it is stopped and taken from the manager; viewings and settings stay
	Start     = "start"     // returns when the program can be used
	Stop      = "stop"      // returns when the program has ended
	Restart   = "restart"
)

const (
	// askPatience bounds what Status waits for the program's own answer.
	askPatience = 2 * time.Second
	// startPatience is how long a service may take until it can be used: a
	// database may have to be brought up to date first.
	startPatience = time.Minute
	// settling is how long a program that has just been started may seem to be stopped.
	settling = 5 * time.Second
)

// New finds this machine's service manager. It changes nothing. The error is
// ErrNoManager where none runs.
func New(o Options) (*Manager, error) {
	if len(o.Args) == 0 {
		o.Args = []string{"run"}
	}
	if o.System && !slices.Contains(o.Args, "--system") {
		o.Args = append(slices.Clip(o.Args), "--system")
	}
	if o.Executable == "" {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		o.Executable = path
	}
	b, err := newBackend(o)
	if err != nil {
		return nil, err
	}
	return &Manager{backend: b, o: o}, nil
}

// Do has the manager do one of the verbs.
func (m *Manager) Do(ctx context.Context, verb string) error {
	if m.o.System && os.Geteuid() > 0 { // -1 on Windows, which says so itself
		return refuse(fs.ErrPermission, viewing.Say("service.rootOnly"), Command(true, "service "+verb))
	}
	if verb == Install {
		if strings.Contains(filepath.ToSlash(m.o.Executable), "/go-build") {
			return refuse(errors.ErrUnsupported, viewing.Say("service.goRun"), "go build ./cmd/filmspool")
		}
		return m.backend.install(ctx)
	}
	s, err := m.Status(ctx)
	switch {
	case err != nil, !s.Installed && verb == Uninstall:
		return err
	case !s.Installed:
		return refuse(ErrNotInstalled, viewing.Say("service.notInstalled"), Command(m.o.System, "service install"))
	}
	if verb != Start && s.State != Stopped {
		if err := m.backend.stop(ctx); err != nil {
			return err
		}
		s.State = Stopped
	}
	switch {
	case verb == Uninstall:
		return m.backend.uninstall(ctx)
	case verb == Stop || s.State == Running:
		return nil
	case s.State != Starting:
		if err := m.backend.start(ctx); err != nil {
			return err
		}
	}
	return m.untilReady(ctx)
}

// untilReady waits until a program that was started can be used.
func (m *Manager) untilReady(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; {
		s, err := m.Status(ctx)
		took := time.Since(begun)
		switch {
		case err != nil || s.State == Running && !s.Silent:
			return err
		case s.State == Failed, s.State == Restarting, s.State == Stopped && took > settling:
			if s.Detail.Code == "" {
				s.Detail = viewing.Say("service.noReason")
			}
			return refuse(errEnded, viewing.Say("service.endedAtOnce").Because(s.Detail), s.Hint)
		case took > startPatience:
			return refuse(context.DeadlineExceeded, viewing.Say("service.slowStart"), Command(m.o.System, "service logs"))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Status asks the service manager and, where it says that the program runs,
// the program itself. A service that is not installed is a status, not an
// error.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	s, err := m.backend.status(ctx)
	if err != nil {
		return s, err
	}
	if s.State == Running && m.o.Ask != nil {
		ctx, cancel := context.WithTimeout(ctx, askPatience)
		defer cancel()
		s.Version, err = m.o.Ask(ctx)
		switch {
		case errors.Is(err, ErrNotRunning) && s.Vague:
			s.State, s.Hint = Starting, Command(m.o.System, "service logs")
		case err != nil && !errors.Is(err, ErrNotRunning):
			s.Silent, s.Detail, s.Hint = true, viewing.Say("service.silent").Because(viewing.MessagesOf(err)[0]), Command(m.o.System, "service logs")
		case s.Version != "" && m.o.Version != "" && s.Version != m.o.Version:
			s.Outdated, s.Detail = true, viewing.Say("service.outdated", "running", s.Version, "installed", m.o.Version)
			s.Hint = Command(m.o.System, "service restart")
		}
	}
	switch s.State {
	case Stopped:
		s.Hint = Command(m.o.System, "service start")
	case Failed, Restarting:
		s.Hint = Command(m.o.System, "service logs")
	case NotInstalled, Starting, Running, Stopping:
	}
	return s, nil
}

// Logs copies what the service wrote to out, the newest 200 lines, and with
// follow goes on until ctx ends.
func (m *Manager) Logs(ctx context.Context, out io.Writer, follow bool) error {
	return m.backend.logs(ctx, out, follow)
}

// State is what a service is doing, in one word.
type State string

// The states. Restarting means that it ended by itself and is started once more.
const (
	NotInstalled State = "not installed"
	Stopped      State = "stopped"
	Starting     State = "starting"
	Running      State = "running"
	Stopping     State = "stopping"
	Restarting   State = "restarting"
	Failed       State = "failed"
)

// Status is what the service manager knows. Fields that it does not tell are
// zero: only systemd tells all of them.
type Status struct {
	Installed bool      `json:"installed"`
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"`     // when it entered this state
	Restarts  int       `json:"restarts,omitempty"` // since it was last started by hand or at boot
	Autostart bool      `json:"autostart"`          // starts with the machine or the login
	// UntilLogout: a person's own service that ends when they log out.
	UntilLogout bool `json:"untilLogout,omitempty"`
	// Version is that of the program that runs; Outdated, that another one is
	// installed by now; Silent, that it runs and gives no answer.
	Version  string          `json:"version,omitempty"`
	Outdated bool            `json:"outdated,omitempty"`
	Silent   bool            `json:"silent,omitempty"`
	Unit     string          `json:"unit,omitempty"`  // what the manager reads
	Detail   viewing.Message `json:"detail,omitzero"` // what there is to say
	Hint     string          `json:"hint,omitempty"`  // a command to type next
	// Vague: "running" says nothing of the program, which may not be ready yet or be
	// started again and again. The program is asked.
	Vague bool `json:"-"`
}

// ErrNotInstalled says that there is no such service to start or stop.
var ErrNotInstalled = errors.New("the service is not installed")

// ErrNoManager says that no service manager runs on this machine, or none for this
// person.
var ErrNoManager = errors.New("no service manager is running here")

// ErrNotRunning says that nothing runs where [Options].Ask asks.
var ErrNotRunning = errors.New("filmspool is not running")

// errEnded says that a service did not stay up.
var errEnded = errors.New("the service ended")

// refuse is an error that a person is told, and the command to type next, if any.
func refuse(kind error, message viewing.Message, command string) error {
	r := &viewing.Refusal{Kind: kind, Message: message}
	if command != "" {
		r.Hint = viewing.Say("hint.command", "command", command)
	}
	return r
}

// noManager tells what to do without one.
func noManager(code string) error {
	return refuse(ErrNoManager, viewing.Say(code), "filmspool run")
}

// Command is a command line of ours for one kind of service, as whoever runs
// this program has to type it: root alone may change the machine's.
func Command(system bool, words string) string {
	switch {
	case system && os.Geteuid() > 0: // -1 on Windows
		return "sudo filmspool --system " + words
	case system:
		return "filmspool --system " + words
	default:
		return "filmspool " + words
	}
}

// StartHint is what to type when nothing runs. A container without systemd has
// no service that could be started.
func StartHint(system bool) viewing.Message {
	switch {
	case inContainer() && !exists("/run/systemd/system"):
		return viewing.Say("hint.startContainer")
	case system:
		return viewing.Say("hint.command", "command", Command(true, "service start"))
	default:
		return viewing.Say("hint.start")
	}
}

// inContainer reports whether this is a container of Docker's, Podman's or
// another's that says so.
func inContainer() bool {
	return exists("/.dockerenv") || exists("/run/.containerenv") || os.Getenv("container") != ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
