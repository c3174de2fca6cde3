package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

// initTool notes what it is asked. A file fail.TOOL has it fail; rc-update
// keeps the file "enabled", and rc-service what would run in "running".
const initTool = `#!/bin/sh
dir=$(dirname "$0")
tool=$(basename "$0")
[ "$2" = status ] || echo "$tool $*" >>"$dir/asked"
[ -e "$dir/fail.$tool" ] && { echo "no luck" >&2; exit 1; }
case "$tool $*" in
"rc-update add"*) touch "$dir/enabled" ;;
"rc-update delete"*) rm "$dir/enabled" ;;
*" start") touch "$dir/running" ;;
*" stop") rm -f "$dir/running" ;;
"apk "*) [ -e "$dir/owned" ] || exit 1 ;;
esac
exit 0
`

type initFake struct {
	t   *testing.T
	dir string
	*initd
}

func newInitFake(t *testing.T) *initFake {
	t.Helper()
	f := &initFake{t: t, dir: t.TempDir()}
	for _, tool := range []string{"rc-service", "rc-update", "useradd", "groupadd", "apk"} {
		f.write(tool, initTool, 0o755)
	}
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	f.initd = newOpenRC(Options{System: true, Executable: "/bin/sh", Args: []string{"run", "--system"}})
	f.script, f.log, f.euid, f.settling = filepath.Join(f.dir, "init.d", Name), filepath.Join(f.dir, "log"), 0, 0
	f.run = filepath.Join(f.dir, "run")
	f.kind.enabled = func() bool { return exists(filepath.Join(f.dir, "enabled")) }
	f.state = func(context.Context) (Status, error) {
		if exists(filepath.Join(f.dir, "running")) {
			return Status{State: Running}, nil
		}
		return Status{State: Stopped}, nil
	}
	return f
}

func (f *initFake) write(name, text string, mode os.FileMode) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		f.t.Fatal(err)
	}
}

// asked are the tools' command lines since the last time.
func (f *initFake) asked() string {
	text, _ := os.ReadFile(filepath.Join(f.dir, "asked"))
	_ = os.Remove(filepath.Join(f.dir, "asked"))
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "add --") && !strings.Contains(line, "apk ") { // accounts: the test's machine may have them
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "; ")
}

func TestInitLife(t *testing.T) {
	f := newInitFake(t)
	for _, step := range []struct {
		name  string
		do    func(context.Context) error
		want  State
		asked string
	}{
		{"install", f.install, Stopped, "rc-update add filmspool default"},
		{"install again", f.install, Stopped, ""},
		{"start", f.start, Running, "rc-service filmspool start"},
		{"start again", f.start, Running, ""},
		{"restart", f.restart, Running, "rc-service filmspool stop; rc-service filmspool start"},
		{"stop", f.stop, Stopped, "rc-service filmspool stop"},
		{"stop again", f.stop, Stopped, ""},
		{"start", f.start, Running, "rc-service filmspool start"},
		{"uninstall", f.uninstall, NotInstalled, "rc-service filmspool stop; rc-update delete filmspool default"},
		{"uninstall again", f.uninstall, NotInstalled, ""},
	} {
		if err := step.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got, err := f.status(t.Context()); err != nil || got.State != step.want || got.Autostart != (step.want != NotInstalled) {
			t.Fatalf("%s: %+v, %v", step.name, got, err)
		}
		if got := f.asked(); got != step.asked {
			t.Errorf("%s: asked %q, want %q", step.name, got, step.asked)
		}
	}
	if exists(f.script) {
		t.Error("the script is still there")
	}
}

// A package's script is switched on and off, and never written or removed.
func TestPackagesScript(t *testing.T) {
	f := newInitFake(t)
	f.o.Executable = "/usr/bin/filmspool"
	if text, err := initScript(f.kind.text, f.o.Executable, f.o.Args); err != nil || text != packaging.OpenRC {
		t.Fatalf("for a package's program it is another text: %v", err)
	}
	f.o.Executable = "/bin/sh"
	text, err := initScript(f.kind.text, f.o.Executable, f.o.Args)
	if err != nil {
		t.Fatal(err)
	}
	f.write("init.d/"+Name, text, 0o755)
	f.write("owned", "", 0o644)
	before, err := os.Stat(f.script)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.install(t.Context()), f.uninstall(t.Context())); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(f.script)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the script was written or removed: %v", err)
	}
	if got := f.asked(); got != "rc-update add filmspool default; rc-update delete filmspool default" {
		t.Errorf("asked %q", got)
	}
}

func TestFailedInitInstallLeavesWhatWasThere(t *testing.T) {
	f := newInitFake(t)
	f.write("fail.rc-update", "", 0o644)
	if err := f.install(t.Context()); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("got %v", err)
	}
	if exists(f.script) {
		t.Error("a script was left")
	}
	f.write("init.d/"+Name, "old", 0o755)
	if err := f.install(t.Context()); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(f.script); err != nil || string(text) != "old" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestInitRefusals(t *testing.T) {
	f := newInitFake(t)
	for _, verb := range []func(context.Context) error{f.start, f.stop, f.restart} {
		if err := verb(t.Context()); !errors.Is(err, ErrNotInstalled) || !strings.HasSuffix(hint(err), "filmspool --system service install") {
			t.Errorf("not installed: %v, hint %q", err, hint(err))
		}
	}
	if err := f.logs(t.Context(), nil, false); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("logs: %v", err)
	}
	f.euid = 1000
	for verb, do := range map[string]func(context.Context) error{
		"install": f.install, "uninstall": f.uninstall, "start": f.start, "stop": f.stop,
	} {
		if err := do(t.Context()); hint(err) != "sudo filmspool --system service "+verb {
			t.Errorf("%s as a person: %v, hint %q", verb, err, hint(err))
		}
	}
	f.euid, f.o.User = 0, "kid"
	if err := f.install(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("--user: %v", err)
	}
}

// A program that ends at once is not "started", whatever init says.
func TestInitStartWaitsUntilReady(t *testing.T) {
	f := newInitFake(t)
	if err := f.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := 0
	f.o.Ask = func(context.Context) (string, error) {
		if asked++; asked < 3 {
			return "", nil
		}
		return "1", nil
	}
	if err := f.start(t.Context()); err != nil || asked != 3 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	f.state = func(context.Context) (Status, error) { return Status{State: Restarting, Detail: "no disk"}, nil }
	if err := f.start(t.Context()); err == nil || err.Error() != "it did not start: no disk" || hint(err) != "filmspool --system service logs" {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
}

func TestOpenRCState(t *testing.T) {
	for name, c := range map[string]struct {
		exit, child int // the one process there is has the number 85
		comm        string
		want        State
		detail      string
	}{
		"running":                 {0, 85, Name, Running, ""},
		"dead, called started":    {0, 86, Name, Restarting, "(2 by now): no disk"},
		"its number is another's": {0, 85, "sh", Restarting, "no disk"},
		"stopped":                 {3, 0, Name, Stopped, ""},
		"starting":                {8, 0, Name, Starting, ""},
		"crashed":                 {32, 0, Name, Failed, "given it up: no disk"},
		"unsupervised":            {64, 85, Name, Failed, "given it up: no disk"},
	} {
		f := newInitFake(t)
		f.write("rc-service", fmt.Sprintf("#!/bin/sh\nexit %d\n", c.exit), 0o755)
		f.write("log", "ready on x\nerror: no disk\n", 0o644)
		f.write("options/child_pid", fmt.Sprint(c.child), 0o644)
		f.write("options/start_count", "2\n", 0o644)
		f.write("proc/85/comm", c.comm+"\n", 0o644)
		s, err := f.openrcState(t.Context(), filepath.Join(f.dir, "options"), filepath.Join(f.dir, "proc"))
		if err != nil || s.State != c.want || !strings.HasSuffix(s.Detail, c.detail) || (s.PID != 0) != (c.want == Running) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestSysVState(t *testing.T) {
	f := newInitFake(t)
	f.write("log", "error: no disk\n", 0o644)
	f.write("proc/85/comm", Name+"\n", 0o644)
	for pid, want := range map[string]State{"85": Running, "86": Failed, "": Failed, "no": Failed, "none": Stopped} {
		f.write("pid", pid, 0o644)
		if pid == "none" {
			_ = os.Remove(filepath.Join(f.dir, "pid"))
		}
		s := f.sysvState(filepath.Join(f.dir, "pid"), filepath.Join(f.dir, "proc"))
		if s.State != want || (want == Failed) != strings.HasSuffix(s.Detail, "no disk") {
			t.Errorf("%q: %+v", pid, s)
		}
	}
}

func TestProcdState(t *testing.T) {
	for word, want := range map[string]State{
		"running": Running, "inactive": Stopped, "active with no instances": Failed, "not running": Failed, "": Stopped,
	} {
		f := newInitFake(t)
		f.write("init.d/"+Name, "#!/bin/sh\necho '"+word+"'\nexit 3\n", 0o755)
		if s, err := f.procdState(t.Context()); err != nil || s.State != want {
			t.Errorf("%q: %+v, %v", word, s, err)
		}
	}
}

func TestInitLogs(t *testing.T) {
	f := newInitFake(t)
	f.write("init.d/"+Name, "", 0o755)
	var out bytes.Buffer
	if err := f.logs(t.Context(), &out, false); err != nil {
		t.Errorf("before the first start: %v", err)
	}
	f.write("log", "ready\n", 0o644)
	if err := f.logs(t.Context(), &out, false); err != nil || out.String() != "ready\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// The scripts are shell, for whatever program and arguments.
func TestInitScripts(t *testing.T) {
	args := []string{"run", "--system", "--state-dir", `/a b/$HOME/"x"/it's/` + "`x`"}
	for name, template := range map[string]string{"OpenRC": packaging.OpenRC, "SysV": packaging.SysV, "procd": packaging.Procd} {
		text, err := initScript(template, "/opt/film spool/filmspool", args)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		var set []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "command") {
				set = append(set, line)
			}
		}
		probe := strings.Join(set[:2], "") + `eval "printf '%s\n' $command $command_args"`
		out, err := exec.CommandContext(t.Context(), "sh", "-c", probe).CombinedOutput()
		if want := "/opt/film spool/filmspool\n" + strings.Join(args, "\n") + "\n"; err != nil || string(out) != want {
			t.Errorf("%s: got %s, want %s, %v", name, out, want, err)
		}
	}
	if _, err := initScript("nothing", "/bin/x", nil); err == nil {
		t.Error("a script without the lines was taken")
	}
	if _, err := initScript(packaging.OpenRC, "/bin/x", []string{"a\nb"}); err == nil {
		t.Error("a line break was taken")
	}
}
