//go:build !darwin && !windows

package service

import (
	"context"
	"errors"
	"fmt"
	"io"

	kardianos "github.com/kardianos/service"
)

// foreign is a service manager that kardianos/service speaks to.
type foreign struct {
	svc    kardianos.Service
	o      Options
	traces traces
}

// traces are the ways to see an installed service that do not ask the manager:
// kardianos tells "not installed" from "cannot tell" in few of them.
type traces struct {
	find  func() string // the file that makes it one, or empty
	sweep func() error  // removes what kardianos leaves behind
	logs  func(ctx context.Context, out io.Writer, follow bool) error
}

// newForeign prepares kardianos/service; options are its per-system ones.
func newForeign(o Options, options kardianos.KeyValue, t traces) (*foreign, error) {
	svc, err := kardianos.New(nil, &kardianos.Config{
		Name:        Name,
		DisplayName: "Filmspool",
		Description: "Keeps what you watched until your tracking service has it",
		Executable:  o.Executable,
		Arguments:   o.Args,
		Option:      options,
	})
	if errors.Is(err, kardianos.ErrNoServiceSystemDetected) {
		return nil, noManager("no service manager is running here; start it with: filmspool run")
	}
	if err != nil {
		return nil, fmt.Errorf("prepare service: %w", err)
	}
	return &foreign{svc: svc, o: o, traces: t}, nil
}

// install replaces an older installation, since kardianos refuses to touch
// one, and takes back a failed one, since it leaves an empty file.
func (f *foreign) install(ctx context.Context) error {
	if err := checkExecutable(f.o.Executable); err != nil {
		return err
	}
	if err := f.uninstall(ctx); err != nil {
		return err
	}
	err := f.svc.Install()
	if err != nil {
		return errors.Join(fmt.Errorf("install service: %w", err), f.uninstall(ctx))
	}
	return nil
}

func (f *foreign) uninstall(ctx context.Context) error {
	s, err := f.status(ctx)
	if err != nil {
		return err
	}
	if !s.Installed {
		return nil
	}
	if s.State != Stopped {
		if err := f.do(ctx, "stop", f.svc.Stop); err != nil {
			return err
		}
	}
	if err := f.do(ctx, "uninstall", f.svc.Uninstall); err != nil {
		return err
	}
	if f.traces.sweep != nil {
		return f.traces.sweep()
	}
	return nil
}

func (f *foreign) start(ctx context.Context) error {
	return f.verb(ctx, "start", Running, f.svc.Start)
}

func (f *foreign) stop(ctx context.Context) error {
	return f.verb(ctx, "stop", Stopped, f.svc.Stop)
}

func (f *foreign) restart(ctx context.Context) error {
	if err := f.stop(ctx); err != nil {
		return err
	}
	return f.start(ctx)
}

// verb does what is needed to come to the wanted state, if anything.
func (f *foreign) verb(ctx context.Context, name string, want State, act func() error) error {
	s, err := f.status(ctx)
	if err != nil {
		return err
	}
	if !s.Installed {
		return notInstalled(f.o.System)
	}
	if s.State == want {
		return nil
	}
	return f.do(ctx, name, act)
}

// do gives up when ctx ends: kardianos waits without end for a Windows service
// that does not stop. The call it leaves behind ends with the program.
func (f *foreign) do(ctx context.Context, name string, act func() error) error {
	done := make(chan error, 1)
	go func() { done <- act() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s service: %w", name, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s service: %w", name, ctx.Err())
	}
}

func (f *foreign) status(context.Context) (Status, error) {
	unit := ""
	if f.traces.find != nil {
		if unit = f.traces.find(); unit == "" {
			return Status{State: NotInstalled}, nil
		}
	}
	s, err := f.svc.Status()
	switch {
	case errors.Is(err, kardianos.ErrNotInstalled):
		return Status{State: NotInstalled}, nil
	case s == kardianos.StatusRunning:
		return Status{Installed: true, State: Running, Autostart: true, Unit: unit}, nil
	case s == kardianos.StatusStopped, unit != "":
		// An init script that says anything but "running" has no more words.
		return Status{Installed: true, State: Stopped, Autostart: true, Unit: unit}, nil
	case err != nil:
		return Status{}, fmt.Errorf("ask service manager: %w", err)
	}
	return Status{}, errors.New("ask service manager: it does not know the service's state")
}

func (f *foreign) logs(ctx context.Context, out io.Writer, follow bool) error {
	if f.traces.logs == nil {
		return &Error{
			What:   fmt.Sprintf("%s keeps the log, and this program cannot read it", f.svc.Platform()),
			Cause:  errors.ErrUnsupported,
			Advice: "filmspool run",
		}
	}
	return f.traces.logs(ctx, out, follow)
}
