package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
)

// serviceAccount is whom the machine's service runs as: a virtual account, which
// Windows makes for the one service of that name, without a password and with
// no rights but those of every user.
const serviceAccount = `NT SERVICE\` + Name

// What is asked of the service manager: looking is everybody's right, the rest
// an administrator's.
const (
	mayLook   = windows.SERVICE_QUERY_STATUS | windows.SERVICE_QUERY_CONFIG
	mayChange = windows.SERVICE_ALL_ACCESS
)

// scm is the Windows service manager.
type scm struct{ o Options }

func newSCM(o Options) *scm {
	o.Args = withHost(slices.Clip(o.Args), HostSCM)
	return &scm{o: o}
}

// with calls do with the service; without one the error is ErrNotInstalled.
func (m *scm) with(access uint32, do func(*mgr.Service) error) error {
	return m.connected(windows.SC_MANAGER_CONNECT, func(c *mgr.Mgr) error {
		name, err := windows.UTF16PtrFromString(Name)
		if err != nil {
			return err
		}
		h, err := windows.OpenService(c.Handle, name, access)
		if err != nil {
			return asked("open service", err)
		}
		s := &mgr.Service{Name: Name, Handle: h}
		return errors.Join(do(s), s.Close())
	})
}

// connected calls do with the service manager.
func (m *scm) connected(access uint32, do func(*mgr.Mgr) error) error {
	h, err := windows.OpenSCManager(nil, nil, access)
	if err != nil {
		return asked("ask service manager", err)
	}
	c := &mgr.Mgr{Handle: h}
	return errors.Join(do(c), c.Disconnect())
}

// asked puts what the manager refuses into words.
func asked(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST):
		return notInstalled(true)
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return &Error{
			What:  "Windows lets only an administrator do that; open the terminal with \"Run as administrator\"",
			Cause: err,
		}
	case errors.Is(err, windows.ERROR_SERVICE_MARKED_FOR_DELETE):
		return &Error{What: "Windows is still removing the service; close its Services window, or start the machine again", Cause: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// install makes the service, or brings it up to date: a new program, a changed
// account.
func (m *scm) install(context.Context) error {
	if err := m.checkPlace(); err != nil {
		return err
	}
	if err := shelter(m.o.State); err != nil {
		return err
	}
	config := mgr.Config{
		ServiceType:      windows.SERVICE_WIN32_OWN_PROCESS,
		StartType:        mgr.StartAutomatic,
		ErrorControl:     mgr.ErrorNormal,
		ServiceStartName: serviceAccount,
		DisplayName:      "Filmspool",
		Description:      "Keeps what you watched until your tracking service has it",
		DelayedAutoStart: true,
	}
	err := m.with(mayChange, func(s *mgr.Service) error {
		config.BinaryPathName = commandLine(m.o)
		return errors.Join(asked("change service", known(s.UpdateConfig(config))), setRecovery(s))
	})
	if !errors.Is(err, ErrNotInstalled) {
		return err
	}
	config.BinaryPathName = ""
	return m.connected(windows.SC_MANAGER_CONNECT|windows.SC_MANAGER_CREATE_SERVICE, func(c *mgr.Mgr) error {
		s, err := c.CreateService(Name, m.o.Executable, config, m.o.Args...)
		if err != nil {
			return asked("install service", err)
		}
		if err := setRecovery(s); err != nil {
			return errors.Join(err, s.Delete(), s.Close())
		}
		return s.Close()
	})
}

// checkPlace refuses a program that the service's account cannot read, or that
// one person could replace.
func (m *scm) checkPlace() error {
	if err := checkExecutable(m.o.Executable); err != nil {
		return err
	}
	if inside(m.o.Executable, os.Getenv("USERPROFILE")) {
		return &Error{
			What: fmt.Sprintf("%s lies in your own folder, which the service's account (%s) cannot read; "+
				"put it where every user's programs are, or install the .msi", m.o.Executable, serviceAccount),
			Cause: errors.ErrUnsupported,
		}
	}
	return nil
}

// setRecovery has a service started again that fails, or ends with an error.
func setRecovery(s *mgr.Service) error {
	day := uint32((24 * time.Hour).Seconds())
	actions := []mgr.RecoveryAction{ // the last one is repeated
		{Type: mgr.ServiceRestart, Delay: firstPause},
		{Type: mgr.ServiceRestart, Delay: time.Minute},
		{Type: mgr.ServiceRestart, Delay: mostPause},
	}
	if err := s.SetRecoveryActions(actions, day); err != nil {
		return fmt.Errorf("set recovery: %w", err)
	}
	if err := known(s.SetRecoveryActionsOnNonCrashFailures(true)); err != nil {
		return fmt.Errorf("set recovery: %w", err)
	}
	return nil
}

// known forgives a manager that does not know one of the things it is told:
// Wine's knows neither the kind of an account nor what an end with an error is.
func known(err error) error {
	if errors.Is(err, windows.ERROR_INVALID_LEVEL) {
		return nil
	}
	return err
}

func (m *scm) uninstall(ctx context.Context) error {
	if err := m.with(mayLook, nothing); errors.Is(err, ErrNotInstalled) {
		return nil
	}
	if err := m.stop(ctx); err != nil {
		return err
	}
	err := m.with(mayChange, func(s *mgr.Service) error { return asked("uninstall service", s.Delete()) })
	if err != nil {
		return err
	}
	return await(ctx, "uninstall", stopPatience, func() (bool, error) {
		err := m.with(mayLook, nothing)
		if errors.Is(err, ErrNotInstalled) {
			return true, nil
		}
		return false, err
	})
}

func nothing(*mgr.Service) error { return nil }

func (m *scm) start(ctx context.Context) error {
	err := m.with(mayLook|windows.SERVICE_START, func(s *mgr.Service) error {
		q, err := s.Query()
		if err != nil || q.State == svc.Running || q.State == svc.StartPending {
			return asked("ask service manager", err)
		}
		if err := os.Remove(recordPath(m.o.State)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("start service: %w", err)
		}
		return asked("start service", s.Start())
	})
	if err != nil {
		return err
	}
	return await(ctx, "start", startPatience, func() (bool, error) {
		s, err := m.status(ctx)
		if err == nil && (s.State == Stopped || s.State == Failed) {
			err = ended(s.Detail, true)
		}
		return s.State == Running, err
	})
}

// stop waits for the end of the process, too, which comes a moment after the
// manager's word: until then its file cannot be replaced.
func (m *scm) stop(ctx context.Context) error {
	s, err := m.status(ctx)
	if err != nil {
		return err
	}
	defer exits(s.PID)()
	return await(ctx, "stop", stopPatience+5*time.Second, func() (stopped bool, err error) {
		err = m.with(mayLook|windows.SERVICE_STOP, func(s *mgr.Service) error {
			_, err := s.Control(svc.Stop)
			switch {
			case errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE):
				stopped = true
				return nil
			case errors.Is(err, windows.ERROR_SERVICE_CANNOT_ACCEPT_CTRL): // it stops, or is not that far
				return nil
			}
			return asked("stop service", err)
		})
		return stopped, err
	})
}

func (m *scm) restart(ctx context.Context) error {
	if err := m.stop(ctx); err != nil {
		return err
	}
	return m.start(ctx)
}

func (m *scm) status(context.Context) (s Status, err error) {
	err = m.with(mayLook, func(service *mgr.Service) error {
		q, err := service.Query()
		if err != nil {
			return asked("ask service manager", err)
		}
		automatic, err := startsByItself(service)
		if err != nil {
			return asked("ask service manager", err)
		}
		said := readRecord(m.o.State)
		s = scmStatus(uint32(q.State), q.Win32ExitCode, q.ServiceSpecificExitCode, said)
		s.Autostart = automatic
		if s.PID = int(q.ProcessId); s.PID != 0 && s.PID == said.PID {
			s.Since = said.Since
		}
		return nil
	})
	if errors.Is(err, ErrNotInstalled) {
		return Status{State: NotInstalled}, nil
	}
	return s, err
}

// startsByItself asks for less than [mgr.Service.Config], part of which Wine does
// not know.
func startsByItself(s *mgr.Service) (bool, error) {
	text := make([]byte, 8<<10) // the most there is (QueryServiceConfigW)
	c := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&text[0]))
	var needed uint32
	if err := windows.QueryServiceConfig(s.Handle, c, uint32(len(text)), &needed); err != nil {
		return false, err
	}
	return c.StartType == mgr.StartAutomatic, nil
}

func (m *scm) logs(ctx context.Context, out io.Writer, follow bool) error {
	err := showLog(ctx, logPath(m.o.State), out, logLines, follow)
	if errors.Is(err, os.ErrPermission) {
		return asked("read log", windows.ERROR_ACCESS_DENIED)
	}
	return err
}
