package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
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
	lingers  string // the folder with a file for everyone who lingers
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
	return &systemd{
		ctl: userSystemctl(), o: o, euid: os.Geteuid(), unitFile: unitFile,
		template: packaging.UserUnit, lingers: "/var/lib/systemd/linger",
	}, nil
}

func (s *systemd) install(ctx context.Context) error {
	if err := s.checkPlace(); err != nil {
		return err
	}
	text, err := s.text(ctx)
	if err != nil {
		return err
	}
	if err := s.verify(ctx, text); err != nil {
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

// text is the unit that install writes.
func (s *systemd) text(ctx context.Context) (string, error) {
	template := s.template
	if !s.o.System && s.ctl.refusesWalls(ctx) {
		template = packaging.WithoutWalls()
	}
	if s.o.User != "" {
		var err error
		if template, err = personUnit(template, s.o.User, s.o.Visible); err != nil {
			return "", fmt.Errorf("make a unit for %s: %w", s.o.User, err)
		}
	}
	template, err := s.allowState(template)
	if err != nil {
		return "", err
	}
	return unitText(template, s.o.Executable, s.o.Args)
}

// verify has systemd read a unit before it is put anywhere. What its tool says
// of itself, as where nobody is logged in, is not about the unit.
func (s *systemd) verify(ctx context.Context, text string) error {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "filmspool-unit-")
	if err != nil {
		return fmt.Errorf("verify the unit: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, unitName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("verify the unit: %w", err)
	}
	out, err := s.ctl.command(ctx, "systemd-analyze", s.ctl.args([]string{"verify", "--man=no", file})...).CombinedOutput()
	if err != nil && strings.Contains(string(out), unitName) {
		said := strings.ReplaceAll(strings.TrimSpace(string(out)), dir+"/", "")
		return &Error{What: "systemd would not take the unit, so nothing was changed: " + said, Cause: err}
	}
	return nil
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
	if err := writeFile(s.unitFile, []byte(text), 0o644); err != nil {
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
		err := writeFile(s.unitFile, before, 0o644)
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
	for _, hidden := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(s.o.Executable, hidden) {
			const place = "/usr/local/bin/filmspool"
			return &Error{
				What:  fmt.Sprintf("a system service cannot see a program in %s", hidden),
				Cause: errors.ErrUnsupported,
				Advice: fmt.Sprintf("sudo install -m 755 %s %s && sudo %[2]s --system service %s",
					shellWord(s.o.Executable), place, s.again("install")),
			}
		}
	}
	return s.mustBeRoot("install")
}

func (s *systemd) mustBeRoot(verb string) error {
	if !s.o.System || s.euid == 0 {
		return nil
	}
	return rootOnly(s.again(verb))
}

// again is a verb with what was asked for.
func (s *systemd) again(verb string) string {
	if verb == "install" && s.o.User != "" {
		verb += " --user " + s.o.User
	}
	return verb
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
	if u.load == "not-found" && !exists(s.unitFile) {
		return s.ctl.run(ctx, "stop", unitName) // somebody has removed the file
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
	if verb == "stop" {
		return s.ctl.run(ctx, verb, unitName)
	}
	if u.state() != Running {
		_ = s.ctl.run(ctx, "reset-failed", unitName) // or the start limit of an old crash loop would refuse
	}
	if err := s.ctl.run(ctx, verb, unitName); err != nil {
		return s.whyNot(ctx, err)
	}
	return nil
}

// whyNot says why the program did not start, in its own words where the
// journal has them: systemctl names only the commands that would tell.
func (s *systemd) whyNot(ctx context.Context, err error) error {
	u, showErr := s.ctl.show(ctx)
	if showErr != nil || u.state() != Failed && u.state() != Restarting {
		return err
	}
	said := s.ctl.lastWords(ctx, u.lastPID, wordsPatience)
	e := &Error{What: "it did not start: " + said.or(failure(u.result, u.exitStatus)), Cause: err, Advice: s.next(u, said)}
	if u.state() == Restarting {
		e.What += "; systemd tries again every few seconds"
	}
	return e
}

// next is the command to type when the program has ended by itself.
func (s *systemd) next(u unitState, said words) string {
	switch {
	case said.hint != "":
		return said.hint
	case u.exitStatus == exitConfig:
		return command(s.o.System, "config check")
	}
	return s.mayRead("service logs")
}

// mayRead is a command that reads the journal; that of the machine's service
// is shown to root, and to members of groups that differ.
func (s *systemd) mayRead(words string) string {
	if s.o.System && s.euid != 0 {
		return "sudo " + command(true, words)
	}
	return command(s.o.System, words)
}

func (s *systemd) status(ctx context.Context) (Status, error) {
	u, err := s.ctl.show(ctx)
	if err != nil {
		return Status{}, err
	}
	told := u.status()
	told.UntilLogout = told.Installed && !s.o.System && !exists(filepath.Join(s.lingers, userName()))
	switch told.State {
	case Failed, Restarting:
		said := s.ctl.lastWords(ctx, u.lastPID, 0)
		switch {
		case said.text != "" && u.exitStatus == exitConfig:
			told.Detail = "it refuses to start (exit code 78): " + said.text
		case said.text != "":
			told.Detail += ": " + said.text
		}
		told.Hint = s.next(u, said)
	case Running:
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", u.pid)) // only its owner may
		told.Outdated = strings.HasSuffix(link, " (deleted)")
	case Stopped:
		told.Hint = Command(s.o.System, "service start")
	}
	return told, nil
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
