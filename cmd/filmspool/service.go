package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
)

func (p *program) serviceCommand() *cobra.Command {
	return group("service", "Install Filmspool as a service, and control it",
		p.serviceInstallCommand(),
		p.serviceVerb("uninstall", "Stop the service and remove it; your viewings stay", "removed: Filmspool no longer starts by itself",
			(*service.Manager).Uninstall),
		p.serviceVerb("start", "Start the service, and wait until it is ready", "started", p.starting((*service.Manager).Start)),
		p.serviceVerb("stop", "Stop the service until it is started again", "stopped", (*service.Manager).Stop),
		p.serviceVerb("restart", "Stop the service and start it", "restarted", p.starting((*service.Manager).Restart)),
		p.serviceStatusCommand(),
		p.serviceLogsCommand(),
	)
}

// manager is the service that the flags name, with more options where more
// sets them. Places that were named go into its command line, so that it uses
// the same ones.
func (p *program) manager(more func(*service.Options)) (*service.Manager, error) {
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
	o := service.Options{System: p.choice.System, Args: args, State: paths.State, Version: version, Ask: p.askVersion}
	if more != nil {
		more(&o)
	}
	return service.New(o)
}

// namedState is the state folder that a flag names, or XDG_STATE_HOME: units
// allow one folder by name, and a manager may not know the variable.
func (p *program) namedState() string {
	home := p.getenv("XDG_STATE_HOME")
	if p.choice.StateDir != "" || p.choice.System || home == "" || runtime.GOOS != "linux" {
		return p.choice.StateDir
	}
	if home == filepath.Join(p.getenv("HOME"), ".local", "state") {
		return "" // said, but not another
	}
	return filepath.Join(home, "filmspool")
}

// askVersion asks the instance that runs for its version.
func (p *program) askVersion(ctx context.Context) (string, error) {
	paths, err := config.FindPaths(p.choice, p.outside)
	if err != nil {
		return "", nil // nobody to ask
	}
	return daemon.Version(ctx, paths)
}

// outside is the environment without what is set for Filmspool in this shell:
// a service does not see that.
func (p *program) outside(name string) string {
	if strings.HasPrefix(name, "FILMSPOOL_") {
		return ""
	}
	return p.getenv(name)
}

// serviceConfig is what the service will read when it starts.
func (p *program) serviceConfig() (daemon.Options, error) {
	paths, err := config.FindPaths(p.choice, p.outside)
	if err != nil {
		return daemon.Options{}, err
	}
	c, err := config.Load(paths.File, paths.Explicit, p.outside, config.Overrides{})
	return daemon.Options{Config: c, Paths: paths}, err
}

// starting refuses to start a service whose port somebody else has, which
// would end it at once.
func (p *program) starting(do func(*service.Manager, context.Context) error) func(*service.Manager, context.Context) error {
	return func(m *service.Manager, ctx context.Context) error {
		if err := p.portTaken(ctx, m); err != nil {
			return err
		}
		return do(m, ctx)
	}
}

// portTaken says who else has the port that the service wants. What is wrong
// with the configuration the service says itself.
func (p *program) portTaken(ctx context.Context, m *service.Manager) error {
	s, err := m.Status(ctx)
	if err != nil || s.State != service.Stopped && s.State != service.Failed && s.State != service.Restarting {
		return err
	}
	o, err := p.serviceConfig()
	if err != nil {
		return nil
	}
	return daemon.PortTaken(ctx, o)
}

// serviceVerb is a command that does one thing and says that it is done.
func (p *program) serviceVerb(name, short, done string, do func(*service.Manager, context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: usage.Exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := p.manager(nil)
			if err != nil {
				return err
			}
			if err := p.atWork(name, func() error { return do(m, c.Context()) }); err != nil {
				return err
			}
			p.stdout.Println(done)
			return nil
		},
	}
}

func (p *program) serviceLogsCommand() *cobra.Command {
	c := &cobra.Command{Use: "logs", Short: "Show what the service wrote lately", Args: usage.Exactly()}
	follow := c.Flags().BoolP("follow", "f", false, "go on as it writes, until Ctrl-C")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.manager(nil)
		if err != nil {
			return err
		}
		return m.Logs(c.Context(), p.stdout.Text(), *follow)
	}
	return c
}
