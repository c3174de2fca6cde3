//go:build unix

package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (l *launchd) want(t *testing.T, state State) Status {
	t.Helper()
	s, err := l.status(t.Context())
	if err != nil || s.State != state {
		t.Fatalf("status: %+v, %v; want %q", s, err, state)
	}
	return s
}

func do(t *testing.T, verbs ...func(context.Context) error) {
	t.Helper()
	for n, verb := range verbs {
		if err := verb(t.Context()); err != nil {
			t.Fatalf("verb %d: %v", n, err)
		}
	}
}

func TestLaunchdLife(t *testing.T) {
	m, l := newMac(t)
	l.want(t, NotInstalled)
	do(t, l.install, l.install)
	if s := l.want(t, Stopped); !s.Autostart || s.Unit != l.file {
		t.Errorf("installed: %+v", s)
	}
	do(t, l.start, l.start)
	if s := l.want(t, Running); s.PID != 101 || s.Restarts != 0 || !s.Autostart || s.Detail != "" {
		t.Errorf("started: %+v", s)
	}
	do(t, l.install) // with nothing new, it does not touch what runs
	if s := l.want(t, Running); s.PID != 101 {
		t.Errorf("installed again: %+v", s)
	}
	do(t, l.restart)
	if s := l.want(t, Running); s.PID == 101 || s.Restarts != 0 {
		t.Errorf("restarted: %+v", s)
	}
	do(t, l.stop, l.stop)
	l.want(t, Stopped)
	do(t, l.restart, l.uninstall, l.uninstall)
	l.want(t, NotInstalled)
	want := "enable enable enable bootstrap enable bootout enable bootstrap bootout enable bootstrap bootout"
	var said []string
	for _, command := range m.said {
		verb, target, _ := strings.Cut(command, " ")
		said = append(said, verb)
		if !strings.HasPrefix(target, "gui/501") {
			t.Errorf("said %s", command)
		}
	}
	if got := strings.Join(said, " "); got != want {
		t.Errorf("said %s\nwant %s", got, want)
	}
}

// The agent of a person and the daemon of the machine are two services.
func TestLaunchdSystem(t *testing.T) {
	m, agent := newMac(t)
	library := t.TempDir()
	o := Options{System: true, Executable: agent.o.Executable, Args: []string{"run", "--system"}}
	l := m.open(o, library, 0)
	do(t, l.install, l.start)
	l.want(t, Running)
	agent.want(t, NotInstalled)
	if got := m.jobs["system/filmspool"].path; got != filepath.Join(library, "LaunchDaemons", "filmspool.plist") {
		t.Errorf("property list at %s", got)
	}
	if text := m.jobs["system/filmspool"].text; !strings.Contains(text, "<string>--system</string>\n\t\t<string>--service-host=launchd</string>") {
		t.Errorf("arguments: %s", text)
	}
	// Anybody may ask; only root may act.
	kid := m.open(o, library, 501)
	kid.want(t, Running)
	for verb, act := range map[string]func(context.Context) error{
		"install": kid.install, "uninstall": kid.uninstall, "start": kid.start, "stop": kid.stop, "restart": kid.restart,
	} {
		if err := act(t.Context()); !errors.Is(err, fs.ErrPermission) || hint(err) != "sudo filmspool --system service "+verb {
			t.Errorf("%s: %v, hint %q", verb, err, hint(err))
		}
	}
	agent.o.Linger = true
	if err := agent.install(t.Context()); !errors.Is(err, errors.ErrUnsupported) || hint(err) != "sudo filmspool --system service install" {
		t.Errorf("an agent from boot: %v", err)
	}
	agent.o.Linger, agent.uid = false, 0
	if err := agent.install(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("root installed an agent: %v", err)
	}
}

func TestLaunchdVerbsNeedAnInstallation(t *testing.T) {
	_, l := newMac(t)
	for _, verb := range []func(context.Context) error{l.start, l.stop, l.restart} {
		if err := verb(t.Context()); !errors.Is(err, ErrNotInstalled) || hint(err) != "filmspool service install" {
			t.Errorf("got %v", err)
		}
	}
}

// A new text takes the place of the old one, and the service goes on with it.
func TestLaunchdReplacesAnOlderInstallation(t *testing.T) {
	m, l := newMac(t)
	do(t, l.install, l.start)
	m.lingers = 3 // the program takes its time to end
	newer := m.open(Options{Executable: l.o.Executable, Args: []string{"run", "--config", "/Users/a&b/c.toml"}}, filepath.Dir(filepath.Dir(l.file)), 501)
	do(t, newer.install)
	newer.want(t, Running)
	if text := m.jobs["gui/501/filmspool"].text; !strings.Contains(text, "a&amp;b") {
		t.Errorf("the old text still runs: %s", text)
	}
}

// What launchd refuses leaves the old installation as it was, running.
func TestLaunchdRestoresTheOldOne(t *testing.T) {
	m, l := newMac(t)
	do(t, l.install, l.start)
	before, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	newer := m.open(Options{Executable: l.o.Executable, Args: []string{"run", "--log-level=debug"}}, filepath.Dir(filepath.Dir(l.file)), 501)
	m.refuses = []int{134}
	if err := newer.install(t.Context()); err == nil || !strings.Contains(err.Error(), "134") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(l.file); err != nil || string(after) != string(before) {
		t.Errorf("the old property list is not back: %v\n%s", err, after)
	}
	l.want(t, Running)
}

func TestLaunchdFailedFirstInstallLeavesNothing(t *testing.T) {
	m, l := newMac(t)
	l.ctl = func(ctx context.Context, args ...string) (string, error) {
		if args[0] == "enable" {
			return "", &launchctlError{verb: "enable", code: 1, wrote: "not today"}
		}
		return m.ctl(ctx, args...)
	}
	if err := l.install(t.Context()); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(l.file)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// launchd may still be at the bootout when the bootstrap comes.
func TestLaunchdIsBusy(t *testing.T) {
	m, l := newMac(t)
	do(t, l.install)
	m.refuses = []int{5, 37}
	do(t, l.start)
	l.want(t, Running)

	m.lingers, l.busy = 1<<30, 200*time.Millisecond // a program that does not end
	if err := l.stop(t.Context()); err == nil || !strings.Contains(err.Error(), "took longer") {
		t.Errorf("got %v", err)
	}
}

func TestLaunchdRefuses(t *testing.T) {
	m, l := newMac(t)
	do(t, l.install)
	m.refuses = []int{5, 5, 5, 5, 5}
	if err := l.start(t.Context()); err == nil || !strings.Contains(err.Error(), "Login Items") {
		t.Errorf("got %v", err)
	}
	m.disabled = true
	if s := l.want(t, Stopped); s.Autostart {
		t.Errorf("disabled: %+v", s)
	}
	do(t, l.start, l.stop) // takes that back
	if s := l.want(t, Stopped); !s.Autostart {
		t.Errorf("enabled: %+v", s)
	}
}

// Over SSH there may be no login on the screen: the service runs in the
// person's other domain, or the property list waits for the login.
func TestLaunchdWithoutALoginOnTheScreen(t *testing.T) {
	m, l := newMac(t)
	m.domains["gui/501"] = false
	do(t, l.install)
	if s := l.want(t, Stopped); !strings.Contains(s.Detail, "next login") || !s.Autostart {
		t.Errorf("installed: %+v", s)
	}
	do(t, l.start)
	if s := l.want(t, Running); m.loaded() != "user/501/filmspool" || !strings.Contains(s.Detail, "outside the login") {
		t.Errorf("%s: %+v", m.loaded(), s)
	}

	m.domains["gui/501"] = true // they log in; launchd starts it there as well, and that one finds the queue in use
	m.programs = []macJob{{state: "spawn scheduled", lastExit: "1"}}
	if _, err := m.ctl(t.Context(), "bootstrap", "gui/501", l.file); err != nil {
		t.Fatal(err)
	}
	l.want(t, Running)
	do(t, l.restart)
	if m.loaded() != "gui/501/filmspool" {
		t.Errorf("after a restart: %s", m.loaded())
	}
	l.want(t, Running)
	do(t, l.uninstall)

	m.domains = map[string]bool{}
	do(t, l.install)
	if err := l.start(t.Context()); !errors.Is(err, ErrNoManager) || !strings.Contains(err.Error(), "next login") {
		t.Errorf("got %v", err)
	}
	if !l.installed() {
		t.Error("the property list has not stayed")
	}
	l.want(t, Stopped)
}

// Not everything that launchctl refuses means "not there".
func TestLaunchdCannotBeAsked(t *testing.T) {
	_, l := newMac(t)
	l.ctl = func(context.Context, ...string) (string, error) {
		return "", &launchctlError{verb: "print", code: 1, wrote: "Not privileged"}
	}
	if _, err := l.status(t.Context()); err == nil || err.Error() != "launchctl print: Not privileged" {
		t.Errorf("got %v", err)
	}
	for _, verb := range []func(context.Context) error{l.install, l.uninstall, l.start, l.stop, l.restart} {
		if err := verb(t.Context()); err == nil {
			t.Error("a verb succeeded")
		}
	}
}

// A service that does not stay up is never called running.
func TestLaunchdTellsWhatEnded(t *testing.T) {
	for name, c := range map[string]struct {
		job    macJob
		log    string
		want   State
		detail string
	}{
		"a crash": {
			macJob{state: "spawn scheduled", lastExit: "2"}, "", Restarting, "it ended with exit code 2",
		},
		"a crash, on older systems": {
			macJob{state: "waiting", lastExit: "1"}, "", Restarting, "it ended with exit code 1",
		},
		"a kill": {
			macJob{state: "spawn scheduled", signal: "Killed: 9"}, "", Restarting, "it was ended by a signal: Killed: 9",
		},
		"launchd's own 78": {
			macJob{state: "not running", lastExit: "78: EX_CONFIG"}, "", Restarting, "launchd could not start the program, or could not write its log",
		},
		"a wrong configuration": {
			macJob{state: "not running", lastExit: "0"},
			"error: an old one\nready on http://127.0.0.1:1\nerror: read configuration: unknown key\nhint:  mend it\n",
			Failed, "it ended by itself: read configuration: unknown key",
		},
		"an end without a word": {
			macJob{state: "not running", lastExit: "0"},
			"error: an old one\nx\nready on http://127.0.0.1:1\n",
			Failed, "it ended by itself: its log does not say why",
		},
	} {
		m, l := newMac(t)
		do(t, l.install)
		if err := os.WriteFile(l.log, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		m.programs = []macJob{c.job}
		err := l.start(t.Context())
		if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), c.detail) || hint(err) != "filmspool service logs" {
			t.Errorf("%s: start: %v, hint %q", name, err, hint(err))
		}
		if s := l.want(t, c.want); s.Detail != c.detail || s.Hint != "filmspool service logs" || s.PID != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		// And "start" starts it anew, at last with success.
		do(t, l.start)
		if s := l.want(t, Running); s.Restarts != 0 || s.Detail != "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestLaunchdLogs(t *testing.T) {
	_, l := newMac(t)
	var out strings.Builder
	if err := l.logs(t.Context(), &out, false); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("got %v", err)
	}
	do(t, l.install)
	if err := l.logs(t.Context(), &out, false); !errors.Is(err, fs.ErrNotExist) || hint(err) != "filmspool service status" {
		t.Errorf("not started yet: %v", err)
	}
	if err := os.WriteFile(l.log, []byte(strings.Repeat("old\n", 300)+"new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.logs(t.Context(), &out, false); err != nil || strings.Count(out.String(), "\n") != 200 || !strings.HasSuffix(out.String(), "new\n") {
		t.Errorf("%v: %d lines", err, strings.Count(out.String(), "\n"))
	}
}

// The tool's exit code and words come through.
func TestExecLaunchctl(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "launchctl")
	script := "#!/bin/sh\n[ \"$1\" = enable ] && { echo done; exit 0; }\nprintf 'Bad request.\\nCould not find it\\n' >&2\nexit 113\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	ctl := execLaunchctl(tool)
	if out, err := ctl(t.Context(), "enable", "x"); err != nil || out != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
	_, err := ctl(t.Context(), "print", "gui/501/filmspool")
	if !absent(err) || err.Error() != "launchctl print: Bad request. Could not find it" {
		t.Errorf("got %v", err)
	}
	if _, err := execLaunchctl(tool+"x")(t.Context(), "print", "x"); !errors.Is(err, fs.ErrNotExist) || absent(err) {
		t.Errorf("got %v", err)
	}
}

// Starts that launchd made by itself are counted, and said.
func TestLaunchdCountsRestarts(t *testing.T) {
	m, l := newMac(t)
	do(t, l.install, l.start)
	j := m.jobs["gui/501/filmspool"]
	j.lastExit = "1"
	m.begin(j)
	if s := l.want(t, Running); s.Restarts != 1 || s.Detail != "it was started again; before that, it ended with exit code 1" {
		t.Errorf("%+v", s)
	}
}

// What macOS prints holds much else, and lines of the same names deeper in.
func TestParsePrint(t *testing.T) {
	const running = `gui/501/filmspool = {
	active count = 1
	path = /Users/ann/Library/LaunchAgents/filmspool.plist
	type = LaunchAgent
	state = running

	program = /usr/local/bin/filmspool
	arguments = {
		/usr/local/bin/filmspool
		run
	}

	inherited environment = {
		SSH_AUTH_SOCK => /private/tmp/com.apple.launchd.x/Listeners
	}

	domain = gui/501 [100005]
	asid = 100005
	minimum runtime = 10
	exit timeout = 20
	runs = 3
	pid = 1234
	immediate reason = non-ipc demand
	last exit code = 1

	resource coalition = {
		ID = 700
		state = active
		pid = 9
		runs = 9
	}

	spawn type = background (2)
	properties = keepalive | runatload | inferred program
}
`
	want := job{
		domain: "gui/501", state: "running", path: "/Users/ann/Library/LaunchAgents/filmspool.plist", pid: 1234, runs: 3, exitCode: 1,
	}
	if got := parsePrint("gui/501", running); got != want {
		t.Errorf("got %+v", got)
	}
	for text, state := range map[string]State{
		"\tstate = spawn scheduled\n\truns = 105\n\tsuccessive crashes = 98\n\tlast terminating signal = Bus error: 10\n": Restarting,
		"\tstate = not running\n\tlast exit code = 0\n\tlast terminating signal = Terminated: 15\n":                       Restarting,
		"\tstate = spawn scheduled\n\tlast exit reason = JETSAM\n":                                                        Restarting,
		"\tstate = spawn scheduled\n\tlast exit code = (never exited)\n":                                                  Starting,
		"\tstate = not running\n\truns = 0\n\tlast exit code = (never exited)\n":                                          Stopped,
		"\tpid = 5\n": Running,
		"nonsense":    Stopped,
	} {
		if got := parsePrint("system", "system/filmspool = {\n"+text+"}\n").situation(); got != state {
			t.Errorf("%q: got %s, want %s", text, got, state)
		}
	}
}
