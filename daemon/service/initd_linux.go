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
	"time"

	"github.com/filmspool/filmspool/packaging"
)

// initd is an init that reads scripts: OpenRC, SysV's or procd. It is spoken to
// directly, since kardianos/service would write its own texts over those of a
// package, run the program as root, and believe what OpenRC says of a program
// that keeps crashing.
type initd struct {
	kind   initKind
	o      Options
	script string
	run    string // the folder of the control file
	log    string
	euid   int
	// settling is how long after a start what can be seen may still be of
	// before: the shell that becomes the program, no process yet.
	settling time.Duration
	state    func(ctx context.Context) (Status, error) // of an installed service
}

// initKind is what the three kinds do differently.
type initKind struct {
	name            string
	text            string
	enable, disable []string // as command lines
	verb            []string // before "start" or "stop"
	enabled         func() bool
	logs, follow    []string // command lines; none reads the file
	account         bool     // it runs as a user of its own
}

const (
	initScriptFile = "/etc/init.d/" + Name
	initLog        = "/var/log/" + Name + ".log"
	initRun        = "/run/" + Name
	openrcOptions  = "/run/openrc/options/" + Name
	sysvPID        = "/run/" + Name + ".pid"
)

func newOpenRC(o Options) *initd {
	d := &initd{o: o, script: initScriptFile, run: initRun, log: initLog, euid: os.Geteuid(), settling: time.Second, kind: initKind{
		name: "OpenRC", text: packaging.OpenRC, account: true,
		enable: []string{"rc-update", "add", Name, "default"}, disable: []string{"rc-update", "delete", Name, "default"},
		verb:    []string{"rc-service", Name},
		enabled: func() bool { return exists("/etc/runlevels/default/" + Name) },
	}}
	d.state = func(ctx context.Context) (Status, error) { return d.openrcState(ctx, openrcOptions, "/proc") }
	return d
}

func newSysV(o Options) *initd {
	d := &initd{o: o, script: initScriptFile, run: initRun, log: initLog, euid: os.Geteuid(), settling: time.Second, kind: initKind{
		name: "SysV init", text: packaging.SysV, account: true,
		enable: []string{"update-rc.d", Name, "defaults"}, disable: []string{"update-rc.d", Name, "remove"},
		verb: []string{"service", Name},
		enabled: func() bool {
			links, _ := filepath.Glob("/etc/rc[2-5].d/S??" + Name)
			return len(links) > 0
		},
	}}
	d.state = func(context.Context) (Status, error) { return d.sysvState(sysvPID, "/proc"), nil }
	return d
}

func newProcd(o Options) *initd {
	if !containsFlag(o.Args, "--state-dir") {
		o.Args = append(o.Args, "--state-dir", "/etc/filmspool/state") // /var is lost at each boot
	}
	d := &initd{o: o, script: initScriptFile, run: initRun, euid: os.Geteuid(), settling: time.Second, kind: initKind{
		name: "procd", text: packaging.Procd,
		enable: []string{initScriptFile, "enable"}, disable: []string{initScriptFile, "disable"},
		verb: []string{initScriptFile},
		enabled: func() bool {
			links, _ := filepath.Glob("/etc/rc.d/S??" + Name)
			return len(links) > 0
		},
		logs: []string{"logread", "-e", Name}, follow: []string{"logread", "-f", "-e", Name},
	}}
	d.state = d.procdState
	return d
}

func containsFlag(args []string, flag string) bool {
	for _, arg := range args {
		if arg == flag || strings.HasPrefix(arg, flag+"=") {
			return true
		}
	}
	return false
}

func (d *initd) mustBeRoot(verb string) error {
	if d.euid == 0 {
		return nil
	}
	return &Error{
		What: "the machine's services are in the hands of root", Cause: fs.ErrPermission,
		Advice: "sudo " + command(true, "service "+verb),
	}
}

// install leaves a script alone that says the same, as a package's does.
func (d *initd) install(ctx context.Context) error {
	if err := checkExecutable(d.o.Executable); err != nil {
		return err
	}
	if d.o.User != "" {
		return &Error{
			What:   fmt.Sprintf("%s runs Filmspool as a user of its own; only systemd can run it as %s", d.kind.name, d.o.User),
			Cause:  errors.ErrUnsupported,
			Advice: Command(true, "service install") + ", and let the group filmspool read the Kodi folder",
		}
	}
	if err := d.mustBeRoot("install"); err != nil {
		return err
	}
	text, err := initScript(d.kind.text, d.o.Executable, d.o.Args)
	if err != nil {
		return err
	}
	if d.kind.account {
		if err := makeAccount(ctx); err != nil {
			return err
		}
	}
	before, err := os.ReadFile(d.script)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the old script: %w", err)
	}
	same := string(before) == text
	if !same {
		if err := writeScript(d.script, text); err != nil {
			return err
		}
	}
	if d.kind.enabled() {
		return nil
	}
	if err := tool(ctx, d.kind.enable...); err != nil {
		return errors.Join(err, d.restore(before, same))
	}
	return nil
}

// writeScript puts a script at path, whole or not at all.
func writeScript(path, text string) error {
	if err := writeFile(path, []byte(text)); err != nil {
		return err
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// restore puts back what stood there before a failed install.
func (d *initd) restore(before []byte, same bool) error {
	switch {
	case same:
		return nil
	case before == nil:
		return os.Remove(d.script)
	default:
		return writeScript(d.script, string(before))
	}
}

func (d *initd) uninstall(ctx context.Context) error {
	if err := d.mustBeRoot("uninstall"); err != nil {
		return err
	}
	if !exists(d.script) {
		return nil
	}
	if err := d.stop(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(d.run); err != nil {
		return fmt.Errorf("remove %s: %w", d.run, err)
	}
	packaged := packageOwns(ctx, d.script)
	// SysV's tool wants the script gone, the others want it there.
	if d.kind.enabled() && d.kind.name != "SysV init" {
		if err := tool(ctx, d.kind.disable...); err != nil {
			return err
		}
	}
	if packaged {
		return nil
	}
	if err := os.Remove(d.script); err != nil {
		return fmt.Errorf("remove the script: %w", err)
	}
	if d.kind.enabled() {
		return tool(ctx, d.kind.disable...)
	}
	return nil
}

// packageOwns asks Alpine's package manager, the only one that brings a script
// of ours.
func packageOwns(ctx context.Context, path string) bool {
	return exec.CommandContext(ctx, "apk", "info", "--who-owns", path).Run() == nil
}

func (d *initd) start(ctx context.Context) error { return d.bring(ctx, "start") }

func (d *initd) stop(ctx context.Context) error {
	if err := d.mustBeRoot("stop"); err != nil {
		return err
	}
	if !exists(d.script) {
		return notInstalled(true)
	}
	s, err := d.status(ctx)
	if err != nil || s.State == Stopped {
		return err
	}
	return tool(ctx, append(append([]string{}, d.kind.verb...), "stop")...)
}

func (d *initd) restart(ctx context.Context) error {
	if err := d.stop(ctx); err != nil {
		return err
	}
	return d.bring(ctx, "restart")
}

// bring starts the program and waits until it answers: no init of this kind
// tells when it is ready.
func (d *initd) bring(ctx context.Context, verb string) error {
	if err := d.mustBeRoot(verb); err != nil {
		return err
	}
	if !exists(d.script) {
		return notInstalled(true)
	}
	s, err := d.status(ctx)
	if err != nil || s.State == Running {
		return err
	}
	if s.State == Failed { // what is left of it would keep it from being started
		_ = tool(ctx, append(append([]string{}, d.kind.verb...), "stop")...)
	}
	if err := tool(ctx, append(append([]string{}, d.kind.verb...), "start")...); err != nil {
		return &Error{What: err.Error(), Cause: err, Advice: command(true, "service logs")}
	}
	return d.awaitReady(ctx)
}

func (d *initd) awaitReady(ctx context.Context) error {
	begun := time.Now()
	return await(ctx, "start", startPatience, func() (bool, error) {
		s, err := d.status(ctx)
		down := s.State == Failed || s.State == Restarting || s.State == Stopped
		switch {
		case err != nil:
			return false, err
		case down && time.Since(begun) > d.settling:
			return false, &Error{What: "it did not start: " + s.Detail, Cause: errors.New(string(s.State)), Advice: s.Hint}
		default:
			return s.State == Running && d.answers(ctx), nil
		}
	})
}

// answers asks the program, where the caller knows how.
func (d *initd) answers(ctx context.Context) bool {
	if d.o.Ask == nil {
		return true
	}
	version, err := d.o.Ask(ctx)
	return err == nil && version != ""
}

func (d *initd) logs(ctx context.Context, out io.Writer, follow bool) error {
	if !exists(d.script) {
		return notInstalled(true)
	}
	line := d.kind.logs
	if follow {
		line = d.kind.follow
	}
	if len(line) == 0 {
		if !exists(d.log) {
			return nil // it has not run yet
		}
		f, err := os.Open(d.log)
		if errors.Is(err, fs.ErrPermission) {
			return &Error{What: "you may not read " + d.log, Cause: err, Advice: "sudo " + command(true, "service logs")}
		} else if err == nil {
			f.Close()
		}
		line = []string{"tail", "-n", "200", d.log}
		if follow {
			line = []string{"tail", "-n", "200", "-F", d.log}
		}
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return nil
}

// tool runs one of init's own tools. The error holds what it wrote.
func tool(ctx context.Context, line ...string) error {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	// What the program would inherit from this shell is not for a service.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=/root", "TERM=dumb"}
	cmd.WaitDelay = time.Second // the program that it starts may keep its output open
	out, err := cmd.CombinedOutput()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, strings.TrimSpace(string(out)))
}

// makeAccount makes the user and the group of the service, with the tools of
// most systems or those of Alpine's. They stay when the service goes, since
// its files are theirs.
func makeAccount(ctx context.Context) error {
	if _, err := user.Lookup(Name); err == nil {
		return nil
	}
	lines := [][]string{
		{"addgroup", "-S", Name},
		{"adduser", "-S", "-D", "-H", "-h", "/var/lib/filmspool", "-s", "/sbin/nologin", "-G", Name, "-g", Name, Name},
	}
	if _, err := exec.LookPath("useradd"); err == nil {
		lines = [][]string{
			{"groupadd", "--system", "--force", Name},
			{"useradd", "--system", "--gid", Name, "--no-create-home", "--home-dir", "/var/lib/filmspool", "--shell", "/usr/sbin/nologin", Name},
		}
	}
	for _, line := range lines {
		if err := tool(ctx, line...); err != nil && line[0] != "addgroup" { // which fails where the group is there
			return fmt.Errorf("make the service's user: %w", err)
		}
	}
	return nil
}
