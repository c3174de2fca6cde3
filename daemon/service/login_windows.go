package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"github.com/filmspool/filmspool/queue/viewing"
)

// runKey lists the programs that start at login.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

// stopEvent exists while a program runs for a login or is kept running. Setting it makes them
// stop.
var stopEvent, _ = windows.UTF16PtrFromString(`Local\filmspool-stop`)

// newBackend returns the service manager for a machine-wide service, and the Run key of the
// registry for a user's own: a Windows service has no access to the user's Kodi library and
// files.
func newBackend(o Options) (backend, error) {
	switch {
	case o.System:
		return newSCM(o)
	case o.Linger:
		return nil, refuse(errors.ErrUnsupported, viewing.Say("service.fromBoot"), Command(true, "service install"))
	default:
		return &login{o}, nil
	}
}

// login starts the program at login. The started process runs the program in a child process and
// restarts it.
type login struct{ o Options }

// command returns the command line of the login.
func (l *login) command() []string {
	return append(append([]string{l.o.Executable}, l.o.Args...), "--"+HostFlag+"="+hostLogin, "--"+LogFlag+"="+logPath(l.o.State))
}

func (l *login) install(context.Context) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	return key.SetStringValue(Name, windows.ComposeCommandLine(l.command()))
}

func (l *login) uninstall(context.Context) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	return key.DeleteValue(Name)
}

// start starts the process that keeps the program running, without our console and without the
// FILMSPOOL_ variables of this shell, which a login would not set.
func (l *login) start(context.Context) error {
	command := l.command()
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // it is to outlive us
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "FILMSPOOL_") })
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program: %w", err)
	}
	return cmd.Process.Release()
}

// stop waits until both processes have ended: until then their file cannot be replaced.
func (l *login) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for {
		stop, found, err := openEvent()
		if err != nil || !found {
			return err
		}
		err = windows.SetEvent(stop)
		_ = windows.CloseHandle(stop) // an open handle would keep the event alive
		if err != nil {
			return fmt.Errorf("ask program to stop: %w", err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("stop service: %w", ctx.Err())
		}
	}
}

func (l *login) status(context.Context) (Status, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if err == nil {
		_, _, err = key.GetStringValue(Name)
		_ = key.Close()
	}
	if errors.Is(err, registry.ErrNotExist) {
		return Status{State: NotInstalled}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("read registry: %w", err)
	}
	s := Status{Installed: true, Autostart: true, State: Stopped, Unit: `HKCU\` + runKey}
	stop, found, err := openEvent()
	if found {
		_ = windows.CloseHandle(stop)
		s.State, s.Vague = Running, true
	}
	return s, err
}

func (l *login) logs(ctx context.Context, out io.Writer, follow bool) error {
	return showLog(ctx, logPath(l.o.State), out, follow)
}

// newEvent creates the stop event, and fails if it exists. It lives as long as the process.
func newEvent() (windows.Handle, error) {
	h, err := windows.CreateEvent(nil, 1, 0, stopEvent)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		_ = windows.CloseHandle(h)
		return 0, errors.New("filmspool already runs for this login")
	}
	return h, err
}

// openEvent opens the stop event if it exists.
func openEvent() (h windows.Handle, found bool, err error) {
	h, err = windows.OpenEvent(windows.SYNCHRONIZE|windows.EVENT_MODIFY_STATE, false, stopEvent)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return 0, false, nil
	}
	return h, err == nil, err
}

// untilSet returns a context that ends when an event is set.
func untilSet(ctx context.Context, event windows.Handle) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = windows.WaitForSingleObject(event, windows.INFINITE)
		cancel()
	}()
	return ctx, cancel
}
