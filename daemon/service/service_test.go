package service

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fakeBackend is a service manager that records its calls.
type fakeBackend struct {
	now   Status
	then  State // the state after a start
	asked []string
	fails map[string]error
}

func (f *fakeBackend) note(verb string, after Status) error {
	f.asked = append(f.asked, verb)
	if err := f.fails[verb]; err != nil {
		return err
	}
	f.now = after
	return nil
}

func (f *fakeBackend) in(state State) Status {
	s := f.now
	s.Installed, s.State = state != NotInstalled, state
	return s
}

func (f *fakeBackend) install(context.Context) error { return f.note("install", f.in(Stopped)) }
func (f *fakeBackend) uninstall(context.Context) error {
	return f.note("uninstall", f.in(NotInstalled))
}
func (f *fakeBackend) start(context.Context) error { return f.note("start", f.in(f.then)) }
func (f *fakeBackend) stop(context.Context) error  { return f.note("stop", f.in(Stopped)) }

func (f *fakeBackend) status(context.Context) (Status, error)      { return f.now, nil }
func (f *fakeBackend) logs(context.Context, io.Writer, bool) error { return nil }

// managed returns a manager of a service in a state. asks is the answer of the program.
func managed(state, then State, asks func() (string, error)) (*Manager, *fakeBackend) {
	f := &fakeBackend{then: then}
	f.now = f.in(state)
	m := &Manager{backend: f, o: Options{Executable: "/bin/filmspool", Version: "2"}}
	if asks != nil {
		m.o.Ask = func(context.Context) (string, error) { return asks() }
	}
	return m, f
}

// Verbs may be repeated, and uninstall stops the service first.
func TestVerbsMayBeRepeated(t *testing.T) {
	for _, c := range []struct {
		verb  string
		state State
		asked string
		err   error
	}{
		{Install, NotInstalled, "install", nil},
		{Uninstall, NotInstalled, "", nil},
		{Uninstall, Stopped, "uninstall", nil},
		{Uninstall, Running, "stop uninstall", nil},
		{Uninstall, Restarting, "stop uninstall", nil},
		{Start, NotInstalled, "", ErrNotInstalled},
		{Start, Stopped, "start", nil},
		{Start, Failed, "start", nil},
		{Start, Running, "", nil},
		{Stop, Stopped, "", nil},
		{Stop, Running, "stop", nil},
		{Restart, Running, "stop start", nil},
		{Restart, Stopped, "start", nil},
	} {
		m, f := managed(c.state, Running, nil)
		if err := m.Do(t.Context(), c.verb); !errors.Is(err, c.err) {
			t.Errorf("%s of a service that is %s: %v", c.verb, c.state, err)
		}
		if got := strings.Join(f.asked, " "); got != c.asked {
			t.Errorf("%s of a service that is %s: asked %q, want %q", c.verb, c.state, got, c.asked)
		}
	}
	m, f := managed(Running, Running, nil)
	f.fails = map[string]error{"stop": errEnded}
	if err := m.Do(t.Context(), Uninstall); !errors.Is(err, errEnded) || strings.Join(f.asked, " ") != "stop" {
		t.Errorf("what cannot be stopped is taken away: %v, %v", f.asked, err)
	}
	m.o.Executable = "/tmp/go-build1/filmspool"
	if err := m.Do(t.Context(), Install); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a program of go run: %v", err)
	}
}

// Start waits until the program is ready, and fails if it has ended or takes too long.
func TestStartWaitsForTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		then  State
		vague bool
		ready time.Duration // time until the program answers; 0 for never
		code  string
	}{
		"at once":               {then: Running, ready: 1},
		"after a while":         {then: Running, vague: true, ready: 20 * time.Second},
		"still starting":        {then: Running, vague: true, code: "service.slowStart"},
		"ended":                 {then: Failed, code: "service.endedAtOnce"},
		"ended again and again": {then: Restarting, code: "service.endedAtOnce"},
		"never began":           {then: Stopped, code: "service.endedAtOnce"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				m, f := managed(Stopped, c.then, func() (string, error) {
					if c.ready == 0 || time.Since(begun) < c.ready {
						return "", ErrNotRunning
					}
					return "2", nil
				})
				f.now.Vague = c.vague
				err := m.Do(t.Context(), Start)
				told, _ := errors.AsType[viewing.Message](err)
				if told.Code != c.code || time.Since(begun) > 2*startTimeout {
					t.Errorf("%v after %v, want %q", err, time.Since(begun), c.code)
				}
			})
		})
	}
}

func TestStatusAsksTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		vague  bool
		says   string
		err    error
		state  State
		detail string
		hint   string
	}{
		"the same version":      {says: "2", state: Running},
		"another version":       {says: "1", state: Running, detail: "service.outdated", hint: "filmspool service restart"},
		"nobody may ask":        {state: Running},
		"systemd knows better":  {err: ErrNotRunning, state: Running},
		"others do not":         {err: ErrNotRunning, vague: true, state: Starting, hint: "filmspool service logs"},
		"it gives no answer":    {err: errors.New("deadline"), state: Running, detail: "service.silent", hint: "filmspool service logs"},
		"no answer, no manager": {err: errors.New("deadline"), vague: true, state: Running, detail: "service.silent", hint: "filmspool service logs"},
	} {
		m, f := managed(Running, Running, func() (string, error) { return c.says, c.err })
		f.now.Vague = c.vague
		s, err := m.Status(t.Context())
		if err != nil || s.State != c.state || s.Detail.Code != c.detail || s.Hint != c.hint || s.Silent != (c.detail == "service.silent") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for state, hint := range map[State]string{Stopped: "filmspool service start", Failed: "filmspool service logs", NotInstalled: ""} {
		m, _ := managed(state, Running, nil)
		if s, err := m.Status(t.Context()); err != nil || s.Hint != hint {
			t.Errorf("%s: %+v, %v", state, s, err)
		}
	}
}
