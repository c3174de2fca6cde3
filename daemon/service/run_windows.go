package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	kardianos "github.com/kardianos/service"
	"golang.org/x/sys/windows"
)

// The values of [HostFlag].
const (
	hostSCM   = "scm"   // the Windows service manager
	hostLogin = "login" // the process that a login starts; it keeps the program running
	hostChild = "child" // the program as a child of hostLogin
)

// stopTimeout is how long a program may take to stop.
const stopTimeout = 30 * time.Second

// logPath returns the log file of a program without a visible standard error.
func logPath(state string) string { return filepath.Join(state, "filmspool.log") }

// Run runs a program as a service. Without a value of [HostFlag] it is an ordinary process.
func Run(ctx context.Context, p Program) error {
	switch p.Host {
	case "":
		return p.Run(ctx)
	case hostSCM:
		host, err := newKardianos(Options{}, &scmProgram{p: p, ctx: ctx})
		if err != nil {
			return err
		}
		return host.Run()
	case hostLogin:
		return keepRunning(ctx, p.Args)
	case hostChild:
		stop, found, err := openEvent()
		if err != nil || !found {
			return errors.Join(err, errors.New("the process that keeps this program running has ended"))
		}
		ctx, cancel := untilSet(ctx, stop)
		defer cancel()
		return p.Run(ctx)
	default:
		return fmt.Errorf("--%s=%s: not a service manager", HostFlag, p.Host)
	}
}

// scmProgram adapts a program to kardianos/service. Windows restarts a process that exits without
// reporting "stopped", as [Program.Exit] does.
type scmProgram struct {
	p      Program
	ctx    context.Context // [kardianos.Interface] does not pass one
	cancel context.CancelFunc
	done   chan error
}

// Start implements [kardianos.Interface].
func (s *scmProgram) Start(kardianos.Service) error {
	s.ctx, s.cancel = context.WithCancel(s.ctx)
	s.done = make(chan error, 1)
	go func() {
		err := s.p.Run(s.ctx)
		if s.ctx.Err() == nil {
			s.p.Exit(err)
		}
		s.done <- err
	}()
	return nil
}

// Stop implements [kardianos.Interface].
func (s *scmProgram) Stop(kardianos.Service) error {
	s.cancel()
	return waitForResult(context.Background(), s.done)
}

// waitForResult waits for a result for at most stopTimeout.
func waitForResult(ctx context.Context, done <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("stop service: %w", ctx.Err())
	}
}

// keepRunning runs the program in a child process and restarts it until the stop event is set,
// the child succeeds, or it fails with an error that a restart does not solve: an invalid
// configuration (78) or command line (2). It shows no window.
func keepRunning(ctx context.Context, args []string) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	stop, err := newEvent()
	if err != nil {
		return err
	}
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("FreeConsole").Call() // fails without a console
	ctx, cancel := untilSet(ctx, stop)
	defer cancel()
	child := slices.Clone(args[1:])
	for i, arg := range child {
		if arg == "--"+HostFlag+"="+hostLogin {
			child[i] = "--" + HostFlag + "=" + hostChild
		}
	}
	for pause := 5 * time.Second; ; pause = min(2*pause, 5*time.Minute) {
		began := time.Now()
		cmd := exec.CommandContext(ctx, executable, child...)
		cmd.Cancel = func() error { return nil } // the child watches the event itself
		cmd.WaitDelay = stopTimeout
		cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
		err := cmd.Run()
		if ctx.Err() != nil || err == nil {
			return nil
		}
		if ended, ok := errors.AsType[*exec.ExitError](err); ok && (ended.ExitCode() == 78 || ended.ExitCode() == 2) {
			return err
		}
		if time.Since(began) > 10*time.Minute {
			pause = 5 * time.Second
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}
