// Package servicecmd holds the commands about the service: install, uninstall, start,
// stop, restart, status and logs.
//
// It owns what they print, and which service the flags name. It refuses to know how a
// daemon runs: [Program] tells it what it needs of that.
package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
)

// Program is what these commands are a part of.
type Program struct {
	Stdout, Stderr *terminal.Printer
	Getenv         func(string) string
	Choice         *config.Choice // what the flags say, once they are read
	Version        string

	// Running asks the instance of these places for its version.
	Running func(context.Context, config.Paths) (string, error)
	// PortTaken says who else has the port that such an instance wants; nil for nobody.
	PortTaken func(context.Context, config.Config, config.Paths) error
}

// Commands are those of "filmspool service".
func (p Program) Commands() []*cobra.Command {
	return []*cobra.Command{
		p.installCommand(),
		p.verb("uninstall", "Stop the service and remove it; your viewings stay", "removed: Filmspool no longer starts by itself",
			(*service.Manager).Uninstall),
		p.verb("start", "Start the service, and wait until it is ready", "started", p.starting((*service.Manager).Start)),
		p.verb("stop", "Stop the service until it is started again", "stopped", (*service.Manager).Stop),
		p.verb("restart", "Stop the service and start it", "restarted", p.starting((*service.Manager).Restart)),
		p.statusCommand(),
		p.logsCommand(),
	}
}

// Manager is the service that the flags name, with more options where more
// sets them. Places that were named go into its command line, so that it uses
// the same ones.
func (p Program) Manager(more func(*service.Options)) (*service.Manager, error) {
	args := []string{"run"}
	for _, f := range []struct{ flag, value string }{{"--state-dir", p.namedState()}, {"--config", p.Choice.Config}} {
		if f.value == "" {
			continue
		}
		path, err := filepath.Abs(f.value)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", f.value, err)
		}
		args = append(args, f.flag, path)
	}
	paths, err := config.FindPaths(*p.Choice, p.outside)
	if err != nil {
		return nil, err
	}
	o := service.Options{System: p.Choice.System, Args: args, State: paths.State, Version: p.Version, Ask: p.askVersion}
	if more != nil {
		more(&o)
	}
	return service.New(o)
}

// namedState is the state folder that a flag names, or XDG_STATE_HOME: units
// allow one folder by name, and a manager may not know the variable.
func (p Program) namedState() string {
	home := p.Getenv("XDG_STATE_HOME")
	if p.Choice.StateDir != "" || p.Choice.System || home == "" || runtime.GOOS != "linux" {
		return p.Choice.StateDir
	}
	if home == filepath.Join(p.Getenv("HOME"), ".local", "state") {
		return "" // said, but not another
	}
	return filepath.Join(home, "filmspool")
}

// askVersion asks the instance that runs for its version.
func (p Program) askVersion(ctx context.Context) (string, error) {
	paths, err := config.FindPaths(*p.Choice, p.outside)
	if err != nil {
		return "", nil // nobody to ask
	}
	return p.Running(ctx, paths)
}

// outside is the environment without what is set for Filmspool in this shell:
// a service does not see that.
func (p Program) outside(name string) string {
	if strings.HasPrefix(name, "FILMSPOOL_") {
		return ""
	}
	return p.Getenv(name)
}

// config is what the service will read when it starts, and where.
func (p Program) config() (config.Config, config.Paths, error) {
	paths, err := config.FindPaths(*p.Choice, p.outside)
	if err != nil {
		return config.Config{}, config.Paths{}, err
	}
	c, err := config.Load(paths.File, paths.Explicit, p.outside, config.Overrides{})
	return c, paths, err
}

// Start starts the service, unless somebody else has its port.
func (p Program) Start(ctx context.Context, m *service.Manager) error {
	return p.starting((*service.Manager).Start)(m, ctx)
}

// starting refuses to start a service whose port somebody else has, which
// would end it at once.
func (p Program) starting(do func(*service.Manager, context.Context) error) func(*service.Manager, context.Context) error {
	return func(m *service.Manager, ctx context.Context) error {
		if err := p.portTaken(ctx, m); err != nil {
			return err
		}
		return do(m, ctx)
	}
}

// portTaken says who else has the port that the service wants.
func (p Program) portTaken(ctx context.Context, m *service.Manager) error {
	s, err := m.Status(ctx)
	if err != nil {
		return err
	}
	return p.taken(ctx, s)
}

// taken is portTaken for a service of which the status is known. What is wrong with
// the configuration the service says itself.
func (p Program) taken(ctx context.Context, s service.Status) error {
	if s.State != service.Stopped && s.State != service.Failed && s.State != service.Restarting {
		return nil
	}
	c, paths, err := p.config()
	if err != nil {
		return nil
	}
	return p.PortTaken(ctx, c, paths)
}

// hintOf is the next step that err carries, if it carries one.
func hintOf(err error) string {
	var carrying interface{ Hint() string }
	if errors.As(err, &carrying) {
		return carrying.Hint()
	}
	return ""
}

// verb is a command that does one thing and says that it is done.
func (p Program) verb(name, short, done string, do func(*service.Manager, context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: usage.Exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := p.Manager(nil)
			if err != nil {
				return err
			}
			if err := p.atWork(name, func() error { return do(m, c.Context()) }); err != nil {
				return err
			}
			p.Stdout.Println(done)
			return nil
		},
	}
}

// atWork does what may take long, and whose end is not in our hands: on a terminal it
// says what goes on.
func (p Program) atWork(verb string, do func() error) error {
	if !p.Stderr.IsTerminal() {
		return do()
	}
	return terminal.Telling(do, func(took time.Duration) { p.Stderr.Printf("%s: still waiting after %.0f s\n", verb, took.Seconds()) })
}

func (p Program) logsCommand() *cobra.Command {
	c := &cobra.Command{Use: "logs", Short: "Show what the service wrote lately", Args: usage.Exactly()}
	follow := c.Flags().BoolP("follow", "f", false, "go on as it writes, until Ctrl-C")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.Manager(nil)
		if err != nil {
			return err
		}
		return m.Logs(c.Context(), p.Stdout.Text(), *follow)
	}
	return c
}
