package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

// manager is the service that the flags name. Places that were named go into its
// command line, so that it uses the same ones.
func (p *program) manager(linger bool) (*service.Manager, error) {
	args := []string{"run"}
	for _, f := range []struct{ flag, value string }{{"--state-dir", p.namedState()}, {"--config", p.choice.Config}} {
		if f.value == "" {
			continue
		}
		path, err := filepath.Abs(f.value)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", f.value, err)
		}
		args = append(args, f.flag, path)
	}
	paths, err := config.FindPaths(p.choice, p.outside)
	if err != nil {
		return nil, err
	}
	return service.New(service.Options{
		System: p.choice.System, Args: args, Linger: linger, State: paths.State, Version: version,
		Ask: func(ctx context.Context) (string, error) { return daemon.Version(ctx, paths) },
	})
}

// namedState is the state folder that a flag names, or XDG_STATE_HOME: a manager may
// not know the variable.
func (p *program) namedState() string {
	home := p.getenv("XDG_STATE_HOME")
	if p.choice.StateDir != "" || p.choice.System || home == "" || runtime.GOOS != "linux" {
		return p.choice.StateDir
	}
	return filepath.Join(home, "filmspool")
}

// outside is the environment without what is set for Filmspool in this shell:
// a service does not see that.
func (p *program) outside(name string) string {
	if strings.HasPrefix(name, "FILMSPOOL_") {
		return ""
	}
	return p.getenv(name)
}

// doService is the command that does one thing, and says that it is done.
func (p *program) doService(verb string) func(context.Context, []string) error {
	return func(ctx context.Context, _ []string) error {
		m, err := p.manager(false)
		if err == nil {
			err = p.manage(ctx, m, verb)
		}
		if err == nil {
			p.stdout.Say("cli.service." + verb)
		}
		return err
	}
}

// manage does a verb. It refuses to start a service whose port somebody else has, which
// would end it at once.
func (p *program) manage(ctx context.Context, m *service.Manager, verb string) error {
	if verb == service.Start || verb == service.Restart {
		s, err := m.Status(ctx)
		if err == nil {
			err = p.portTaken(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	do := func() error { return m.Do(ctx, verb) }
	if !p.stderr.IsTerminal() {
		return do()
	}
	return terminal.Telling(do, func(took time.Duration) { p.stderr.Say("cli.serviceWaits", "seconds", int(took.Seconds())) })
}

// portTaken says who else has the port that a service wants. What is wrong with the
// configuration the service says itself.
func (p *program) portTaken(ctx context.Context, s service.Status) error {
	if s.State != service.Stopped && s.State != service.Failed && s.State != service.Restarting {
		return nil
	}
	paths, err := config.FindPaths(p.choice, p.outside)
	if err != nil {
		return err
	}
	c, err := config.Source{Paths: paths, Getenv: p.outside}.Load()
	if err != nil {
		return nil
	}
	return daemon.PortTaken(ctx, daemon.Options{Config: c, Paths: paths})
}

// installService has Filmspool start by itself.
func (p *program) installService(ctx context.Context, _ []string) error {
	if p.given.linger && p.choice.System {
		return mistake("usage.linger")
	}
	m, err := p.manager(p.given.linger)
	if err == nil {
		err = p.manage(ctx, m, service.Install)
	}
	if err == nil {
		p.sayInstalled(ctx, m)
	}
	return err
}

// sayInstalled says what is so from now on, what to do next, and what is in the way.
func (p *program) sayInstalled(ctx context.Context, m *service.Manager) {
	p.stdout.Say("cli.service." + service.Install)
	s, _ := m.Status(ctx) // what it does not know is not said
	if s.UntilLogout {
		p.stdout.Say("cli.untilLogout")
	}
	if s.State == service.Running || s.State == service.Restarting {
		p.stdout.Say("cli.serviceRuns", "command", service.Command(p.choice.System, "service restart"))
	} else {
		p.stdout.Say("cli.serviceStart", "command", service.Command(p.choice.System, "service start"))
	}
	if other, err := service.New(service.Options{System: !p.choice.System}); err == nil {
		if s, err := other.Status(ctx); err == nil && s.Installed && s.Autostart {
			p.stderr.Say("cli.serviceTwice")
			p.stderr.Hint(service.Command(!p.choice.System, "service uninstall"))
		}
	}
}

// serviceLogs prints the log of the service.
func (p *program) serviceLogs(ctx context.Context, _ []string) error {
	m, err := p.manager(false)
	if err != nil {
		return err
	}
	return m.Logs(ctx, p.stdout.Text(), p.given.follow)
}

// serviceStatus says how the service stands.
func (p *program) serviceStatus(ctx context.Context, _ []string) error {
	m, err := p.manager(false)
	if err != nil {
		return err
	}
	s, err := m.Status(ctx)
	if err != nil {
		return err
	}
	if taken := p.portTaken(ctx, s); taken != nil { // from within the service less can be seen
		s.Detail, s.Hint = viewing.MessagesOf(taken)[0], p.hint(taken)
	}
	if p.given.json {
		err = p.stdout.JSON(s)
	} else {
		p.sayService(s)
	}
	if s.State != service.Running {
		err = errors.Join(err, &exitError{error: errSaid, code: exitNotRunning})
	}
	return err
}

// sayService prints the state, what else the manager tells, and what to do.
func (p *program) sayService(s service.Status) {
	p.stdout.Say("service.state." + strings.ReplaceAll(string(s.State), " ", "-"))
	if s.PID != 0 {
		p.row("process", s.PID)
	}
	if s.PID != 0 && !s.Since.IsZero() {
		p.row("since", terminal.Second(s.Since))
	}
	if s.Version != "" {
		p.row("version", s.Version)
	}
	if s.Restarts > 0 {
		p.row("restarts", s.Restarts)
	}
	if s.Detail.Code != "" {
		p.stdout.Println(s.Detail)
	}
	switch {
	case s.Installed && !s.Autostart:
		p.stdout.Say("cli.notByItself", "command", service.Command(p.choice.System, "service install"))
	case s.UntilLogout:
		p.stdout.Say("cli.untilLogout")
	}
	p.stdout.Hint(s.Hint)
}

// row prints a value with its name, below something else.
func (p *program) row(name string, value any) {
	p.stdout.Printf("  %-14s %v\n", p.stdout.Speech().Say("cli.row."+name), value)
}
