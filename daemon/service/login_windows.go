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

// runKey lists what a person's login starts.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

// stopEvent exists as long as a program runs for a login, or is kept running;
// setting it asks that to stop.
var stopEvent, _ = windows.UTF16PtrFromString(`Local\filmspool-stop`)

// newBackend is the service manager for the whole machine, and the Run key of
// the registry for one person: a Windows service sees neither that person's
// Kodi library nor what they keep under their own login.
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

// login starts the program with a person's login. What is started keeps a second
// process running, which is the program.
type login struct{ o Options }

// command is what the login runs.
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

// start starts what keeps the program running, free of our own console and without
// what is set for Filmspool in this shell: a login would not give it.
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

// stop waits until both processes are gone: until then their file cannot be replaced.
func (l *login) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	for {
		stop, there, err := openEvent()
		if err != nil || !there {
			return err
		}
		err = windows.SetEvent(stop)
		_ = windows.CloseHandle(stop) // or it would exist for as long as this does
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
	stop, there, err := openEvent()
	if there {
		_ = windows.CloseHandle(stop)
		s.State, s.Vague = Running, true
	}
	return s, err
}

func (l *login) logs(ctx context.Context, out io.Writer, follow bool) error {
	return showLog(ctx, logPath(l.o.State), out, follow)
}

// newEvent makes the stop event, which nobody else may have. It lives as long as the
// process.
func newEvent() (windows.Handle, error) {
	h, err := windows.CreateEvent(nil, 1, 0, stopEvent)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		_ = windows.CloseHandle(h)
		return 0, errors.New("filmspool already runs for this login")
	}
	return h, err
}

// openEvent opens the stop event, if it is there.
func openEvent() (h windows.Handle, there bool, err error) {
	h, err = windows.OpenEvent(windows.SYNCHRONIZE|windows.EVENT_MODIFY_STATE, false, stopEvent)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return 0, false, nil
	}
	return h, err == nil, err
}

// untilSet is a context that ends when an event is set.
func untilSet(ctx context.Context, event windows.Handle) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = windows.WaitForSingleObject(event, windows.INFINITE)
		cancel()
	}()
	return ctx, cancel
}
