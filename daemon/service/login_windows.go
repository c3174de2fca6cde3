package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// runKey lists what a person's login starts.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

// stopEvent exists as long as one program runs for this login; setting it asks
// that program to stop.
const stopEvent = `Local\filmspool-stop`

// login starts the program with a person's login and keeps no eye on it: a
// program that crashes stays down until it is started again.
type login struct{ o Options }

func newLogin(o Options) *login {
	o.Args = append(slices.Clip(o.Args), "--"+HostFlag+"="+HostLogin)
	return &login{o: o}
}

func (l *login) install(context.Context) error {
	if err := checkExecutable(l.o.Executable); err != nil {
		return err
	}
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	words := []string{syscall.EscapeArg(l.o.Executable)}
	for _, arg := range l.o.Args {
		words = append(words, syscall.EscapeArg(arg))
	}
	if err := key.SetStringValue(Name, strings.Join(words, " ")); err != nil {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}

func (l *login) uninstall(ctx context.Context) error {
	if err := l.ask(ctx); err != nil {
		return err
	}
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	if err := key.DeleteValue(Name); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}

func (l *login) start(ctx context.Context) error {
	s, err := l.status(ctx)
	if err != nil {
		return err
	}
	if !s.Installed {
		return notInstalled(false)
	}
	if s.State == Running {
		return nil
	}
	cmd := exec.Command(l.o.Executable, l.o.Args...) //nolint:noctx // it is to outlive us
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program: %w", err)
	}
	return cmd.Process.Release()
}

func (l *login) stop(ctx context.Context) error {
	s, err := l.status(ctx)
	if err != nil {
		return err
	}
	if !s.Installed {
		return notInstalled(false)
	}
	return l.ask(ctx)
}

func (l *login) restart(ctx context.Context) error {
	if err := l.stop(ctx); err != nil {
		return err
	}
	return l.start(ctx)
}

// ask asks the running program to stop and waits until it has; 20 seconds at
// most.
func (l *login) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		running, err := raiseStop(true)
		if err != nil || !running {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("stop program: %w", ctx.Err())
		}
	}
}

func (l *login) status(context.Context) (Status, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return Status{State: NotInstalled}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	_, _, err = key.GetStringValue(Name)
	if errors.Is(err, registry.ErrNotExist) {
		return Status{State: NotInstalled}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("read registry: %w", err)
	}
	running, err := raiseStop(false)
	if err != nil {
		return Status{}, err
	}
	s := Status{Installed: true, State: Stopped, Autostart: true, Unit: `HKCU\` + runKey}
	if running {
		s.State = Running
	}
	return s, nil
}

func (l *login) logs(context.Context, io.Writer, bool) error {
	return &Error{What: "a program started by a login keeps no log", Cause: errors.ErrUnsupported, Advice: "filmspool run"}
}

// raiseStop reports whether a program runs for this login, and with stop asks
// it to end.
func raiseStop(stop bool) (bool, error) {
	name, err := windows.UTF16PtrFromString(stopEvent)
	if err != nil {
		return false, err
	}
	event, err := windows.OpenEvent(windows.SYNCHRONIZE|windows.EVENT_MODIFY_STATE, false, name)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open event: %w", err)
	}
	defer func() { _ = windows.CloseHandle(event) }()
	if !stop {
		return true, nil
	}
	return true, windows.SetEvent(event)
}
