package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/service"
)

func (p *program) serviceCommand() *cobra.Command {
	return group("service", "Install Filmspool as a service, and control it",
		p.serviceInstallCommand(),
		p.serviceVerb("uninstall", "Stop the service and remove it; your viewings stay", "removed: Filmspool no longer starts by itself",
			(*service.Manager).Uninstall),
		p.serviceVerb("start", "Start the service", "started", (*service.Manager).Start),
		p.serviceVerb("stop", "Stop the service until it is started again", "stopped", (*service.Manager).Stop),
		p.serviceVerb("restart", "Stop the service and start it", "restarted", (*service.Manager).Restart),
		p.serviceStatusCommand(),
		p.serviceLogsCommand(),
	)
}

// manager is the service that the flags name. Places that were named go into
// its command line, so that it uses the same ones.
func (p *program) manager(linger bool) (*service.Manager, error) {
	args := []string{"run"}
	for _, f := range []struct{ flag, value string }{{"--state-dir", p.choice.StateDir}, {"--config", p.choice.Config}} {
		if f.value == "" {
			continue
		}
		path, err := filepath.Abs(f.value)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", f.value, err)
		}
		args = append(args, f.flag, path)
	}
	return service.New(service.Options{System: p.choice.System, Linger: linger, Args: args})
}

func (p *program) serviceInstallCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "install", Short: "Have Filmspool start by itself", Args: exactly(),
		Long: `Installs Filmspool as your own service, which starts when you log in; with --system
as one service for the whole machine. Said again, it brings an old installation up
to date.`,
		Example: `  filmspool service install && filmspool service start
  sudo filmspool --system service install`,
	}
	linger := c.Flags().Bool("linger", false, "run from boot to shutdown, not from login to logout (your own service)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *linger && p.choice.System {
			return usage("--linger is for your own service; a system-wide one runs from boot anyway")
		}
		m, err := p.manager(*linger)
		if err != nil {
			return err
		}
		if err := m.Install(c.Context()); err != nil {
			return err
		}
		start := "filmspool service start"
		if p.choice.System {
			start = "filmspool --system service start"
		}
		fmt.Fprintf(p.stdout, "installed: Filmspool starts by itself from now on\nTo start it now: %s\n", start)
		return nil
	}
	return c
}

// serviceVerb is a command that does one thing and says that it is done.
func (p *program) serviceVerb(name, short, done string, do func(*service.Manager, context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := p.manager(false)
			if err != nil {
				return err
			}
			if err := do(m, c.Context()); err != nil {
				return err
			}
			fmt.Fprintln(p.stdout, done)
			return nil
		},
	}
}

func (p *program) serviceStatusCommand() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Say whether the service runs; exit 3 when it does not", Args: exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.manager(false)
		if err != nil {
			return err
		}
		s, err := m.Status(c.Context())
		if err != nil {
			return err
		}
		if *asJSON {
			err = printJSON(p.stdout, s)
		} else {
			p.sayService(s)
		}
		if err == nil && s.State != service.Running {
			return &exitError{code: exitNotRunning}
		}
		return err
	}
	return c
}

// sayService prints the state, and what else the manager tells.
func (p *program) sayService(s service.Status) {
	fmt.Fprintln(p.stdout, s.State)
	if s.PID != 0 {
		fmt.Fprintf(p.stdout, "process %d since %s\n", s.PID, stamp(s.Since))
	}
	if s.Detail != "" {
		fmt.Fprintln(p.stdout, s.Detail)
	}
}

func (p *program) serviceLogsCommand() *cobra.Command {
	c := &cobra.Command{Use: "logs", Short: "Show what the service wrote lately", Args: exactly()}
	follow := c.Flags().BoolP("follow", "f", false, "go on as it writes, until Ctrl-C")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.manager(false)
		if err != nil {
			return err
		}
		return m.Logs(c.Context(), p.stdout, *follow)
	}
	return c
}
