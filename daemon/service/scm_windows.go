package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	kardianos "github.com/kardianos/service"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc/mgr"
)

// serviceAccount is whom the machine's service runs as: a virtual account, which
// Windows makes for the one service of that name, without a password and with
// no rights but those of every user.
const serviceAccount = `NT SERVICE\` + Name

// scm is the Windows service manager, as kardianos/service speaks to it. That
// asks for more rights to look than a person has, and tells no process.
type scm struct {
	kardianos.Service
	o Options
}

func newSCM(o Options) (backend, error) {
	o.Args = withHost(o.Args, HostSCM)
	svc, err := newKardianos(o, serviceAccount, kardianos.KeyValue{
		"DelayedAutoStart":               true,
		kardianos.OnFailure:              kardianos.OnFailureRestart,
		kardianos.OnFailureDelayDuration: "10s",
		kardianos.OnFailureResetPeriod:   24 * 60 * 60,
	})
	return newManaged(o, &scm{Service: svc, o: o}, false), err
}

// Install puts another service in the place of an older one, which starts again
// if it ran.
func (m *scm) Install() error {
	if inside(m.o.Executable, os.Getenv("USERPROFILE")) {
		return &Error{
			What: fmt.Sprintf("%s lies in your own folder, which the service's account (%s) cannot read; "+
				"put it where every user's programs are, such as C:\\Program Files", m.o.Executable, serviceAccount),
			Cause: errors.ErrUnsupported,
		}
	}
	if err := shelter(m.o.State); err != nil {
		return err
	}
	before, err := m.state()
	if err != nil {
		return err
	}
	if before.Installed {
		if err := errors.Join(m.Stop(), m.Uninstall()); err != nil {
			return err
		}
	}
	if err := m.Service.Install(); err != nil {
		_ = m.Service.Uninstall() // a part may be there
		return asked(err)
	}
	if before.State == Running || before.State == Starting {
		return m.Start()
	}
	return nil
}

// Uninstall forgives kardianos, which also takes away a source of events that
// services of older versions do not have.
func (m *scm) Uninstall() error {
	err := m.Service.Uninstall()
	if s, look := m.state(); look == nil && !s.Installed {
		return nil
	}
	return asked(err)
}

func (m *scm) Start() error {
	if err := forget(m.o.State); err != nil {
		return err
	}
	return asked(m.Service.Start())
}

// Stop waits for the end of the process, too, which comes a moment after the
// manager's word: until then its file cannot be replaced.
func (m *scm) Stop() error {
	s, err := m.state()
	if err != nil {
		return err
	}
	defer exits(s.PID)()
	err = m.Service.Stop()
	if errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) || errors.Is(err, windows.ERROR_SERVICE_CANNOT_ACCEPT_CTRL) { // it stops
		return nil
	}
	return asked(err)
}

// asked puts what the manager refuses into words.
func asked(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return &Error{
			What:  "Windows lets only an administrator do that; open the terminal with \"Run as administrator\"",
			Cause: err,
		}
	case errors.Is(err, windows.ERROR_SERVICE_MARKED_FOR_DELETE):
		return &Error{What: "Windows is still removing the service; close its Services window, or start the machine again", Cause: err}
	}
	return err
}

// state asks for no rights but those to look, which everybody has.
func (m *scm) state() (Status, error) {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return Status{}, asked(err)
	}
	defer func() { _ = windows.CloseServiceHandle(manager) }()
	name, err := windows.UTF16PtrFromString(Name)
	if err != nil {
		return Status{}, err
	}
	h, err := windows.OpenService(manager, name, windows.SERVICE_QUERY_STATUS|windows.SERVICE_QUERY_CONFIG)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return Status{State: NotInstalled}, nil
	}
	if err != nil {
		return Status{}, asked(err)
	}
	service := &mgr.Service{Name: Name, Handle: h}
	defer func() { _ = service.Close() }()
	q, err := service.Query()
	if err != nil {
		return Status{}, fmt.Errorf("ask service manager: %w", err)
	}
	said := readRecord(m.o.State)
	s := scmStatus(uint32(q.State), q.Win32ExitCode, said)
	if s.PID = int(q.ProcessId); s.PID != 0 && s.PID == said.PID {
		s.Since = said.Since
	}
	s.Autostart, err = startsByItself(h)
	return s, err
}

// startsByItself asks for less than [mgr.Service.Config], part of which Wine does
// not know.
func startsByItself(service windows.Handle) (bool, error) {
	text := make([]byte, 8<<10) // the most there is (QueryServiceConfigW)
	c := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&text[0]))
	var needed uint32
	if err := windows.QueryServiceConfig(service, c, uint32(len(text)), &needed); err != nil {
		return false, fmt.Errorf("ask service manager: %w", err)
	}
	return c.StartType == mgr.StartAutomatic, nil
}

func (m *scm) logs(ctx context.Context, out io.Writer, follow bool) error {
	err := showLog(ctx, logPath(m.o.State), out, logLines, follow)
	if errors.Is(err, fs.ErrPermission) {
		return asked(windows.ERROR_ACCESS_DENIED)
	}
	return err
}

// shelter makes the folder of the machine's service, for that, administrators
// and Windows alone: in %ProgramData% everybody may make folders and read what
// others make. One that somebody else made first is refused.
func shelter(folder string) error {
	text := "O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + serviceSID(Name) + ")"
	descriptor, err := windows.SecurityDescriptorFromString(text)
	if err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: descriptor}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	err = windows.CreateDirectory(path, attributes)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		err = takeOver(folder, descriptor)
	}
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return asked(err)
	}
	if err != nil {
		return fmt.Errorf("prepare state folder %s: %w", folder, err)
	}
	return nil
}

// takeOver gives a folder that is there the same rights.
func takeOver(folder string, wanted *windows.SECURITY_DESCRIPTOR) error {
	now, err := windows.GetNamedSecurityInfo(folder, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := now.Owner()
	if err != nil {
		return err
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	if !owner.Equals(me.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) &&
		!owner.IsWellKnown(windows.WinLocalSystemSid) && owner.String() != serviceSID(Name) {
		return errors.New("it belongs to another user, who could read what is kept there; look at it, and remove or rename it")
	}
	administrators, _, err := wanted.Owner()
	if err != nil {
		return err
	}
	list, _, err := wanted.DACL()
	if err != nil {
		return err
	}
	const what = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return windows.SetNamedSecurityInfo(folder, windows.SE_FILE_OBJECT, what, administrators, nil, list, nil)
}
