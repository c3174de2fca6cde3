package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/viewing"
)

// manager is a service manager; a test says how its service stands.
type manager struct {
	now service.Status
	err error
}

func (m *manager) Status(context.Context) (service.Status, error) { return m.now, m.err }

// patient is an instance over an empty folder. It runs, and is well.
type patient struct {
	Options
	running bool
	says    error
	taken   error
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &patient{running: true}
	p.Options = Options{
		Paths: config.Paths{State: dir, Control: filepath.Join(dir, "control.json")}, Speech: c.In(""),
		Ask:   func(context.Context) (control.Health, bool, error) { return control.Health{}, p.running, p.says },
		Taken: func(context.Context) error { return p.taken },
	}
	return p
}

// roots are the codes of what the doctor finds that nothing else causes.
func (p *patient) roots(t *testing.T) (codes []string) {
	t.Helper()
	for _, problem := range health.Roots(Examine(t.Context(), p.Options)) {
		codes = append(codes, problem.Code)
	}
	return codes
}

// TestExamine: each thing that is looked at is found, and what it causes is not told.
func TestExamine(t *testing.T) {
	up := service.Status{Installed: true, Autostart: true, State: service.Running}
	with := func(change func(*service.Status)) *manager { m := &manager{now: up}; change(&m.now); return m }
	stop := func(p *patient, state service.State) {
		p.running, p.says = false, control.NotRunning("")
		p.Service = &manager{now: service.Status{Installed: state != service.NotInstalled, Autostart: true, State: state, Detail: viewing.Say("said", "detail", "why")}}
	}
	for name, c := range map[string]struct {
		change func(*patient)
		want   string
	}{
		"well, without a manager": {func(*patient) {}, ""},
		"well":                    {func(p *patient) { p.Service = &manager{now: up} }, ""},
		"a manager that fails":    {func(p *patient) { p.Service = &manager{err: service.ErrNoManager} }, ""},
		"no service":              {func(p *patient) { p.Service = &manager{} }, health.ServiceMissing},
		"started by hand alone":   {func(p *patient) { p.Service = with(func(s *service.Status) { s.Autostart = false }) }, health.ServiceManual},
		"until logout":            {func(p *patient) { p.Service = with(func(s *service.Status) { s.UntilLogout = true }) }, health.ServiceLogout},
		"another version":         {func(p *patient) { p.Service = with(func(s *service.Status) { s.Outdated = true }) }, health.Outdated},
		"stopped":                 {func(p *patient) { stop(p, service.Stopped) }, health.ServiceStopped},
		"failed":                  {func(p *patient) { stop(p, service.Failed) }, health.ServiceFailed},
		"again and again":         {func(p *patient) { stop(p, service.Restarting) }, health.ServiceFailed},
		"not installed, no run":   {func(p *patient) { stop(p, service.NotInstalled) }, health.NotRunning},
		"the port is taken":       {func(p *patient) { stop(p, service.Failed); p.taken = errors.New("it is held by nc") }, health.PortTaken},
		"a bad configuration": {
			func(p *patient) {
				stop(p, service.Failed)
				p.Faults = fmt.Errorf("%w: a: 1 is too much (line 2)\n%w: b: 2 is, too", config.ErrInvalid, config.ErrInvalid)
			}, health.ConfigInvalid + " " + health.ConfigInvalid,
		},
		"not for us": {
			func(p *patient) { stop(p, service.Stopped); p.says = fmt.Errorf("open: %w", os.ErrPermission) }, health.StateDenied,
		},
		"not ours": {
			func(p *patient) { stop(p, service.Stopped); p.says = &config.FolderError{} }, health.StateDenied,
		},
		"a damaged queue": {
			func(p *patient) { stop(p, service.Stopped); p.says = errors.New("the queue is damaged") }, health.QueueUnread,
		},
	} {
		p := newPatient(t)
		c.change(p)
		if got := strings.Join(p.roots(t), " "); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

// TestTheInstanceIsHeard: what it says of itself stands among the rest, by its severity.
func TestTheInstanceIsHeard(t *testing.T) {
	p := newPatient(t)
	p.Service = &manager{}
	p.Ask = func(context.Context) (control.Health, bool, error) {
		return control.Health{Problems: []control.Problem{{Code: "a", Severity: control.Note}, {Code: "b", Severity: control.NeedsYou}}}, true, nil
	}
	if got, want := p.roots(t), []string{"b", health.ServiceMissing, "a"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
