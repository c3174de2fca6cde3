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
)

// runKey lists what a person's login starts.
const runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

// login starts the program with a person's login. What is started keeps an eye
// on a second process, which is the program.
type login struct{ o Options }

func newLogin(o Options) *login {
	o.Args = withHost(slices.Clip(o.Args), HostLogin)
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
	if err := key.SetStringValue(Name, commandLine(l.o)); err != nil {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}

// commandLine is the program with its arguments, as Windows takes them.
func commandLine(o Options) string {
	words := []string{syscall.EscapeArg(o.Executable)}
	for _, arg := range o.Args {
		words = append(words, syscall.EscapeArg(arg))
	}
	return strings.Join(words, " ")
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
	s, err := l.installed(ctx)
	if err != nil {
		return err
	}
	if s.State == Stopped || s.State == Failed {
		if err := l.launch(); err != nil {
			return err
		}
	}
	return l.awaitReady(ctx)
}

// launch starts the watching process, free of our own console.
func (l *login) launch() error {
	// What an earlier one said is no news of this one.
	if err := os.Remove(recordPath(l.o.State)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("start program: %w", err)
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

// awaitReady waits until the program can be used, or has ended.
func (l *login) awaitReady(ctx context.Context) error {
	return await(ctx, "start", startPatience, func() (bool, error) {
		s, err := l.state()
		switch {
		case err != nil, s.State == Running:
			return true, err
		case s.State == Failed, s.State == Restarting:
			return true, ended(s.Detail, false)
		}
		return false, nil
	})
}

func (l *login) stop(ctx context.Context) error {
	if _, err := l.installed(ctx); err != nil {
		return err
	}
	return l.ask(ctx)
}

func (l *login) restart(ctx context.Context) error {
	if err := l.stop(ctx); err != nil {
		return err
	}
	return l.start(ctx)
}

// ask asks the running program to stop and waits until it has, and its processes
// are gone: until then its file cannot be replaced.
func (l *login) ask(ctx context.Context) error {
	if s, err := l.state(); err == nil && s.State != Stopped && s.State != Failed { // or the numbers are of others by now
		said := readRecord(l.o.State)
		defer exits(said.PID, said.Watcher)()
	}
	return await(ctx, "stop", stopPatience+5*time.Second, func() (bool, error) {
		stop, err := openEvent(stopEvent)
		if err != nil {
			return missing(err), ignoreMissing(err)
		}
		defer stop.close()
		stop.set()
		return false, nil
	})
}

func ignoreMissing(err error) error {
	if missing(err) {
		return nil
	}
	return err
}

// installed is the status of a service that has to be installed.
func (l *login) installed(ctx context.Context) (Status, error) {
	s, err := l.status(ctx)
	if err == nil && !s.Installed {
		err = notInstalled(false)
	}
	return s, err
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
	s, err := l.state()
	s.Installed, s.Autostart, s.Unit = true, true, `HKCU\`+runKey
	return s, err
}

// state is what the running program, or the last one, tells.
func (l *login) state() (Status, error) {
	said := readRecord(l.o.State)
	s := Status{State: Stopped, PID: said.PID, Since: said.Since, Restarts: said.Restarts, Detail: said.Detail}
	stop, err := openEvent(stopEvent)
	if missing(err) {
		if said.State == Failed {
			s.State = Failed
			return s, nil
		}
		return Status{State: Stopped}, nil
	}
	if err != nil {
		return Status{}, err
	}
	defer stop.close()
	ready, err := openEvent(readyEvent)
	switch {
	case err != nil && !missing(err):
		return Status{}, err
	case err == nil && ready.isSet():
		s.State = Running
	case said.State == Restarting:
		s.State = Restarting
	default:
		s.State = Starting
	}
	if err == nil {
		ready.close()
	}
	return s, nil
}

func (l *login) logs(ctx context.Context, out io.Writer, follow bool) error {
	return showLog(ctx, logPath(l.o.State), out, logLines, follow)
}
