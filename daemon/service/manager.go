package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
	// User is the person as whom the service of the whole machine runs; empty
	// means a user of its own. Only systemd knows it.
	User string
	// Visible are folders, absolute, that such a service may read where others
	// are hidden from it; they need not be there yet.
	Visible []string
	// Version is that of this program, and Ask asks the one that runs for its
	// own. Ask is silent ("") where it cannot know; the error is ErrNotRunning
	// where none runs, and else says that it gives no answer. Status needs them;
	// both may be left out.
	Version string
	Ask     func(context.Context) (version string, err error)
	// State is the folder where the service keeps its log, on systems whose
	// manager keeps none (Windows).
	State string
}

// Manager is the way to this machine's service manager.
type Manager struct {
	backend backend
	o       Options
}

// askPatience bounds what Status waits for the program's own answer.
const askPatience = 2 * time.Second

// backend is what each kind of service manager has to do. Implementations say
// ErrNotInstalled where a verb needs an installed service.
type backend interface {
	install(ctx context.Context) error
	uninstall(ctx context.Context) error
	start(ctx context.Context) error
	stop(ctx context.Context) error
	restart(ctx context.Context) error
	status(ctx context.Context) (Status, error)
	logs(ctx context.Context, out io.Writer, follow bool) error
}

// New finds this machine's service manager. It changes nothing. The error is
// ErrNoManager where none runs.
func New(o Options) (*Manager, error) {
	if len(o.Args) == 0 {
		o.Args = []string{"run"}
	}
	if o.System && !slices.Contains(o.Args, "--system") {
		o.Args = append(slices.Clip(o.Args), "--system")
	}
	if o.User != "" && !o.System {
		return nil, &Error{
			What:   "a service of your own runs as you; only one of the whole machine runs as somebody",
			Cause:  errors.ErrUnsupported,
			Advice: Command(true, "service install --user "+o.User),
		}
	}
	if o.Executable == "" {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		o.Executable = path
	}
	if !filepath.IsAbs(o.Executable) {
		return nil, fmt.Errorf("%q is not an absolute path", o.Executable)
	}
	b, err := newBackend(o)
	if err != nil {
		return nil, err
	}
	return &Manager{backend: b, o: o}, nil
}

// Install tells the service manager about the program and has it start with
// the machine, or with the person's login. It does not start it now. Said
// again, it brings an old installation up to date.
func (m *Manager) Install(ctx context.Context) error { return m.backend.install(ctx) }

// Uninstall stops the service and takes it from the service manager. Where
// nothing is installed there is nothing to do. The viewings stay.
func (m *Manager) Uninstall(ctx context.Context) error { return m.backend.uninstall(ctx) }

// Start starts the service and waits until it is ready, where the manager can
// tell. A service that runs already is left alone.
func (m *Manager) Start(ctx context.Context) error { return m.backend.start(ctx) }

// Stop stops the service and waits until it has.
func (m *Manager) Stop(ctx context.Context) error { return m.backend.stop(ctx) }

// Restart stops the service if it runs, and starts it.
func (m *Manager) Restart(ctx context.Context) error { return m.backend.restart(ctx) }

// Status asks the service manager and, where it says that the program runs,
// the program itself. A service that is not installed is a status, not an
// error.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	s, err := m.backend.status(ctx)
	if err != nil || s.State != Running {
		return s, err
	}
	version := ""
	if m.o.Ask != nil {
		ctx, cancel := context.WithTimeout(ctx, askPatience)
		defer cancel()
		if version, err = m.o.Ask(ctx); errors.Is(err, ErrNotRunning) {
			err = nil // as it seems from here; the manager knows better
		}
	}
	s.tell(m.o, version, err)
	return s, nil
}

// Logs copies what the service wrote to out, the newest 200 lines, and with
// follow goes on until ctx ends.
func (m *Manager) Logs(ctx context.Context, out io.Writer, follow bool) error {
	return m.backend.logs(ctx, out, follow)
}

// checkExecutable refuses a program that will not be there, or cannot be run,
// when the service manager comes to start it.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a folder", path)
	}
	if strings.Contains(filepath.ToSlash(path), "/go-build") {
		return &Error{
			What:   "this program was made by \"go run\" and will be gone soon",
			Cause:  errors.ErrUnsupported,
			Advice: "go build ./cmd/filmspool",
		}
	}
	return nil
}

// inContainer reports whether this is a container of Docker's, Podman's or
// another's that says so.
func inContainer() bool {
	return exists("/.dockerenv") || exists("/run/.containerenv") || os.Getenv("container") != ""
}

// StartHint is what to type when nothing runs. A container without systemd has
// no service that could be started.
func StartHint(system bool) string {
	return startHint(system, inContainer() && !exists("/run/systemd/system"))
}

func startHint(system, contained bool) string {
	if contained {
		return "start the container again, or type: filmspool run"
	}
	if system {
		return Command(true, "service start")
	}
	return "filmspool service start, or filmspool run"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
