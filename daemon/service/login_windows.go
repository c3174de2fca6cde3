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

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// runKey lists what a person's login starts.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

// login starts the program with a person's login. What is started keeps an eye
// on a second process, which is the program.
type login struct{ o Options }

// Install has the login start the program.
func (l *login) Install() error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	if err := key.SetStringValue(Name, windows.ComposeCommandLine(append([]string{l.o.Executable}, l.o.Args...))); err != nil {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}

// Uninstall has the login start it no longer.
func (l *login) Uninstall() error {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("open registry: %w", err)
	}
	defer key.Close()
	if err := key.DeleteValue(Name); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}

// Start starts the watching process, free of our own console.
func (l *login) Start() error {
	if err := forget(l.o.State); err != nil {
		return err
	}
	cmd := exec.Command(l.o.Executable, l.o.Args...) //nolint:noctx // it is to outlive us
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(strings.ToUpper(v), "FILMSPOOL_") // a login would not give it
	})
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program: %w", err)
	}
	return cmd.Process.Release()
}

// Stop asks the running program to stop and waits until it has, and its processes
// are gone: until then its file cannot be replaced.
func (l *login) Stop() error {
	stop, there, err := openEvent()
	if err != nil || !there {
		return err
	}
	said := readRecord(l.o.State)
	wait := exits(said.PID, said.Watcher)
	err = windows.SetEvent(windows.Handle(stop))
	stop.close() // or it would exist for as long as this does
	wait()
	if err != nil {
		return fmt.Errorf("ask program to stop: %w", err)
	}
	return nil
}

// state is what the registry has, and what the running program, or the last
// one, tells.
func (l *login) state() (Status, error) {
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
	said := readRecord(l.o.State)
	s := Status{Installed: true, Autostart: true, Unit: `HKCU\` + runKey, State: Stopped}
	stop, there, err := openEvent()
	switch {
	case err != nil:
		return Status{}, err
	case there:
		stop.close()
		s.State = Running
		if said.State == Restarting {
			s.State = Restarting
		}
	case said.State == Failed:
		s.State = Failed
	default:
		return s, nil
	}
	s.PID, s.Since, s.Restarts, s.Detail = said.PID, said.Since, said.Restarts, said.Detail
	return s, nil
}

func (l *login) logs(ctx context.Context, out io.Writer, follow bool) error {
	return showLog(ctx, logPath(l.o.State), out, logLines, follow)
}

// stopEvent exists as long as a program runs for a login, or is kept running;
// setting it asks that to stop.
const stopEvent = `Local\filmspool-stop`

// event is one of Windows' named events, which stays set until it is reset.
type event windows.Handle

// newEvent makes the stop event, which nobody else may have.
func newEvent() (event, error) {
	text, err := windows.UTF16PtrFromString(stopEvent)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateEvent(nil, 1, 0, text)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		event(h).close()
		return 0, errors.New("filmspool already runs for this login")
	}
	if err != nil {
		return 0, fmt.Errorf("make event: %w", err)
	}
	return event(h), nil
}

// openEvent opens the stop event, if it is there.
func openEvent() (e event, there bool, err error) {
	text, err := windows.UTF16PtrFromString(stopEvent)
	if err != nil {
		return 0, false, err
	}
	h, err := windows.OpenEvent(windows.SYNCHRONIZE|windows.EVENT_MODIFY_STATE, false, text)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("open event: %w", err)
	}
	return event(h), true, nil
}

func (e event) close() { _ = windows.CloseHandle(windows.Handle(e)) }

// cancels calls cancel once the event is set. It waits for as long as the
// process lives, and so does the event.
func (e event) cancels(cancel func()) {
	go func() {
		_, _ = windows.WaitForSingleObject(windows.Handle(e), windows.INFINITE)
		cancel()
	}()
}

// exits takes hold of processes that are to end; what it returns waits until
// they have, ten seconds each at most. One that is gone, or that this user may
// not look at, is not waited for.
func exits(pids ...int) (wait func()) {
	var held []windows.Handle
	for _, pid := range pids {
		if pid <= 0 {
			continue
		}
		if h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)); err == nil {
			held = append(held, h)
		}
	}
	return func() {
		for _, h := range held {
			_, _ = windows.WaitForSingleObject(h, 10_000)
			_ = windows.CloseHandle(h)
		}
	}
}
