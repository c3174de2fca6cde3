package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	kardianos "github.com/kardianos/service"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"

	"github.com/filmspool/filmspool/queue/viewing"
)

// serviceAccount is the user of the machine-wide service: a virtual account that Windows creates
// for this service, without a password and with the rights of an ordinary user.
const serviceAccount = `NT SERVICE\` + Name

var windowsName, _ = windows.UTF16PtrFromString(Name)

// scm controls a Windows service through kardianos/service. Windows restarts the program one
// minute after it has failed.
type scm struct {
	kardianos.Service
	o Options
}

func newSCM(o Options) (backend, error) {
	svc, err := newKardianos(o, nil)
	return &scm{Service: svc, o: o}, err
}

func newKardianos(o Options, run kardianos.Interface) (kardianos.Service, error) {
	return kardianos.New(run, &kardianos.Config{
		Name: Name, DisplayName: "Filmspool", Description: "Keeps what you watched until your tracking service has it",
		UserName: serviceAccount, Executable: o.Executable,
		Arguments: append(o.Args, "--"+HostFlag+"="+hostSCM, "--"+LogFlag+"="+logPath(o.State)),
		Option: kardianos.KeyValue{
			"DelayedAutoStart": true, kardianos.OnFailure: kardianos.OnFailureRestart,
			kardianos.OnFailureDelayDuration: "60s", kardianos.OnFailureResetPeriod: 24 * 60 * 60,
		},
	})
}

// install replaces an existing service.
func (m *scm) install(ctx context.Context) error {
	if inside(m.o.Executable, os.Getenv("USERPROFILE")) {
		return refuse(errors.ErrUnsupported, viewing.Say("service.ownFolder", "path", m.o.Executable, "account", serviceAccount), "")
	}
	before, err := m.status(ctx)
	if err != nil {
		return err
	}
	if before.Installed && before.State != Stopped {
		err = m.stop(ctx)
	}
	if before.Installed {
		err = errors.Join(err, m.uninstall(ctx))
	}
	if err != nil {
		return err
	}
	if err := m.Install(); err != nil {
		_ = m.Uninstall() // it may be partly installed
		return explainDenied(err)
	}
	if err := createPrivateFolder(ctx, m.o.State); err != nil {
		return errors.Join(err, m.uninstall(ctx))
	}
	if before.State == Running || before.State == Starting {
		return m.start(ctx)
	}
	return nil
}

// createPrivateFolder creates the service's folder with access for the service, administrators
// and Windows only: everyone may read new folders in %ProgramData%.
func createPrivateFolder(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	const system, administrators = "*S-1-5-18", "*S-1-5-32-544"
	icacls := filepath.Join(os.Getenv("SystemRoot"), "System32", "icacls.exe")
	for _, args := range [][]string{
		{"/setowner", administrators, "/T"},
		{"/inheritance:r", "/grant:r", system + ":(OI)(CI)F", administrators + ":(OI)(CI)F", serviceAccount + ":(OI)(CI)F"},
	} {
		if out, err := exec.CommandContext(ctx, icacls, append([]string{folder}, args...)...).CombinedOutput(); err != nil {
			return refuse(err, viewing.Say("service.tool", "command", "icacls "+folder, "detail", strings.TrimSpace(string(out))), "")
		}
	}
	return nil
}

func (m *scm) uninstall(ctx context.Context) error {
	err := m.Uninstall()
	if s, statusErr := m.status(ctx); statusErr == nil && !s.Installed { // kardianos fails if its event source is missing
		return nil
	}
	return explainDenied(err)
}

func (m *scm) start(context.Context) error { return explainDenied(m.Start()) }

func (m *scm) stop(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- m.Stop() }() // kardianos waits forever for a service that does not stop
	return explainDenied(waitForResult(ctx, done))
}

// explainDenied replaces "access denied" by a message for the user.
func explainDenied(err error) error {
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return refuse(fs.ErrPermission, viewing.Say("service.administrator"), "")
	}
	return err
}

// status opens the service with query access only, which everyone has.
func (m *scm) status(context.Context) (Status, error) {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return Status{}, explainDenied(err)
	}
	defer func() { _ = windows.CloseServiceHandle(manager) }()
	h, err := windows.OpenService(manager, windowsName, windows.SERVICE_QUERY_STATUS)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return Status{State: NotInstalled}, nil
	}
	if err != nil {
		return Status{}, explainDenied(err)
	}
	service := &mgr.Service{Name: Name, Handle: h}
	defer service.Close()
	q, err := service.Query()
	if err != nil {
		return Status{}, fmt.Errorf("ask service manager: %w", err)
	}
	s := Status{Installed: true, Autostart: true, State: cmp.Or(scmStates[q.State], Stopped), PID: int(q.ProcessId), Unit: "Windows service " + Name}
	if s.State == Stopped && q.Win32ExitCode != 0 && q.Win32ExitCode != uint32(windows.ERROR_SERVICE_NEVER_STARTED) {
		s.State, s.Detail = Restarting, viewing.Say("service.exit", "status", fmt.Sprint(q.Win32ExitCode))
	}
	return s, nil
}

// scmStates maps Windows' states; all others are [Stopped].
var scmStates = map[svc.State]State{svc.Running: Running, svc.StartPending: Starting, svc.StopPending: Stopping}

func (m *scm) logs(ctx context.Context, out io.Writer, follow bool) error {
	err := showLog(ctx, logPath(m.o.State), out, follow)
	if errors.Is(err, fs.ErrPermission) {
		return explainDenied(windows.ERROR_ACCESS_DENIED)
	}
	return err
}

// inside reports whether a path is in a folder.
func inside(path, folder string) bool {
	below, err := filepath.Rel(strings.ToLower(folder), strings.ToLower(path))
	return folder != "" && err == nil && !strings.HasPrefix(below, "..")
}
