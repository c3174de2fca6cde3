// Package service installs and controls Filmspool as a service: systemd with its own tools,
// launchd and the Windows service manager through kardianos/service. A Windows user's own service
// is started at login (the Run key of the registry) and kept running by a second process. All
// verbs may be repeated, and uninstall stops the service first. On other systems [New] returns
// [ErrNoManager]; there the user runs the program under a supervisor. Launchd and the Windows
// service manager have not been tested on real machines.
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

// Name is the name of the service.
const Name = "filmspool"

// Options select a service and the program that it runs.
type Options struct {
	// System selects the machine-wide service, else the user's own.
	System bool
	// Executable is the absolute path of the program; empty means the current one.
	Executable string
	// Args are the arguments of the program, by default "run". New adds "--system" for System.
	Args []string
	// Linger makes a user's own service run from boot to shutdown instead of login to logout. Only
	// systemd supports it.
	Linger bool
	// Version is the version of this program, and Ask returns the version of the running one: "" if
	// it is unknown, [ErrNotRunning] if none runs, and another error if it does not answer. Both
	// are optional.
	Version string
	Ask     func(context.Context) (version string, err error)
	// State is the folder for the log file on systems without a journal.
	State string
}

// Manager controls the service.
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
	// status returns what the manager knows. A service that is not installed is not an error.
	status(ctx context.Context) (Status, error)
	logs(ctx context.Context, out io.Writer, follow bool) error
}

// The verbs of [Manager.Do].
const (
	Install   = "install"   // enable the start at boot or login, without starting now
	Uninstall = "uninstall" // stop and remove; viewings and settings are kept
	Start     = "start"     // returns when the program is ready
	Stop      = "stop"      // returns when the program has ended
	Restart   = "restart"
)

const (
	// askTimeout limits how long Status waits for the program's answer.
	askTimeout = 2 * time.Second
	// startTimeout is how long the start of a service may take; it may have to migrate a database
	// first.
	startTimeout = time.Minute
	// startDelay is how long a service may still be reported as stopped after its start.
	startDelay = 5 * time.Second
)

// New returns the service manager of this machine. It changes nothing. The error is
// [ErrNoManager] if none is available.
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

// Do executes a verb.
func (m *Manager) Do(ctx context.Context, verb string) error {
	if m.o.System && os.Geteuid() > 0 { // -1 on Windows, where the manager checks the permission
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
	return m.waitUntilReady(ctx)
}

// waitUntilReady waits until the started program is ready.
func (m *Manager) waitUntilReady(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; {
		s, err := m.Status(ctx)
		took := time.Since(begun)
		switch {
		case err != nil || s.State == Running && !s.Silent:
			return err
		case s.State == Failed, s.State == Restarting, s.State == Stopped && took > startDelay:
			if s.Detail.Code == "" {
				s.Detail = viewing.Say("service.noReason")
			}
			return refuse(errEnded, viewing.Say("service.endedAtOnce").Because(s.Detail), s.Hint)
		case took > startTimeout:
			return refuse(context.DeadlineExceeded, viewing.Say("service.slowStart"), Command(m.o.System, "service logs"))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Status returns the status from the service manager and, if the service runs, from the program
// itself. A service that is not installed is not an error.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	s, err := m.backend.status(ctx)
	if err != nil {
		return s, err
	}
	if s.State == Running && m.o.Ask != nil {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
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

// Logs copies the last 200 lines of the service's log to out, and with follow continues until ctx
// ends.
func (m *Manager) Logs(ctx context.Context, out io.Writer, follow bool) error {
	return m.backend.logs(ctx, out, follow)
}

// State is the state of a service.
type State string

// The states. Restarting means that the program ended unexpectedly and will be started again.
const (
	NotInstalled State = "not installed"
	Stopped      State = "stopped"
	Starting     State = "starting"
	Running      State = "running"
	Stopping     State = "stopping"
	Restarting   State = "restarting"
	Failed       State = "failed"
)

// Status is the status of a service. Unknown fields are zero; only systemd provides all of them.
type Status struct {
	Installed bool      `json:"installed"`
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"`     // when it entered this state
	Restarts  int       `json:"restarts,omitempty"` // since it was last started by hand or at boot
	Autostart bool      `json:"autostart"`          // starts with the machine or the login
	// UntilLogout means that a user's own service stops at logout.
	UntilLogout bool `json:"untilLogout,omitempty"`
	// Version is the version of the running program. Outdated means that another version is
	// installed, Silent that the program runs but does not answer.
	Version  string          `json:"version,omitempty"`
	Outdated bool            `json:"outdated,omitempty"`
	Silent   bool            `json:"silent,omitempty"`
	Unit     string          `json:"unit,omitempty"`  // the manager's file or entry
	Detail   viewing.Message `json:"detail,omitzero"` // more about the state
	Hint     string          `json:"hint,omitempty"`  // a command to type next
	// Vague means that "running" does not show whether the program is ready; it may be starting or
	// crashing repeatedly. The program is asked.
	Vague bool `json:"-"`
}

// ErrNotInstalled means that there is no service to start or stop.
var ErrNotInstalled = errors.New("the service is not installed")

// ErrNoManager means that no service manager runs on this machine, or none for this user.
var ErrNoManager = errors.New("no service manager is running here")

// ErrNotRunning is returned by [Options].Ask if the program does not run.
var ErrNotRunning = errors.New("filmspool is not running")

// errEnded means that the service stopped right after its start.
var errEnded = errors.New("the service ended")

// refuse returns an error with a message for the user and a command to type next, if any.
func refuse(kind error, message viewing.Message, command string) error {
	r := &viewing.Refusal{Kind: kind, Message: message}
	if command != "" {
		r.Hint = viewing.Say("hint.command", "command", command)
	}
	return r
}

// noManager returns an [ErrNoManager] with the advice to run the program directly.
func noManager(code string) error {
	return refuse(ErrNoManager, viewing.Say(code), "filmspool run")
}

// Command returns one of our command lines for a service, with sudo if the current user needs it.
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

// StartHint returns what to type if no daemon runs. A container without systemd has no service.
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

// inContainer reports whether this is a container of Docker, Podman or another engine that shows
// it.
func inContainer() bool {
	return exists("/.dockerenv") || exists("/run/.containerenv") || os.Getenv("container") != ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
