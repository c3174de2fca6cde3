package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/packaging"
)

const unitName = Name + ".service"

// systemd is the service manager that is spoken to directly.
type systemd struct {
	ctl      systemctl
	o        Options
	unitFile string // the file that install writes
	template string // its text, with placeholders
	euid     int
}

func newSystemd(o Options) (*systemd, error) {
	if o.System {
		return &systemd{
			ctl: systemctl{}, o: o, euid: os.Geteuid(),
			unitFile: "/etc/systemd/system/" + unitName, template: packaging.SystemUnit,
		}, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("find the folder for user units: %w", err)
	}
	unitFile := filepath.Join(config, "systemd", "user", unitName)
	return &systemd{ctl: userSystemctl(), o: o, unitFile: unitFile, template: packaging.UserUnit}, nil
}

func (s *systemd) install(ctx context.Context) error {
	if err := s.checkPlace(); err != nil {
		return err
	}
	text, err := unitText(s.template, s.o.Executable, s.o.Args)
	if err != nil {
		return err
	}
	if s.o.System {
		if err := s.ctl.declareGroup(ctx, packaging.Sysusers); err != nil {
			return err
		}
	}
	packaged, err := s.packaged(ctx, text)
	switch {
	case err != nil:
		return err
	case packaged:
		err = s.ctl.run(ctx, "enable", unitName)
	default:
		err = s.place(ctx, text)
	}
	if err != nil || !s.o.Linger || s.o.System {
		return err
	}
	return s.ctl.linger(ctx)
}

// packaged reports whether the unit of a package says the same already. One of
// our own would hide it, and stay as it is when the package is upgraded.
func (s *systemd) packaged(ctx context.Context, text string) (bool, error) {
	if exists(s.unitFile) {
		return false, nil
	}
	u, err := s.ctl.show(ctx)
	if err != nil || u.fragment == "" {
		return false, err
	}
	said, err := os.ReadFile(u.fragment)
	return err == nil && string(said) == text, nil // what cannot be read is not it
}

// place writes the unit and registers it. If that fails, what was there before
// is there again.
func (s *systemd) place(ctx context.Context, text string) error {
	before, err := os.ReadFile(s.unitFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the old unit: %w", err)
	}
	if err := writeFile(s.unitFile, []byte(text)); err != nil {
		return err
	}
	if err := s.register(ctx); err != nil {
		return errors.Join(err, s.restore(ctx, before))
	}
	return nil
}

// register makes systemd read the unit and start it at boot or login.
func (s *systemd) register(ctx context.Context) error {
	if err := s.ctl.run(ctx, "daemon-reload"); err != nil {
		return err
	}
	if err := s.ctl.run(ctx, "enable", unitName); err != nil {
		return err
	}
	u, err := s.ctl.show(ctx)
	if err != nil {
		return err
	}
	if u.fragment != s.unitFile && !sameFile(u.fragment, s.unitFile) {
		return fmt.Errorf("systemd reads %q instead of %s", u.fragment, s.unitFile)
	}
	return nil
}

// restore puts back what stood there before a failed install. A manager that
// cannot be reached has not read the new unit either, so its errors say
// nothing new.
func (s *systemd) restore(ctx context.Context, before []byte) error {
	if before != nil {
		err := writeFile(s.unitFile, before)
		_ = s.ctl.run(ctx, "daemon-reload")
		return err
	}
	_ = s.ctl.run(ctx, "disable", unitName)
	err := os.Remove(s.unitFile)
	_ = s.ctl.run(ctx, "daemon-reload")
	return err
}

// checkPlace refuses a program that the unit's own sandbox would hide.
func (s *systemd) checkPlace() error {
	if err := checkExecutable(s.o.Executable); err != nil {
		return err
	}
	if !s.o.System {
		return nil
	}
	if err := s.mustBeRoot("install"); err != nil {
		return err
	}
	for _, hidden := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(s.o.Executable, hidden) {
			return &Error{
				What:   fmt.Sprintf("a system service cannot see a program in %s", hidden),
				Cause:  errors.ErrUnsupported,
				Advice: fmt.Sprintf("install -m 755 %s /usr/local/bin/filmspool && filmspool service install --system", s.o.Executable),
			}
		}
	}
	return nil
}

func (s *systemd) mustBeRoot(verb string) error {
	if !s.o.System || s.euid == 0 {
		return nil
	}
	return &Error{
		What:   "a system service is in the hands of root",
		Cause:  fs.ErrPermission,
		Advice: fmt.Sprintf("sudo filmspool service %s --system", verb),
	}
}

func (s *systemd) uninstall(ctx context.Context) error {
	if err := s.mustBeRoot("uninstall"); err != nil {
		return err
	}
	u, err := s.ctl.show(ctx)
	if err != nil {
		return err
	}
	if !u.loaded() && !exists(s.unitFile) {
		return nil
	}
	if err := s.ctl.run(ctx, "disable", "--now", unitName); err != nil {
		return err
	}
	if !exists(s.unitFile) {
		return nil // it belongs to a package, and goes with that
	}
	if err := os.Remove(s.unitFile); err != nil {
		return fmt.Errorf("remove unit: %w", err)
	}
	if err := s.ctl.run(ctx, "daemon-reload"); err != nil {
		return err
	}
	_ = s.ctl.run(ctx, "reset-failed", unitName) // fails when there is nothing to forget
	return nil
}

func (s *systemd) start(ctx context.Context) error   { return s.verb(ctx, "start") }
func (s *systemd) stop(ctx context.Context) error    { return s.verb(ctx, "stop") }
func (s *systemd) restart(ctx context.Context) error { return s.verb(ctx, "restart") }

func (s *systemd) verb(ctx context.Context, verb string) error {
	u, err := s.ctl.show(ctx)
	if err != nil {
		return err
	}
	if !u.loaded() {
		return notInstalled(s.o.System)
	}
	if verb != "stop" {
		_ = s.ctl.run(ctx, "reset-failed", unitName) // or the start limit of an old crash loop would refuse
	}
	return s.ctl.run(ctx, verb, unitName)
}

func (s *systemd) status(ctx context.Context) (Status, error) {
	u, err := s.ctl.show(ctx)
	if err != nil {
		return Status{}, err
	}
	return u.status(), nil
}

func (s *systemd) logs(ctx context.Context, out io.Writer, follow bool) error {
	args := []string{"--no-pager", "--lines=200", "--unit=" + unitName}
	if !s.o.System {
		args[2] = "--user-unit=" + unitName
	}
	if follow {
		args = append(args, "--follow")
	}
	return s.ctl.journal(ctx, out, args)
}

// sameFile reports whether two paths lead to one file, as they do where the
// home folder is a link.
func sameFile(a, b string) bool {
	left, err := os.Stat(a)
	if err != nil {
		return false
	}
	right, err := os.Stat(b)
	return err == nil && os.SameFile(left, right)
}

// userName is the name of whoever runs this program, for a hint.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprint(os.Getuid())
}
