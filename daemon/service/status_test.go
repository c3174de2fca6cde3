package service

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// told is a manager that says one thing.
type told struct{ s Status }

func (told) install(context.Context) error               { return nil }
func (told) uninstall(context.Context) error             { return nil }
func (told) start(context.Context) error                 { return nil }
func (told) stop(context.Context) error                  { return nil }
func (told) restart(context.Context) error               { return nil }
func (t told) status(context.Context) (Status, error)    { return t.s, nil }
func (told) logs(context.Context, io.Writer, bool) error { return nil }
func answers(v string, err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return v, err }
}

// What the program itself says is put beside what the manager says of it.
func TestStatusAsksTheProgram(t *testing.T) {
	running := Status{Installed: true, State: Running, Detail: "up"}
	for name, c := range map[string]struct {
		s            Status
		ask          func(context.Context) (string, error)
		version      string
		detail, hint string
	}{
		"well":            {running, answers("2", nil), "2", "up", ""},
		"nobody may ask":  {running, answers("", nil), "", "up", ""},
		"none is seen":    {running, answers("", ErrNotRunning), "", "up", ""},
		"nobody asks":     {running, nil, "", "up", ""},
		"silent":          {running, answers("", errors.New("no answer in 2 s")), "", "it runs, but gives no answer: no answer in 2 s", "service logs"},
		"upgraded":        {running, answers("1", nil), "1", "version 1 runs, and 2 is installed", "service restart"},
		"built anew":      {Status{State: Running, Outdated: true}, answers("2", nil), "2", "another program is installed than the one that runs", "service restart"},
		"not running":     {Status{State: Stopped}, answers("", errors.New("no")), "", "", ""},
		"told, a machine": {running, answers("1", nil), "1", "version 1 runs, and 2 is installed", "service restart"},
	} {
		m := &Manager{backend: told{c.s}, o: Options{Version: "2", Ask: c.ask, System: strings.HasSuffix(name, "machine")}}
		s, err := m.Status(t.Context())
		if err != nil || s.Version != c.version || s.Detail != c.detail || !strings.HasSuffix(s.Hint, c.hint) || (s.Hint == "") != (c.hint == "") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if runtime.GOOS != "windows" && s.Hint != "" && m.o.System != strings.Contains(s.Hint, "--system") {
			t.Errorf("%s: hint %q", name, s.Hint)
		}
	}
}
