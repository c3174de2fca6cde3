//go:build unix

package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/packaging"
)

// launchd is the service manager of macOS. A person's service lives in the
// domain gui/UID of their login on the screen, and starts with that. Where
// nobody is logged in there, as over SSH, it can run in user/UID until the
// machine goes down.
type launchd struct {
	o    Options
	ctl  launchctl
	uid  int
	file string // the property list
	log  string // where launchd appends what the program writes
	// busy is how long launchd gets to end what it is at, settle how long a
	// program has to run to be called started.
	busy, settle time.Duration
}

// newLaunchd keeps everything below one folder: /Library for the whole
// machine, or the one in a person's home.
func newLaunchd(o Options, library string, ctl launchctl, uid int) *launchd {
	kind := "LaunchAgents"
	if o.System {
		kind = "LaunchDaemons"
	}
	o.Args = append(o.Args[:len(o.Args):len(o.Args)], "--"+HostFlag+"="+HostLaunchd)
	return &launchd{
		o: o, ctl: ctl, uid: uid,
		file: filepath.Join(library, kind, Name+".plist"), log: filepath.Join(library, "Logs", "Filmspool.log"),
		busy: 30 * time.Second, settle: time.Second,
	}
}

// install leaves a service that runs with the same text alone. Another text
// takes its place, and it goes on with that.
func (l *launchd) install(ctx context.Context) error {
	if err := l.allowed("install"); err != nil {
		return err
	}
	if l.o.Linger {
		return &Error{
			What:   "macOS has no service of a person that runs from boot",
			Cause:  errors.ErrUnsupported,
			Advice: "sudo " + command(true, "service install"),
		}
	}
	text, err := l.text(ctx)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(l.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read property list: %w", err)
	}
	if string(before) == text {
		return l.enable(ctx)
	}
	jobs, err := l.jobs(ctx)
	if err != nil {
		return err
	}
	if err := l.bootout(ctx, jobs); err != nil {
		return err
	}
	if err := l.place(ctx, text, len(jobs) > 0); err != nil {
		return errors.Join(err, l.restore(ctx, before, len(jobs) > 0))
	}
	return nil
}

// text is a property list that launchd can read.
func (l *launchd) text(ctx context.Context) (string, error) {
	if err := checkExecutable(l.o.Executable); err != nil {
		return "", err
	}
	text, err := plistText(packaging.LaunchdPlist, l.o.Executable, l.o.Args, l.log)
	if err != nil {
		return "", err
	}
	if err := checkPlist(text); err != nil {
		return "", fmt.Errorf("check property list: %w", err)
	}
	plutil, err := exec.LookPath("plutil")
	if err != nil {
		return text, nil // only macOS has it
	}
	cmd := exec.CommandContext(ctx, plutil, "-lint", "-s", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("check property list: %s: %w", oneLine(string(out)), err)
	}
	return text, nil
}

// place writes the property list and has the service start at boot or login;
// now too, if it ran.
func (l *launchd) place(ctx context.Context, text string, ran bool) error {
	// launchd starts nothing whose log it cannot write.
	if err := os.MkdirAll(filepath.Dir(l.log), 0o755); err != nil {
		return fmt.Errorf("make folder for the log: %w", err)
	}
	if err := writeFile(l.file, []byte(text)); err != nil {
		return err
	}
	if ran {
		return l.bootstrap(ctx)
	}
	return l.enable(ctx)
}

// restore puts back what stood there before a failed install.
func (l *launchd) restore(ctx context.Context, before []byte, ran bool) error {
	if before == nil {
		if err := os.Remove(l.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove property list: %w", err)
		}
		return nil
	}
	if err := writeFile(l.file, before); err != nil {
		return err
	}
	if ran {
		return l.bootstrap(ctx)
	}
	return nil
}

// enable takes back an earlier "launchctl disable", under which nothing starts.
func (l *launchd) enable(ctx context.Context) error {
	domain, err := l.domain(ctx)
	if err != nil {
		return err
	}
	_, err = l.ctl(ctx, "enable", domain+"/"+Name)
	if absent(err) {
		return nil // nobody is logged in, so nothing can be said of it
	}
	return err
}

func (l *launchd) uninstall(ctx context.Context) error {
	if err := l.allowed("uninstall"); err != nil {
		return err
	}
	jobs, err := l.jobs(ctx)
	if err != nil {
		return err
	}
	if err := l.bootout(ctx, jobs); err != nil {
		return err
	}
	if err := os.Remove(l.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove property list: %w", err)
	}
	return nil
}

func (l *launchd) start(ctx context.Context) error {
	jobs, err := l.ready(ctx, "start")
	if err != nil {
		return err
	}
	if len(jobs) > 0 && jobs[0].situation() == Running {
		return nil
	}
	return l.anew(ctx, jobs)
}

// stop takes the job from launchd until it is started again, or the next login
// or boot. The program has the 20 seconds of its property list to end.
func (l *launchd) stop(ctx context.Context) error {
	jobs, err := l.ready(ctx, "stop")
	if err != nil {
		return err
	}
	return l.bootout(ctx, jobs)
}

func (l *launchd) restart(ctx context.Context) error {
	jobs, err := l.ready(ctx, "restart")
	if err != nil {
		return err
	}
	return l.anew(ctx, jobs)
}

// anew ends what there is and starts the service. That counts its runs from
// one, and brings a service that was started over SSH to the login on the
// screen, if there is one by now. "kickstart -k" would do neither, and does not
// say which signal it kills with.
func (l *launchd) anew(ctx context.Context, jobs []job) error {
	if err := l.bootout(ctx, jobs); err != nil {
		return err
	}
	if err := l.bootstrap(ctx); err != nil {
		return err
	}
	return l.settled(ctx)
}

// ready is what the verbs of an installed service begin with.
func (l *launchd) ready(ctx context.Context, verb string) ([]job, error) {
	if err := l.allowed(verb); err != nil {
		return nil, err
	}
	jobs, err := l.jobs(ctx)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 && !l.installed() {
		return nil, notInstalled(l.o.System)
	}
	return jobs, nil
}

func (l *launchd) installed() bool {
	_, err := os.Stat(l.file)
	return err == nil
}

// allowed refuses what launchd would: only root may touch the machine's
// service, and root has no login of its own.
func (l *launchd) allowed(verb string) error {
	switch {
	case l.o.System && l.uid != 0:
		return &Error{
			What:   "a system service is in the hands of root",
			Cause:  fs.ErrPermission,
			Advice: "sudo " + command(true, "service "+verb),
		}
	case !l.o.System && l.uid == 0:
		return &Error{
			What:   "root has no service of its own; leave sudo out, or name the machine's",
			Cause:  errors.ErrUnsupported,
			Advice: "sudo " + command(true, "service "+verb),
		}
	}
	return nil
}

func (l *launchd) status(ctx context.Context) (Status, error) {
	jobs, err := l.jobs(ctx)
	if err != nil {
		return Status{}, err
	}
	if len(jobs) == 0 {
		return l.unloaded(ctx)
	}
	j := jobs[0]
	s := Status{
		Installed: true, State: j.situation(), PID: j.pid, Restarts: max(0, j.runs-1),
		Autostart: l.installed() && !l.disabled(ctx, j.domain), Unit: j.path,
	}
	switch {
	case s.State == Failed:
		s.Detail, s.Hint = "it ended by itself: "+lastError(l.log), l.see()
	case s.State == Restarting:
		s.Detail, s.Hint = j.failure(), l.see()
	case j.failed():
		s.Detail = "it was started again; before that, " + j.failure()
	case j.domain == l.user():
		s.Detail = "it runs outside the login on the screen; after a login there, a restart brings it in"
	}
	return s, nil
}

// unloaded is the status without a job.
func (l *launchd) unloaded(ctx context.Context) (Status, error) {
	if !l.installed() {
		return Status{State: NotInstalled}, nil
	}
	domain, err := l.domain(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{
		Installed: true, State: Stopped, Autostart: !l.disabled(ctx, domain), Unit: l.file,
		Hint: Command(l.o.System, "service start"),
	}
	if domain == l.user() {
		s.Detail = "nobody is logged in on this Mac's screen; it starts at the next login there"
	}
	return s, nil
}

// logs copies the end of the file that launchd appends to.
func (l *launchd) logs(ctx context.Context, out io.Writer, follow bool) error {
	if !l.installed() {
		if _, err := os.Stat(l.log); errors.Is(err, fs.ErrNotExist) {
			return notInstalled(l.o.System)
		}
	}
	return showLog(ctx, l.log, out, logLines, follow)
}

// user and gui are the two domains of a person.
func (l *launchd) user() string { return "user/" + strconv.Itoa(l.uid) }
func (l *launchd) gui() string  { return "gui/" + strconv.Itoa(l.uid) }
