package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
)

// logSize is when a log is put aside for a new one, in bytes.
const logSize = 5 << 20

// logPath is where a program writes whose standard error nobody reads.
func logPath(state string) string { return filepath.Join(state, "filmspool.log") }

// Run runs the program as its service manager wants it and returns what it
// returned. It does not guess who started the program: [HostFlag] among the
// program's arguments says so, and without it a person did.
func Run(ctx context.Context, p Program) error {
	switch mode := hostMode(p.Args); mode {
	case "":
		return p.Run(ctx, Host{Ready: func() {}})
	case HostSCM:
		h := &scmHost{ctx: ctx, p: p}
		if err := svc.Run(Name, h); err != nil {
			return fmt.Errorf("speak to service manager: %w", err)
		}
		return h.err
	case HostLogin:
		return watch(ctx, p)
	case hostChild:
		return untilAsked(ctx, p)
	default:
		return fmt.Errorf("--%s=%s: not a service manager", HostFlag, mode)
	}
}

// logged runs the program with its log. What cannot be logged is returned.
func (p Program) logged(ctx context.Context, ready func()) error {
	if err := p.Prepare(); err != nil {
		return err
	}
	log, err := openLog(logPath(p.State), logSize)
	if err != nil {
		return err
	}
	return errors.Join(p.Run(ctx, Host{Log: log, Ready: sync.OnceFunc(ready)}), log.Close())
}

// scmHost answers the service manager while the program runs.
type scmHost struct {
	ctx context.Context // svc.Handler has no room for it
	p   Program
	err error
}

// Execute is called by package svc; see svc.Handler.
func (h *scmHost) Execute(_ []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (bool, uint32) {
	const accepts = svc.AcceptStop | svc.AcceptShutdown
	wait := uint32(stopPatience.Milliseconds())
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	ready, done := make(chan struct{}), make(chan error, 1)
	began := time.Now()
	go func() { done <- h.p.logged(ctx, func() { close(ready) }) }()
	now := svc.Status{State: svc.StartPending, Accepts: accepts, WaitHint: wait}
	changes <- now
	for {
		select {
		case h.err = <-done:
			changes <- svc.Status{State: svc.StopPending, WaitHint: wait}
			return h.end(ctx)
		case <-ready:
			ready = nil
			now = svc.Status{State: svc.Running, Accepts: accepts}
			h.tell(record{State: Running, PID: os.Getpid(), Since: began})
			changes <- now
		case r := <-requests:
			if r.Cmd == svc.Stop || r.Cmd == svc.Shutdown {
				now = svc.Status{State: svc.StopPending, WaitHint: wait}
				ready = nil
				cancel()
			}
			changes <- now
		}
	}
}

// end tells how the program ended. Windows starts a process again that goes
// without a word: kardianos/service has it do so after nothing else. Where that
// would mend nothing, or a stop was asked for, the manager hears of no fault, and
// status finds it in the record.
func (h *scmHost) end(ctx context.Context) (specific bool, code uint32) {
	if h.err == nil {
		h.tell(record{State: Stopped, Since: time.Now()})
		return false, 0
	}
	h.tell(record{State: Failed, Since: time.Now(), Detail: h.err.Error()})
	if n := h.p.Code(h.err); ctx.Err() == nil && !noRetry(n) {
		os.Exit(n)
	}
	return false, 0
}

// tell leaves word; that it cannot is no reason to stop.
func (h *scmHost) tell(r record) { _ = r.write(h.p.State) }

// watch keeps the program running until the login's stop event is set. It has
// no window.
func watch(ctx context.Context, p Program) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	stop, err := newEvent()
	if err != nil {
		return err
	}
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("FreeConsole").Call() // there may be none
	if err := p.Prepare(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop.cancels(cancel)
	w := watcher{
		tell: func(r record) {
			r.Watcher = os.Getpid()
			leave(p.State, r)
		},
		once: func(ctx context.Context, began func(int)) (int, string, error) {
			cmd, err := child(ctx, executable, withHost(p.Args[1:], hostChild), began)
			if err != nil {
				return 0, "", err
			}
			said := readRecord(p.State)
			if said.PID != cmd.Process.Pid || said.State != Failed {
				said.Detail = ""
			}
			return cmd.ProcessState.ExitCode(), said.Detail, nil
		},
	}
	w.keep(ctx)
	return nil
}

// child runs the program without a window. It sees the stop event itself; ctx
// only bounds how long that may take.
func child(ctx context.Context, executable string, args []string, began func(pid int)) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, executable, args...)
	cmd.Cancel = func() error { return nil }
	cmd.WaitDelay = stopPatience
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	began(cmd.Process.Pid)
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return cmd, nil
}

// leave leaves word in the record and, of what went wrong and the program could
// not say itself, in the log, which that has closed then.
func leave(state string, r record) {
	_ = r.write(state)
	if r.logged || r.State != Restarting && r.State != Failed {
		return
	}
	log, err := openLog(logPath(state), logSize)
	if err != nil {
		return
	}
	defer func() { _ = log.Close() }()
	fmt.Fprintf(log, "time=%s level=ERROR msg=\"the program ended by itself\" error=%q\n", r.Since.Format(time.RFC3339), r.Detail)
}

// untilAsked runs the program until it ends or the login's stop event is set.
func untilAsked(ctx context.Context, p Program) error {
	stop, there, err := openEvent()
	if err != nil || !there {
		return errors.Join(err, errors.New("nobody keeps this program running"))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop.cancels(cancel)
	if err = p.logged(ctx, func() {}); err != nil {
		_ = record{State: Failed, PID: os.Getpid(), Detail: err.Error()}.write(p.State) // for whoever watches
	}
	return err
}
