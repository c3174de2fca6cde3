package service

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	kardianos "github.com/kardianos/service"
)

// foreign is a service of kardianos' that writes a file, and fails a verb that
// is told to, half-way.
type foreign struct {
	kardianos.Service
	file, text, failing string
	now                 kardianos.Status
	nowErr              error
	said                []string
}

func (f *foreign) verb(name string) error {
	f.said = append(f.said, name)
	if name == f.failing {
		return errors.New("exit status 1")
	}
	return nil
}

func (f *foreign) Install() error {
	if exists(f.file) {
		return errors.New("Init already exists")
	}
	return errors.Join(os.WriteFile(f.file, []byte(f.text), 0o755), f.verb("install"))
}

func (f *foreign) Uninstall() error                  { return errors.Join(os.Remove(f.file), f.verb("uninstall")) }
func (f *foreign) Start() error                      { return f.verb("start") }
func (f *foreign) Status() (kardianos.Status, error) { return f.now, f.nowErr }

// newFiled is a driver with a folder of its own.
func newFiled(t *testing.T) (*filed, *foreign, string) {
	t.Helper()
	dir := t.TempDir()
	f := &filed{file: filepath.Join(dir, "script"), text: "new", mode: 0o755, log: filepath.Join(dir, "log")}
	k := &foreign{file: f.file, text: "new"}
	f.Service = k
	return f, k, dir
}

func content(path string) string {
	text, _ := os.ReadFile(path) // none is empty
	return string(text)
}

func TestFiledLife(t *testing.T) {
	f, k, _ := newFiled(t)
	if s, err := f.state(); err != nil || s.State != NotInstalled {
		t.Errorf("at first: %+v, %v", s, err)
	}
	k.now = kardianos.StatusStopped
	for range 2 {
		if err := f.Install(); err != nil {
			t.Fatal(err)
		}
		if s, err := f.state(); err != nil || s.State != Stopped || !s.Autostart || s.Unit != f.file {
			t.Errorf("installed: %+v, %v", s, err)
		}
	}
	f.text = "newer"
	if err := f.Install(); err != nil || content(f.file) != "newer" {
		t.Errorf("%q, %v", content(f.file), err)
	}
	if err := f.Uninstall(); err != nil || exists(f.file) {
		t.Errorf("uninstalled: %v", err)
	}
	if got := strings.Join(k.said, " "); got != "install uninstall" {
		t.Errorf("said %q", got)
	}
}

// kardianos leaves half a file when it fails.
func TestFailedFiledInstallLeavesWhatWasThere(t *testing.T) {
	f, k, dir := newFiled(t)
	k.failing = "install"
	if err := f.Install(); err == nil || exists(f.file) {
		t.Errorf("after a failed installation: %v, %q", err, content(f.file))
	}
	write(t, dir, "script", "old")
	refused := errors.New("no account")
	f.prepare = func() error { return refused }
	if err := f.Install(); !errors.Is(err, refused) || content(f.file) != "old" {
		t.Errorf("unprepared: %v", err)
	}
}

func TestFiledState(t *testing.T) {
	exit := func(code int) error {
		return exec.CommandContext(t.Context(), "sh", "-c", "exit "+strconv.Itoa(code)).Run()
	}
	const crashed = "ready on x\nerror: no disk\n"
	for name, c := range map[string]struct {
		now    kardianos.Status
		err    error
		log    string
		blind  bool
		want   State
		detail string
	}{
		"running":                    {kardianos.StatusRunning, nil, "error: of old\nready on x\n", false, Running, ""},
		"running, in its words":      {kardianos.StatusRunning, nil, crashed, false, Running, "no disk"},
		"running, in ours":           {kardianos.StatusUnknown, kardianos.ErrNotInstalled, "", false, Running, ""},
		"stopped":                    {kardianos.StatusStopped, nil, crashed, false, Stopped, ""},
		"stopped, says a script":     {kardianos.StatusUnknown, exit(3), crashed, false, Stopped, ""},
		"a script's program is dead": {kardianos.StatusUnknown, exit(1), crashed, false, Failed, "it has ended by itself: no disk"},
		"nobody knows why":           {kardianos.StatusUnknown, errors.New("unknown error"), "", false, Failed, "it has ended by itself: its log does not say why"},
		"launchd":                    {kardianos.StatusStopped, nil, "ready on x\n", true, Stopped, ""},
		"launchd has given it up":    {kardianos.StatusStopped, nil, crashed, true, Failed, "it has ended by itself: no disk"},
	} {
		f, k, dir := newFiled(t)
		write(t, dir, "script", "new")
		write(t, dir, "log", "\n"+c.log)
		k.now, k.nowErr, f.blind = c.now, c.err, c.blind
		if s, err := f.state(); err != nil || !s.Installed || s.State != c.want || s.Detail != c.detail {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// What the log said before a start is no news of it; one that was emptied since
// is read from its beginning.
func TestStartForgetsWhatWasSaid(t *testing.T) {
	f, k, dir := newFiled(t)
	k.nowErr = errors.New("dead")
	write(t, dir, "script", "new")
	write(t, dir, "log", "error: of old\n")
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	if s, _ := f.state(); strings.Contains(s.Detail, "of old") {
		t.Errorf("%+v", s)
	}
	write(t, dir, "log", "error: new\n")
	if s, _ := f.state(); !strings.HasSuffix(s.Detail, ": new") {
		t.Errorf("%+v", s)
	}
}

func TestFiledLogs(t *testing.T) {
	f, _, dir := newFiled(t)
	var out bytes.Buffer
	if err := f.logs(t.Context(), &out, false); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("not installed: %v", err)
	}
	write(t, dir, "script", "new")
	if err := f.logs(t.Context(), &out, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first start: %v", err)
	}
	write(t, dir, "log", "ready\n")
	if err := f.logs(t.Context(), &out, false); err != nil || out.String() != "ready\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
