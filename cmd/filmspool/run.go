package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/logging"
	"github.com/filmspool/filmspool/daemon/service"
)

func (p *program) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Run in the foreground, as the service does",
		Long: `Runs Filmspool until it is told to stop. Without an account or key it starts,
takes viewings, keeps them, and says what is missing.`,
		Args: usage.Exactly(),
	}
	c.Flags().StringVar(&p.flags.Listen, "listen", "", "address to listen on, loopback only (FILMSPOOL_LISTEN)")
	// Install passes it where the program must know who started it.
	c.Flags().String(service.HostFlag, "", "")
	_ = c.Flags().MarkHidden(service.HostFlag) // it exists: it was made above
	c.RunE = func(c *cobra.Command, _ []string) error {
		paths, err := config.FindPaths(p.choice, p.getenv)
		if err != nil {
			return err
		}
		return service.Run(c.Context(), service.Program{
			Args: os.Args, State: paths.State, Prepare: paths.MakeState, Run: p.hosted, Code: code,
		})
	}
	return c
}

// hosted runs as its service manager wants it. Where nobody reads standard
// error, a log takes all that stood there.
func (p *program) hosted(ctx context.Context, h service.Host) error {
	if h.Log != nil {
		p.stdout, p.stderr = terminal.To(h.Log), terminal.To(h.Log)
	}
	err := p.serve(ctx, h.Ready)
	if err != nil {
		// "service status" has nothing else to tell the cause by.
		what, _, _ := strings.Cut(err.Error(), "\n")
		_ = service.Notify("STATUS=" + terminal.Harmless(what))
	}
	if err != nil && h.Log != nil {
		logging.New(h.Log, "", p.getenv).Error("the program ends", "error", err, "hint", hintOf(err))
		p.stderr = terminal.To(io.Discard) // it is said
	}
	return err
}

// serve runs until ctx ends.
func (p *program) serve(ctx context.Context, ready func()) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	o.Logger = logging.New(p.stderr.Log(), o.Config.LogLevel, p.getenv)
	o.Ready = func(address string) {
		p.stdout.Printf("ready on http://%s\n", address)
		ready()
	}
	if !p.stdout.IsTerminal() { // a terminal that closes ends what it runs
		reload := make(chan os.Signal, 1)
		signal.Notify(reload, syscall.SIGHUP)
		defer signal.Stop(reload)
		o.Reload = reload
	}
	return daemon.Serve(ctx, o)
}
