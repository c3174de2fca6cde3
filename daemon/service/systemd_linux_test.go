package service

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/packaging"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fakeTools replaces systemctl by a script that records its arguments, answers "show" from a file
// and can fail a verb.
type fakeTools struct {
	*systemd
	t   *testing.T
	dir string
}

const script = `#!/bin/sh
dir=$(dirname "$0")
for word; do
  [ "$word" = show ] && { cat "$dir/show"; exit 0; }
done
echo "$(basename "$0") $*" >>"$dir/asked"
for word; do
  [ -e "$dir/fail.$word" ] && { cat "$dir/fail.$word" >&2; exit 4; }
done
exit 0
`

func newTools(t *testing.T, system bool) *fakeTools {
	t.Helper()
	dir := t.TempDir()
	f := &fakeTools{t: t, dir: dir}
	for _, tool := range []string{"systemctl", "loginctl", "journalctl", "systemd-sysusers"} {
		f.write(tool, script, 0o755)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	f.systemd = &systemd{
		o:        Options{System: system, Executable: "/opt/film spool/filmspool", Args: []string{"run", "--config", "/etc/50% $x.toml"}},
		unitFile: filepath.Join(dir, "units", unitName), template: packaging.UserUnit, lingerFolder: dir,
	}
	f.shows("LoadState=loaded", "ActiveState=inactive", "SubState=dead", "FragmentPath="+f.unitFile)
	return f
}

func (f *fakeTools) write(name, text string, mode os.FileMode) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), mode); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fakeTools) shows(lines ...string) { f.write("show", strings.Join(lines, "\n")+"\n", 0o644) }

// wantCommands compares the recorded commands since the last call, except "show".
func (f *fakeTools) wantCommands(want ...string) {
	f.t.Helper()
	out, err := os.ReadFile(filepath.Join(f.dir, "asked"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(f.dir, "asked"))
	if got := strings.TrimSuffix(string(out), "\n"); got != strings.Join(want, "\n") {
		f.t.Errorf("asked:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestInstallWritesAndEnables(t *testing.T) {
	f := newTools(t, false)
	for range 2 {
		must(t, f.install(t.Context()))
		f.wantCommands("systemctl --user daemon-reload", "systemctl --user enable filmspool.service")
	}
	text, err := os.ReadFile(f.unitFile)
	want := `ExecStart="/opt/film spool/filmspool" run --config "/etc/50%% $$x.toml"` + "\n"
	if err != nil || !bytes.Contains(text, []byte(want)) {
		t.Errorf("the unit lacks %q: %v", want, err)
	}
	f.o.Linger = true
	must(t, f.install(t.Context()))
	f.wantCommands("systemctl --user daemon-reload", "systemctl --user enable filmspool.service", "loginctl enable-linger")
	if err := f.uninstall(t.Context()); err != nil || exists(f.unitFile) {
		t.Errorf("the unit is still there: %v", err)
	}
	f.wantCommands("systemctl --user disable filmspool.service", "systemctl --user reset-failed filmspool.service", "systemctl --user daemon-reload")
}

func TestSystemInstall(t *testing.T) {
	f := newTools(t, true)
	must(t, f.install(t.Context()))
	f.wantCommands("systemd-sysusers -", "systemctl daemon-reload", "systemctl enable filmspool.service")
	for what, change := range map[string]func(*Options){
		"a program that the unit hides": func(o *Options) { o.Executable = "/home/me/filmspool" },
		"a line break":                  func(o *Options) { o.Args = []string{"run\nExecStartPre=evil"} },
	} {
		f := newTools(t, true)
		change(&f.o)
		if err := f.install(t.Context()); err == nil || exists(f.unitFile) {
			t.Errorf("%s is taken: %v", what, err)
		}
		f.wantCommands()
	}
}

// A failed install leaves nothing behind, and reports what systemd said.
func TestFailedInstall(t *testing.T) {
	for _, verb := range []string{"daemon-reload", "enable"} {
		f := newTools(t, false)
		f.write("fail."+verb, "No such luck.", 0o644)
		err := f.install(t.Context())
		if told, _ := errors.AsType[viewing.Message](err); told.Args["detail"] != "No such luck." || exists(f.unitFile) {
			t.Errorf("%s: %v", verb, err)
		}
	}
	f := newTools(t, false)
	f.write("fail.daemon-reload", "Failed to connect to bus: No medium found", 0o644)
	if err := f.install(t.Context()); !errors.Is(err, ErrNoManager) {
		t.Errorf("without a session: %v", err)
	}
}

// The unit of a package is enabled and disabled, but never written or removed. A different unit
// is replaced.
func TestPackagesUnit(t *testing.T) {
	f := newTools(t, false)
	text, err := f.unit()
	must(t, err)
	packaged := filepath.Join(f.dir, "packaged.service")
	f.write("packaged.service", text, 0o644)
	f.shows("LoadState=loaded", "FragmentPath="+packaged)
	must(t, errors.Join(f.install(t.Context()), f.uninstall(t.Context())))
	f.wantCommands("systemctl --user enable filmspool.service", "systemctl --user disable filmspool.service",
		"systemctl --user reset-failed filmspool.service", "systemctl --user daemon-reload")
	if exists(f.unitFile) || !exists(packaged) {
		t.Error("a unit was written, or the package's removed")
	}
	f.write("packaged.service", "[Service]\nExecStart=/usr/bin/filmspool run\n", 0o644)
	if err := f.install(t.Context()); err != nil || !exists(f.unitFile) {
		t.Errorf("no unit was written: %v", err)
	}
	for template, args := range map[string][]string{packaging.UserUnit: {"run"}, packaging.SystemUnit: {"run", "--system"}} {
		s := &systemd{o: Options{Executable: "/usr/bin/filmspool", Args: args}, template: template}
		if text, err := s.unit(); err != nil || text != template {
			t.Errorf("the unit of a package is not the one for its program: %v\n%s", err, text)
		}
	}
}

// If a program does not start, its status explains why.
func TestFailedStart(t *testing.T) {
	f := newTools(t, false)
	f.write("fail.start", "Job failed. See \"systemctl status\" for details.", 0o644)
	if err := f.start(t.Context()); err == nil {
		t.Error("systemctl failed, and nobody says so")
	}
	f.wantCommands("systemctl --user reset-failed filmspool.service", "systemctl --user start filmspool.service")
	f.shows("LoadState=loaded", "ActiveState=failed", "StatusText=line 3: no such setting")
	m := &Manager{backend: f.systemd, o: f.o}
	err := m.Do(t.Context(), Start)
	if told, _ := errors.AsType[viewing.Message](err); told.Code != "service.endedAtOnce" || told.Cause.Args["detail"] != "line 3: no such setting" {
		t.Errorf("%v", err)
	}
}

func TestLogs(t *testing.T) {
	f := newTools(t, false)
	var out bytes.Buffer
	must(t, f.logs(t.Context(), &out, true))
	f.wantCommands("journalctl --no-pager --lines=200 --user-unit=filmspool.service --follow")
}

func TestUnitWord(t *testing.T) {
	for _, c := range []struct{ word, asProgram, asArgument string }{
		{"/usr/bin/filmspool", "/usr/bin/filmspool", "/usr/bin/filmspool"},
		{"/a b", `"/a b"`, `"/a b"`},
		{"/100%", "/100%%", "/100%%"},
		{"/$HOME", "/$HOME", "/$$HOME"},
		{`/a"b`, `"/a\"b"`, `"/a\"b"`},
		{`/a\b`, `"/a\\b"`, `"/a\\b"`},
		{";", `";"`, `";"`},
		{"", `""`, `""`},
	} {
		if program, argument := unitWord(c.word, false), unitWord(c.word, true); program != c.asProgram || argument != c.asArgument {
			t.Errorf("%q: %s and %s", c.word, program, argument)
		}
	}
}

func TestStatusOf(t *testing.T) {
	since := time.Date(2026, 11, 21, 8, 59, 7, 0, time.UTC)
	for name, c := range map[string]struct {
		show string
		want Status
	}{
		"running": {
			"ActiveState=active|SubState=running|MainPID=42|NRestarts=3|StatusText=all is well|StateChangeTimestamp=Sat 2026-11-21 08:59:07 UTC",
			Status{State: Running, PID: 42, Restarts: 3, Since: since, Detail: viewing.Say("said", "detail", "all is well")},
		},
		"crash loop": {
			"ActiveState=activating|SubState=auto-restart|Result=exit-code|ExecMainStatus=1|NRestarts=9",
			Status{State: Restarting, Restarts: 9, Detail: viewing.Say("service.exit", "status", "1")},
		},
		"starting": {"ActiveState=activating|SubState=start", Status{State: Starting}},
		"its own words": {
			"ActiveState=failed|SubState=failed|Result=exit-code|ExecMainStatus=78|StatusText=line 3: no such setting",
			Status{State: Failed, Detail: viewing.Say("service.ended", "detail", "line 3: no such setting")},
		},
		"the watchdog": {"ActiveState=failed|Result=watchdog", Status{State: Failed, Detail: viewing.Say("service.result", "result", "watchdog")}},
		"stopped":      {"ActiveState=inactive|SubState=dead", Status{State: Stopped}},
	} {
		f := newTools(t, false)
		f.shows(append(strings.Split(c.show, "|"), "LoadState=loaded", "FragmentPath=/u", "UnitFileState=enabled")...)
		got, err := f.status(t.Context())
		c.want.Installed, c.want.Autostart, c.want.Unit, c.want.UntilLogout = true, true, "/u", true
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	f := newTools(t, false)
	f.write(userName(), "", 0o644) // lingerFolder
	f.shows("LoadState=not-found", "ActiveState=active", "MainPID=42")
	if got, err := f.status(t.Context()); err != nil || !got.Installed || got.State != Running || got.UntilLogout {
		t.Errorf("the unit's file is gone, the program runs: %+v, %v", got, err)
	}
	f.shows("LoadState=not-found", "ActiveState=inactive")
	if got, err := f.status(t.Context()); err != nil || got.Installed || got.State != NotInstalled {
		t.Errorf("not installed: %+v, %v", got, err)
	}
}
