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

// manager returns the manager of the service that the flags select. Paths from flags become part
// of the service's command line.
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
	paths, err := config.FindPaths(p.choice, p.serviceEnv)
	if err != nil {
		return nil, err
	}
	return service.New(service.Options{
		System: p.choice.System, Args: args, Linger: linger, State: paths.State, Version: version,
		Ask: func(ctx context.Context) (string, error) { return daemon.Version(ctx, paths) },
	})
}

// namedState returns the state folder from the flag, or the one in XDG_STATE_HOME, which a
// service manager may not pass on.
func (p *program) namedState() string {
	home := p.getenv("XDG_STATE_HOME")
	if p.choice.StateDir != "" || p.choice.System || home == "" || runtime.GOOS != "linux" {
		return p.choice.StateDir
	}
	return filepath.Join(home, "filmspool")
}

// serviceEnv returns an environment variable without those of Filmspool, which a service does not
// get from this shell.
func (p *program) serviceEnv(name string) string {
	if strings.HasPrefix(name, "FILMSPOOL_") {
		return ""
	}
	return p.getenv(name)
}

// doService returns the command for a verb. It prints a confirmation.
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

// manage executes a verb. It does not start a service if another program uses its port.
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
	return terminal.WithProgress(do, func(took time.Duration) { p.stderr.Say("cli.serviceWaits", "seconds", int(took.Seconds())) })
}

// portTaken returns an error if a service that does not run could not open its port. Errors of
// the configuration are left to the service.
func (p *program) portTaken(ctx context.Context, s service.Status) error {
	if s.State != service.Stopped && s.State != service.Failed && s.State != service.Restarting {
		return nil
	}
	paths, err := config.FindPaths(p.choice, p.serviceEnv)
	if err != nil {
		return err
	}
	c, err := config.Source{Paths: paths, Getenv: p.serviceEnv}.Load()
	if err != nil {
		return nil
	}
	return daemon.PortTaken(ctx, daemon.Options{Config: c, Paths: paths})
}

// installService installs the service.
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

// sayInstalled prints the result of the installation, the next step and possible conflicts.
func (p *program) sayInstalled(ctx context.Context, m *service.Manager) {
	p.stdout.Say("cli.service." + service.Install)
	s, _ := m.Status(ctx) // without a status nothing more is printed
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

// serviceStatus prints the status of the service.
func (p *program) serviceStatus(ctx context.Context, _ []string) error {
	m, err := p.manager(false)
	if err != nil {
		return err
	}
	s, err := m.Status(ctx)
	if err != nil {
		return err
	}
	if taken := p.portTaken(ctx, s); taken != nil { // the service itself may not see the other program
		s.Detail, s.Hint = viewing.MessagesOf(taken)[0], p.hint(taken)
	}
	if p.given.json {
		err = p.stdout.JSON(s)
	} else {
		p.sayService(s)
	}
	if s.State != service.Running {
		err = errors.Join(err, &exitError{error: errPrinted, code: exitNotRunning})
	}
	return err
}

// sayService prints the state, the details and the hint.
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

// row prints an indented name and value.
func (p *program) row(name string, value any) {
	p.stdout.Printf("  %-14s %v\n", p.stdout.Speech().Say("cli.row."+name), value)
}
