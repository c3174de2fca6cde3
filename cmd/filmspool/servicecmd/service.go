// Package servicecmd holds the commands about the service: install, uninstall, start,
// stop, restart, status and logs. They choose which service the flags name, and print.
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
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
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
		p.verb(service.Uninstall, "Stop the service and remove it; your viewings stay", "removed: Filmspool no longer starts by itself"),
		p.verb(service.Start, "Start the service, and wait until it is ready", "started"),
		p.verb(service.Stop, "Stop the service until it is started again", "stopped"),
		p.verb(service.Restart, "Stop the service and start it", "restarted"),
		p.statusCommand(),
		p.logsCommand(),
	}
}

// Manager is the service that the flags name. Places that were named go into its
// command line, so that it uses the same ones.
func (p Program) Manager(linger bool) (*service.Manager, error) {
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
	return service.New(service.Options{
		System: p.Choice.System, Args: args, Linger: linger, State: paths.State, Version: p.Version,
		Ask: func(ctx context.Context) (string, error) { return p.Running(ctx, paths) },
	})
}

// namedState is the state folder that a flag names, or XDG_STATE_HOME: a manager may
// not know the variable.
func (p Program) namedState() string {
	home := p.Getenv("XDG_STATE_HOME")
	if p.Choice.StateDir != "" || p.Choice.System || home == "" || runtime.GOOS != "linux" {
		return p.Choice.StateDir
	}
	return filepath.Join(home, "filmspool")
}

// outside is the environment without what is set for Filmspool in this shell:
// a service does not see that.
func (p Program) outside(name string) string {
	if strings.HasPrefix(name, "FILMSPOOL_") {
		return ""
	}
	return p.Getenv(name)
}

// Do does a verb. It refuses to start a service whose port somebody else has, which
// would end it at once.
func (p Program) Do(ctx context.Context, m *service.Manager, verb string) error {
	if verb == service.Start || verb == service.Restart {
		s, err := m.Status(ctx)
		if err == nil {
			err = p.taken(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	do := func() error { return m.Do(ctx, verb) }
	if !p.Stderr.IsTerminal() {
		return do()
	}
	return terminal.Telling(do, func(took time.Duration) { p.Stderr.Printf("%s: still waiting after %.0f s\n", verb, took.Seconds()) })
}

// taken says who else has the port that a service wants. What is wrong with the
// configuration the service says itself.
func (p Program) taken(ctx context.Context, s service.Status) error {
	if s.State != service.Stopped && s.State != service.Failed && s.State != service.Restarting {
		return nil
	}
	paths, err := config.FindPaths(*p.Choice, p.outside)
	if err != nil {
		return err
	}
	c, err := config.Source{Paths: paths, Getenv: p.outside}.Load()
	if err != nil {
		return nil
	}
	return p.PortTaken(ctx, c, paths)
}

// verb is a command that does one thing and says that it is done.
func (p Program) verb(name, short, done string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := p.Manager(false)
			if err == nil {
				err = p.Do(c.Context(), m, name)
			}
			if err == nil {
				p.Stdout.Println(done)
			}
			return err
		},
	}
}

func (p Program) installCommand() *cobra.Command {
	c := &cobra.Command{
		Use: service.Install, Short: "Have Filmspool start by itself",
		Long: `Installs Filmspool as your own service, which starts when you log in; with --system
as one service for the whole machine, which starts with it and runs as a user of its
own. Said again, it brings an old installation up to date. On Windows --system wants the
terminal of an administrator, and your own service is looked after by a second, small
process.`,
		Example: `  filmspool service install && filmspool service start
  sudo filmspool --system service install`,
	}
	linger := c.Flags().Bool("linger", false, "run from boot to shutdown, not from login to logout (your own service)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *linger && p.Choice.System {
			return errors.New("--linger is for your own service; a system-wide one runs from boot anyway")
		}
		m, err := p.Manager(*linger)
		if err == nil {
			err = p.Do(c.Context(), m, service.Install)
		}
		if err == nil {
			p.sayInstalled(c.Context(), m)
		}
		return err
	}
	return c
}

// sayInstalled says what is so from now on, what to do next, and what is in the way.
func (p Program) sayInstalled(ctx context.Context, m *service.Manager) {
	p.Stdout.Println("installed: Filmspool starts by itself from now on")
	s, _ := m.Status(ctx) // what it does not know is not said
	if s.UntilLogout {
		p.Stdout.Println(untilLogout)
	}
	if s.State == service.Running || s.State == service.Restarting {
		p.Stdout.Println("It runs already; to use what is installed now: " + service.Command(p.Choice.System, "service restart"))
	} else {
		p.Stdout.Println("To start it now: " + service.Command(p.Choice.System, "service start"))
	}
	if other, err := service.New(service.Options{System: !p.Choice.System}); err == nil {
		if s, err := other.Status(ctx); err == nil && s.Installed && s.Autostart {
			p.Stderr.Println("warning: Filmspool is installed both for yourself and for the whole machine, and only one of them gets the port")
			p.Stderr.Hint(service.Command(!p.Choice.System, "service uninstall"))
		}
	}
}

func (p Program) logsCommand() *cobra.Command {
	c := &cobra.Command{Use: "logs", Short: "Show what the service wrote lately"}
	follow := c.Flags().BoolP("follow", "f", false, "go on as it writes, until Ctrl-C")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.Manager(false)
		if err != nil {
			return err
		}
		return m.Logs(c.Context(), p.Stdout.Text(), *follow)
	}
	return c
}

// ErrNotRunning ends "status" where the service does not run. It has no words: they are
// printed already.
var ErrNotRunning = errors.New("")

func (p Program) statusCommand() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Say whether the service runs; exit 3 when it does not"}
	asJSON := c.Flags().Bool("json", false, "print JSON with stable field names")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.Manager(false)
		if err != nil {
			return err
		}
		s, err := m.Status(c.Context())
		if err != nil {
			return err
		}
		if taken := p.taken(c.Context(), s); taken != nil { // from within the service less can be seen
			s.Detail = viewing.MessagesOf(taken)[0]
			if hinted, ok := errors.AsType[interface {
				error
				Hint() viewing.Message
			}](taken); ok {
				s.Hint = p.Stdout.Speech().Message(hinted.Hint())
			}
		}
		if *asJSON {
			err = p.Stdout.JSON(s)
		} else {
			p.sayStatus(s)
		}
		if err == nil && s.State != service.Running {
			return ErrNotRunning
		}
		return err
	}
	return c
}

// sayStatus prints the state, what else the manager tells, and what to do.
func (p Program) sayStatus(s service.Status) {
	p.Stdout.Println(s.State)
	if s.PID != 0 {
		p.Stdout.Printf("process %d", s.PID)
		if !s.Since.IsZero() {
			p.Stdout.Printf(" since %s", terminal.Second(s.Since))
		}
		if s.Version != "" {
			p.Stdout.Printf(", version %s", s.Version)
		}
		p.Stdout.Println()
	}
	if s.Restarts > 0 {
		p.Stdout.Printf("restarts after it ended by itself: %d\n", s.Restarts)
	}
	if s.Detail.Code != "" {
		p.Stdout.Println(s.Detail)
	}
	switch {
	case s.Installed && !s.Autostart:
		p.Stdout.Printf("It does not start by itself. To change that: %s\n", service.Command(p.Choice.System, "service install"))
	case s.UntilLogout:
		p.Stdout.Println(untilLogout)
	}
	p.Stdout.Hint(s.Hint)
}

// untilLogout is what a person may not expect of a service of theirs.
const untilLogout = "It runs while you are logged in. To have it run from boot to shutdown: filmspool service install --linger"
