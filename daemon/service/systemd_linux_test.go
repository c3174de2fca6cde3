package service

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/packaging"
)

// fake is a machine whose systemctl is a script: it notes what it is asked,
// answers "show" from a file, and fails a verb that is told to.
type fake struct {
	t    *testing.T
	dir  string
	unit *systemd
}

const script = `#!/bin/sh
dir=$(dirname "$0")
echo "$(basename "$0") $* [$XDG_RUNTIME_DIR]" >>"$dir/asked"
for word; do
  [ "$word" = show ] && { cat "$dir/show"; exit 0; }
  [ "$word" = --output=cat ] && { cat "$dir/journal" 2>/dev/null; exit 0; }
  [ -e "$dir/fail.$word" ] && { cat "$dir/fail.$word" >&2; exit 4; }
done
exit 0
`

func newFake(t *testing.T, system bool) *fake {
	t.Helper()
	dir := t.TempDir()
	f := &fake{t: t, dir: dir}
	for _, tool := range []string{"systemctl", "loginctl", "journalctl", "systemd-sysusers", "systemd-analyze", "systemd-run"} {
		f.write(tool, script, 0o755)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	f.write("filmspool", "program", 0o755)
	f.unit = &systemd{
		ctl:      systemctl{user: !system, runtimeDir: "/run/user/7"},
		o:        Options{System: system, Executable: filepath.Join(dir, "filmspool"), Args: []string{"run"}},
		unitFile: filepath.Join(dir, "units", unitName), template: packaging.UserUnit,
	}
	f.show("LoadState=loaded", "ActiveState=inactive", "SubState=dead", "FragmentPath="+f.unit.unitFile)
	return f
}

func (f *fake) write(name, text string, mode os.FileMode) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), mode); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) show(lines ...string) { f.write("show", strings.Join(lines, "\n")+"\n", 0o644) }

// asked are the verbs that change something, in order.
func (f *fake) asked() string {
	f.t.Helper()
	out, err := os.ReadFile(filepath.Join(f.dir, "asked"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	var verbs []string
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if strings.Contains(line, " show ") || strings.Contains(line, "--output=cat") || words[0] == "systemd-analyze" || words[0] == "systemd-run" {
			continue
		}
		verbs = append(verbs, strings.Join(words[:len(words)-1], " "))
	}
	return strings.Join(verbs, "; ")
}

func TestInstallWritesAndEnables(t *testing.T) {
	f := newFake(t, false)
	if err := f.unit.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.unit.unitFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ExecStart=" + f.unit.o.Executable + " run\n"; !bytes.Contains(text, []byte(want)) {
		t.Errorf("the unit lacks %q", want)
	}
	info, err := os.Stat(f.unit.unitFile)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	want := "systemctl --user daemon-reload; systemctl --user enable filmspool.service"
	if got := f.asked(); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	if err := f.unit.install(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// Neither a half-written nor an unread unit may stay.
func TestFailedInstallLeavesNothing(t *testing.T) {
	for _, verb := range []string{"daemon-reload", "enable"} {
		f := newFake(t, false)
		f.write("fail."+verb, "No such luck.", 0o644)
		err := f.unit.install(t.Context())
		if err == nil || !strings.Contains(err.Error(), "No such luck.") {
			t.Errorf("%s: the error lacks systemctl's words: %v", verb, err)
		}
		left, globErr := filepath.Glob(filepath.Join(f.dir, "units", "*"))
		hidden, _ := filepath.Glob(filepath.Join(f.dir, "units", ".*"))
		if globErr != nil || len(left)+len(hidden) > 0 {
			t.Errorf("%s: left %v %v", verb, left, hidden)
		}
	}
}

func TestFailedReinstallKeepsTheOldUnit(t *testing.T) {
	f := newFake(t, false)
	if err := writeFile(f.unit.unitFile, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.write("fail.enable", "No.", 0o644)
	if err := f.unit.install(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if text, err := os.ReadFile(f.unit.unitFile); err != nil || string(text) != "old" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestInstallSeesAUnitThatSystemdDoesNotRead(t *testing.T) {
	f := newFake(t, false)
	f.show("LoadState=loaded", "FragmentPath=/usr/lib/systemd/user/filmspool.service")
	if err := f.unit.install(t.Context()); err == nil || !strings.Contains(err.Error(), "systemd reads") {
		t.Errorf("got %v", err)
	}
}

func TestInstallLingers(t *testing.T) {
	f := newFake(t, false)
	f.unit.o.Linger = true
	if err := f.unit.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.asked(), "; loginctl enable-linger") {
		t.Errorf("asked %q", f.asked())
	}
}

func TestSystemInstall(t *testing.T) {
	f := newFake(t, true)
	f.unit.euid = 1000
	// Test folders stand in /tmp, which the system unit hides.
	if err := f.unit.install(t.Context()); err == nil || !strings.Contains(hint(err), "sudo /usr/local/bin/filmspool --system service install") {
		t.Errorf("a program in /tmp: %v, hint %q", err, hint(err))
	}
	f.unit.o.Executable = "/bin/sh"
	if err := f.unit.install(t.Context()); hint(err) != "sudo filmspool --system service install" {
		t.Errorf("as a person: %v, hint %q", err, hint(err))
	}
	f.unit.euid = 0
	if err := f.unit.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "systemd-sysusers -; systemctl daemon-reload; systemctl enable filmspool.service"
	if got := f.asked(); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestInstallRefusesAProgramThatWillVanish(t *testing.T) {
	f := newFake(t, false)
	f.unit.o.Executable = filepath.Join(f.dir, "gone")
	if err := f.unit.install(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: got %v", err)
	}
	run := filepath.Join(f.dir, "go-build123")
	if err := os.WriteFile(run, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	f.unit.o.Executable = run
	if err := f.unit.install(t.Context()); hint(err) != "go build ./cmd/filmspool" {
		t.Errorf("go run: got %v", err)
	}
	if exists(f.unit.unitFile) {
		t.Error("a unit was written")
	}
}

func TestUninstallStopsFirst(t *testing.T) {
	f := newFake(t, false)
	if err := writeFile(f.unit.unitFile, []byte("unit"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.unit.uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exists(f.unit.unitFile) {
		t.Error("the unit is still there")
	}
	want := "systemctl --user disable --now filmspool.service; systemctl --user daemon-reload; systemctl --user reset-failed filmspool.service"
	if got := f.asked(); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	f.show("LoadState=not-found", "ActiveState=inactive")
	if err := f.unit.uninstall(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// A program that cannot be stopped must not lose its unit: nothing could stop
// it then.
func TestUninstallKeepsTheUnitOfWhatItCannotStop(t *testing.T) {
	f := newFake(t, false)
	if err := writeFile(f.unit.unitFile, []byte("unit"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.write("fail.disable", "Job timed out.", 0o644)
	if err := f.unit.uninstall(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if !exists(f.unit.unitFile) {
		t.Error("the unit is gone")
	}
}

// A package's unit is switched on and off, and never written or removed.
func TestPackagesUnit(t *testing.T) {
	f := newFake(t, false)
	text, err := unitText(f.unit.template, f.unit.o.Executable, f.unit.o.Args)
	if err != nil {
		t.Fatal(err)
	}
	f.write("packaged.service", text, 0o644)
	f.show("LoadState=loaded", "FragmentPath="+filepath.Join(f.dir, "packaged.service"))
	if err := f.unit.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.unit.uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "systemctl --user enable filmspool.service; systemctl --user disable --now filmspool.service"; f.asked() != want {
		t.Errorf("asked %q, want %q", f.asked(), want)
	}
	if exists(f.unit.unitFile) || !exists(filepath.Join(f.dir, "packaged.service")) {
		t.Error("a unit was written, or the package's removed")
	}
}

// With arguments or a program of its own, a service is another one than the
// package's.
func TestInstallBesideAPackagesUnit(t *testing.T) {
	f := newFake(t, false)
	f.write("packaged.service", "[Service]\nExecStart=/usr/bin/filmspool run\n", 0o644)
	f.show("LoadState=loaded", "FragmentPath="+filepath.Join(f.dir, "packaged.service"))
	_ = f.unit.install(t.Context()) // the fake goes on naming the package's, which is an error
	if !strings.Contains(f.asked(), "daemon-reload; systemctl --user enable") {
		t.Errorf("asked %q", f.asked())
	}
}

func TestVerbs(t *testing.T) {
	verbs := map[string]func(*systemd, context.Context) error{
		"start": (*systemd).start, "stop": (*systemd).stop, "restart": (*systemd).restart,
	}
	for name, verb := range verbs {
		f := newFake(t, false)
		if err := verb(f.unit, t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(f.asked(), "systemctl --user "+name+" filmspool.service") {
			t.Errorf("%s asked %q", name, f.asked())
		}
		f.write("fail."+name, "Job failed.", 0o644)
		if err := verb(f.unit, t.Context()); err == nil || !strings.Contains(err.Error(), "Job failed.") {
			t.Errorf("%s: the error lacks systemctl's words: %v", name, err)
		}
		f.show("LoadState=not-found", "ActiveState=inactive")
		err := verb(f.unit, t.Context())
		if !errors.Is(err, ErrNotInstalled) || hint(err) != "filmspool service install" {
			t.Errorf("%s without a unit: %v", name, err)
		}
	}
}

func TestLogs(t *testing.T) {
	f := newFake(t, false)
	var out bytes.Buffer
	if err := f.unit.logs(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	if want := "journalctl --no-pager --lines=200 --user-unit=filmspool.service --follow"; f.asked() != want {
		t.Errorf("asked %q, want %q", f.asked(), want)
	}
}

// Shells of su and sudo have no runtime folder, or another person's.
func TestUserManagerIsFoundWithoutASession(t *testing.T) {
	own := t.TempDir()
	for _, c := range []struct{ set, want string }{
		{own, own},
		{"", "/run/user/"},
		{"/nowhere", "/run/user/"},
	} {
		t.Setenv("XDG_RUNTIME_DIR", c.set)
		if got := userSystemctl().runtimeDir; !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.set, got, c.want)
		}
	}
	f := newFake(t, false)
	if _, err := f.unit.status(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked, err := os.ReadFile(filepath.Join(f.dir, "asked"))
	if err != nil || !bytes.Contains(asked, []byte("[/run/user/7]")) {
		t.Errorf("systemctl was told %s, %v", asked, err)
	}
}

func TestNoUserManagerHasAHint(t *testing.T) {
	f := newFake(t, false)
	f.write("fail.daemon-reload", "Failed to connect to bus: No medium found", 0o644)
	err := f.unit.install(t.Context())
	if !errors.Is(err, ErrNoManager) || !strings.HasPrefix(hint(err), "sudo loginctl enable-linger "+userName()) {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
	f.unit.ctl.root = true
	if err := f.unit.install(t.Context()); !errors.Is(err, ErrNoManager) || !strings.Contains(hint(err), "filmspool --system service install") {
		t.Errorf("as root: %v, hint %q", err, hint(err))
	}
}

func TestParseShow(t *testing.T) {
	const loaded = "LoadState=loaded\nFragmentPath=/u\nUnitFileState=enabled\n"
	since := time.Date(2026, 11, 21, 8, 59, 7, 0, time.UTC)
	for name, c := range map[string]struct {
		show string
		want Status
	}{
		"running": {
			loaded + "ActiveState=active\nSubState=running\nMainPID=42\nNRestarts=3\nStatusText=all is well\nStateChangeTimestamp=Sat 2026-11-21 08:59:07 UTC\n",
			Status{Installed: true, State: Running, PID: 42, Restarts: 3, Since: since, Autostart: true, Unit: "/u", Detail: "all is well"},
		},
		"crash loop": {
			loaded + "ActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainStatus=1\nNRestarts=9\n",
			Status{Installed: true, State: Restarting, Restarts: 9, Autostart: true, Unit: "/u", Detail: "it ended with exit code 1; systemd started it again 9 times, and goes on"},
		},
		"crash loop, queued": {
			loaded + "ActiveState=activating\nSubState=auto-restart-queued\nResult=signal\nExecMainStatus=9\n",
			Status{Installed: true, State: Restarting, Autostart: true, Unit: "/u", Detail: "it was ended by signal 9"},
		},
		"starting": {
			loaded + "ActiveState=activating\nSubState=start\n",
			Status{Installed: true, State: Starting, Autostart: true, Unit: "/u"},
		},
		"stopping": {
			loaded + "ActiveState=deactivating\nSubState=stop-sigterm\n",
			Status{Installed: true, State: Stopping, Autostart: true, Unit: "/u"},
		},
		"bad configuration": {
			loaded + "ActiveState=failed\nSubState=failed\nResult=exit-code\nExecMainStatus=78\n",
			Status{Installed: true, State: Failed, Autostart: true, Unit: "/u", Detail: "the configuration is wrong, or the database is of a newer version (exit code 78)"},
		},
		"cause of it": {
			loaded + "ActiveState=failed\nSubState=failed\nResult=exit-code\nExecMainStatus=78\nStatusText=line 3: no such setting\n",
			Status{Installed: true, State: Failed, Autostart: true, Unit: "/u", Detail: "line 3: no such setting (exit code 78)"},
		},
		"stopped": {
			"LoadState=loaded\nActiveState=inactive\nSubState=dead\nFragmentPath=/u\nUnitFileState=disabled\nNeedDaemonReload=yes\n",
			Status{Installed: true, State: Stopped, Unit: "/u", Detail: "the unit has changed since systemd read it"},
		},
		"not installed": {"LoadState=not-found\nActiveState=inactive\nSubState=dead\n", Status{State: NotInstalled}},
		"unit file gone, program left": {
			"LoadState=not-found\nActiveState=active\nSubState=running\nMainPID=42\n",
			Status{Installed: true, State: Running, PID: 42, Detail: "systemd cannot use the unit: not-found"},
		},
		"broken unit": {
			"LoadState=bad-setting\nActiveState=inactive\nSubState=dead\nFragmentPath=/u\n",
			Status{Installed: true, State: Stopped, Unit: "/u", Detail: "systemd cannot use the unit: bad-setting"},
		},
	} {
		if got := parseShow(c.show).status(); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	for _, c := range []struct {
		result string
		status int
		want   string
	}{
		{"exit-code", 203, "systemd cannot run the program (203/EXEC)"},
		{"exit-code", 0, "what systemd runs before it has failed"},
		{"protocol", 0, "it ended before it was ready"},
		{"core-dump", 11, "it was ended by signal 11"},
		{"watchdog", 6, "it gave no sign of life in time"},
		{"timeout", 0, "it did not become ready, or did not stop, in time"},
		{"start-limit-hit", 0, "it was started too often in too short a time"},
		{"resources", 0, "resources"},
	} {
		if got := failure(c.result, c.status); got != c.want {
			t.Errorf("%s %d: got %q, want %q", c.result, c.status, got, c.want)
		}
	}
}
