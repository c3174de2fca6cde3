//go:build !darwin && !windows

package service

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kardianos "github.com/kardianos/service"
)

// scripted is a service of kardianos' whose every verb is a field.
type scripted struct {
	kardianos.Service
	state     kardianos.Status
	stateErr  error
	said      []string
	installed bool
	failing   string
	hang      chan struct{}
}

func (s *scripted) verb(name string) error {
	if s.hang != nil {
		<-s.hang
	}
	s.said = append(s.said, name)
	switch name {
	case s.failing:
		return errors.New("exit status 1")
	case "install":
		s.installed, s.state = true, kardianos.StatusStopped
	case "uninstall":
		s.installed, s.state = false, kardianos.StatusUnknown
	case "start":
		s.state = kardianos.StatusRunning
	case "stop":
		s.state = kardianos.StatusStopped
	}
	return nil
}

func (s *scripted) Install() error   { return s.verb("install") }
func (s *scripted) Uninstall() error { return s.verb("uninstall") }
func (s *scripted) Start() error     { return s.verb("start") }
func (s *scripted) Stop() error      { return s.verb("stop") }
func (s *scripted) Platform() string { return "an init of old" }
func (s *scripted) Status() (kardianos.Status, error) {
	if !s.installed && s.stateErr == nil {
		return kardianos.StatusUnknown, kardianos.ErrNotInstalled
	}
	return s.state, s.stateErr
}

func newForeignFake(t *testing.T) (*foreign, *scripted) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "filmspool")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &scripted{}
	return &foreign{svc: s, o: Options{System: true, Executable: program}}, s
}

func TestForeignLife(t *testing.T) {
	f, s := newForeignFake(t)
	steps := []struct {
		name string
		do   func(context.Context) error
		want State
	}{
		{"install", f.install, Stopped},
		{"install again", f.install, Stopped},
		{"start", f.start, Running},
		{"start again", f.start, Running},
		{"restart", f.restart, Running},
		{"stop", f.stop, Stopped},
		{"stop again", f.stop, Stopped},
		{"start", f.start, Running},
		{"uninstall", f.uninstall, NotInstalled},
		{"uninstall again", f.uninstall, NotInstalled},
	}
	for _, step := range steps {
		if err := step.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got, err := f.status(t.Context()); err != nil || got.State != step.want {
			t.Fatalf("%s: %+v, %v", step.name, got, err)
		}
	}
	want := "install uninstall install start stop start stop start stop uninstall"
	if got := strings.Join(s.said, " "); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestForeignVerbsNeedAnInstallation(t *testing.T) {
	f, _ := newForeignFake(t)
	for _, verb := range []func(context.Context) error{f.start, f.stop, f.restart} {
		if err := verb(t.Context()); !errors.Is(err, ErrNotInstalled) || !strings.HasSuffix(hint(err), "filmspool --system service install") {
			t.Errorf("got %v", err)
		}
	}
}

// kardianos leaves an empty file when it fails half-way, and then says that
// the service is installed.
func TestForeignFailedInstallIsTakenBack(t *testing.T) {
	f, s := newForeignFake(t)
	left, swept := "", false
	f.traces = traces{
		find:  func() string { return left },
		sweep: func() error { swept = true; return nil },
	}
	s.failing = "install"
	s.installed, s.state = true, kardianos.StatusStopped
	f.svc = leaving{s, &left}
	if err := f.install(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if got := strings.Join(s.said, " "); got != "install uninstall" || !swept {
		t.Errorf("said %q, swept %v", got, swept)
	}
}

// leaving leaves a file behind its failing install.
type leaving struct {
	*scripted
	left *string
}

func (l leaving) Install() error {
	*l.left = "/etc/init.d/filmspool"
	return l.scripted.Install()
}

func TestForeignGivesUpWithItsContext(t *testing.T) {
	f, s := newForeignFake(t)
	s.installed, s.state, s.hang = true, kardianos.StatusRunning, make(chan struct{})
	defer close(s.hang)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.stop(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestForeignStatus(t *testing.T) {
	broken := errors.New("exit status 1")
	for name, c := range map[string]struct {
		file  string
		state kardianos.Status
		err   error
		want  State
		fails bool
	}{
		"SysV says exit status 1, no script":  {"", kardianos.StatusUnknown, broken, NotInstalled, false},
		"a script that is not running":        {"/etc/init.d/filmspool", kardianos.StatusUnknown, broken, Stopped, false},
		"a script that runs":                  {"/etc/init.d/filmspool", kardianos.StatusRunning, nil, Running, false},
		"a manager that knows it has nothing": {"x", kardianos.StatusUnknown, kardianos.ErrNotInstalled, NotInstalled, false},
	} {
		f, s := newForeignFake(t)
		f.traces.find = func() string { return c.file }
		s.installed, s.state, s.stateErr = true, c.state, c.err
		got, err := f.status(t.Context())
		if got.State != c.want || (err != nil) != c.fails {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	f, s := newForeignFake(t)
	s.stateErr = broken
	if _, err := f.status(t.Context()); !errors.Is(err, broken) {
		t.Errorf("no way to tell: got %v", err)
	}
}

func TestForeignLogs(t *testing.T) {
	f, _ := newForeignFake(t)
	if err := f.logs(t.Context(), io.Discard, false); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
