package service

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a driver whose every verb is noted, and may fail or hang.
type scripted struct {
	now     Status
	said    []string
	failing string
	hang    chan struct{}
	started Status // what a start leads to
}

func (s *scripted) verb(name string, to Status) error {
	if s.hang != nil {
		<-s.hang
	}
	s.said = append(s.said, name)
	if name == s.failing {
		return errors.New("no luck")
	}
	if name != "stop" || s.now.Installed {
		s.now = to
	}
	return nil
}

func (s *scripted) Install() error {
	return s.verb("install", Status{Installed: true, Autostart: true, State: Stopped})
}
func (s *scripted) Uninstall() error { return s.verb("uninstall", Status{State: NotInstalled}) }
func (s *scripted) Start() error {
	return s.verb("start", s.started)
}

func (s *scripted) Stop() error {
	return s.verb("stop", Status{Installed: true, Autostart: true, State: Stopped})
}
func (s *scripted) state() (Status, error)                      { return s.now, nil }
func (s *scripted) logs(context.Context, io.Writer, bool) error { return nil }

func newScripted(t *testing.T) (*managed, *scripted) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "filmspool")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &scripted{now: Status{State: NotInstalled}, started: Status{Installed: true, Autostart: true, State: Running}}
	m := newManaged(Options{System: true, Executable: program}, s, true)
	m.euid = 0
	return m, s
}

// Every verb may be said twice.
func TestManagedLife(t *testing.T) {
	m, s := newScripted(t)
	for _, step := range []struct {
		name string
		do   func(context.Context) error
		want State
		said string
	}{
		{"install", m.install, Stopped, "install"},
		{"start", m.start, Running, "stop start"},
		{"start again", m.start, Running, ""},
		{"restart", m.restart, Running, "stop stop start"},
		{"stop", m.stop, Stopped, "stop"},
		{"stop again", m.stop, Stopped, ""},
		{"start", m.start, Running, "stop start"},
		{"uninstall", m.uninstall, NotInstalled, "stop uninstall"},
		{"uninstall again", m.uninstall, NotInstalled, ""},
	} {
		s.said = nil
		if err := step.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got, err := m.status(t.Context()); err != nil || got.State != step.want {
			t.Fatalf("%s: %+v, %v", step.name, got, err)
		}
		if got := strings.Join(s.said, " "); got != step.said {
			t.Errorf("%s: said %q, want %q", step.name, got, step.said)
		}
	}
}

func TestManagedRefusals(t *testing.T) {
	m, s := newScripted(t)
	verbs := map[string]func(context.Context) error{
		"start": m.start, "stop": m.stop, "restart": m.restart, "install": m.install, "uninstall": m.uninstall,
	}
	for _, verb := range []string{"start", "stop", "restart"} {
		if err := verbs[verb](t.Context()); !errors.Is(err, ErrNotInstalled) || !strings.HasSuffix(hint(err), "filmspool --system service install") {
			t.Errorf("%s of nothing: %v, hint %q", verb, err, hint(err))
		}
	}
	m.o.User = "kid"
	if err := m.install(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("--user: %v", err)
	}
	m.euid, m.o.User = 1000, ""
	for name, verb := range verbs {
		if err := verb(t.Context()); !strings.HasPrefix(hint(err), "sudo filmspool --system service ") {
			t.Errorf("%s as a person: %v, hint %q", name, err, hint(err))
		}
	}
	if len(s.said) > 0 {
		t.Errorf("said %q", s.said)
	}
}

// A failure counts unless the manager has done what was asked all the same.
func TestManagedFailures(t *testing.T) {
	m, s := newScripted(t)
	for verb, do := range map[string]func(context.Context) error{
		"install": m.install, "start": m.start, "stop": m.stop, "uninstall": m.uninstall,
	} {
		s.failing, s.now = verb, Status{Installed: true, Autostart: true, State: Running}
		if verb == "start" {
			s.now.State = Stopped
		}
		err := do(t.Context())
		if err == nil || !strings.Contains(err.Error(), verb+" service: no luck") || verb == "start" && hint(err) != "filmspool --system service logs" {
			t.Errorf("%s: %v, hint %q", verb, err, hint(err))
		}
	}
	s.failing, s.now = "stop", Status{Installed: true, State: Failed}
	if err := m.stop(t.Context()); err != nil {
		t.Errorf("nothing was there to stop: %v", err)
	}
	s.failing, s.now = "uninstall", Status{Installed: true, State: Stopped}
	if err := m.uninstall(t.Context()); err != nil {
		t.Errorf("a package's service, which is only switched off: %v", err)
	}
}

// kardianos waits without end for a Windows service that does not stop.
func TestManagedGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newScripted(t)
		s.now, s.hang = Status{Installed: true, State: Running}, make(chan struct{})
		defer close(s.hang)
		if err := m.stop(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A start is over when the program answers, whatever the manager calls it.
func TestManagedStartWaitsUntilReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newScripted(t)
		s.now = Status{Installed: true, State: Stopped}
		begun := time.Now()
		m.o.Ask = func(context.Context) (string, error) {
			switch took := time.Since(begun); {
			case took < 5*time.Second:
				return "", ErrNotRunning
			case took < 10*time.Second:
				return "", errors.New("it is silent")
			}
			return "1", nil
		}
		if err := m.start(t.Context()); err != nil || time.Since(begun) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// A program that ends at once was not started.
func TestManagedStartSaysWhyNot(t *testing.T) {
	for state, after := range map[State]time.Duration{Failed: settling, Restarting: settling, Stopped: silence, Running: settling} {
		synctest.Test(t, func(t *testing.T) {
			m, s := newScripted(t)
			s.now, s.started = Status{Installed: true, State: Stopped}, Status{Installed: true, State: state, Detail: "no disk"}
			m.o.Ask = func(context.Context) (string, error) { return "", ErrNotRunning } // "running" means to be started again
			begun := time.Now()
			err := m.start(t.Context())
			if took := time.Since(begun); err == nil || err.Error() != "the service ended as it started: no disk" ||
				!errors.Is(err, errEnded) || hint(err) == "" || took <= after || took > after+time.Second {
				t.Errorf("%s: after %v: %v, hint %q", state, took, err, hint(err))
			}
		})
	}
}

// What a manager calls running is asked, where it may be dead or not ready.
func TestManagedStatus(t *testing.T) {
	for name, c := range map[string]struct {
		state   State
		detail  string
		exact   bool
		euid    int
		answers error
		want    State
		hint    string
	}{
		"ready":               {Running, "of old", false, 0, nil, Running, ""},
		"not ready":           {Running, "", false, 0, ErrNotRunning, Starting, ""},
		"between two crashes": {Running, "no disk", false, 0, ErrNotRunning, Restarting, "service logs"},
		"silent":              {Running, "", false, 0, errors.New("silent"), Running, ""},
		"an exact manager":    {Running, "", true, 0, ErrNotRunning, Running, ""},
		"not ours to ask":     {Running, "", false, 1000, ErrNotRunning, Running, ""},
		"stopped":             {Stopped, "", false, 0, nil, Stopped, "service start"},
		"failed":              {Failed, "no disk", false, 0, nil, Failed, "service logs"},
		"wrong configuration": {Failed, "bad configuration: x", false, 0, nil, Failed, "config check"},
	} {
		m, s := newScripted(t)
		s.now = Status{Installed: true, State: c.state, Detail: c.detail}
		m.vague, m.euid, m.o.Ask = !c.exact, c.euid, answers("", c.answers)
		got, err := m.status(t.Context())
		if err != nil || got.State != c.want || !strings.HasSuffix(got.Hint, c.hint) || (c.hint == "") != (got.Hint == "") ||
			c.want == Running && got.Detail != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// kardianos/service would read "{{" as its own template language.
func TestNoTemplateInAName(t *testing.T) {
	if _, err := newKardianos(Options{}, "", map[string]any{"SysvScript": "command=/opt/{{x}}"}); err == nil || !strings.Contains(err.Error(), "{{") {
		t.Errorf("got %v", err)
	}
}
