package service

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
)

// Run runs the program as its service manager wants it and returns what run
// returned. It does not guess who started the program: [HostFlag] among the
// program's args says so, and without it a person did.
func Run(ctx context.Context, args []string, run func(context.Context) error) error {
	switch mode := hostMode(args); mode {
	case "":
		return run(ctx)
	case HostSCM:
		h := &scm{ctx: ctx, run: run}
		if err := svc.Run(Name, h); err != nil {
			return fmt.Errorf("speak to service manager: %w", err)
		}
		return h.err
	case HostLogin:
		return untilAsked(ctx, run)
	default:
		return fmt.Errorf("--%s=%s: not a service manager", HostFlag, mode)
	}
}

// scm answers the service manager while the program runs.
type scm struct {
	ctx context.Context // svc.Handler has no room for it
	run func(context.Context) error
	err error
}

// Execute is called by package svc; see svc.Handler. An end with an error is
// told as exit code 1 of our own, so that recovery acts.
func (s *scm) Execute(_ []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (bool, uint32) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.run(ctx) }()
	changes <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	for {
		select {
		case s.err = <-done:
			changes <- svc.Status{State: svc.StopPending}
			return s.err != nil, exitCode(s.err)
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				changes <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				changes <- svc.Status{State: svc.StopPending, WaitHint: 20_000} // milliseconds
				cancel()
			}
		}
	}
}

func exitCode(err error) uint32 {
	if err != nil {
		return 1
	}
	return 0
}

// untilAsked runs the program until it ends or the login's stop event is set.
func untilAsked(ctx context.Context, run func(context.Context) error) error {
	name, err := windows.UTF16PtrFromString(stopEvent)
	if err != nil {
		return err
	}
	event, err := windows.CreateEvent(nil, 1, 0, name)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		_ = windows.CloseHandle(event)
		return errors.New("filmspool already runs for this login")
	}
	if err != nil {
		return fmt.Errorf("make event: %w", err)
	}
	defer func() { _ = windows.CloseHandle(event) }()
	ctx, cancel := context.WithCancel(ctx)
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_, _ = windows.WaitForSingleObject(event, windows.INFINITE)
		cancel()
	}()
	err = run(ctx)
	_ = windows.SetEvent(event) // lets the goroutine above go
	<-waited
	return err
}
