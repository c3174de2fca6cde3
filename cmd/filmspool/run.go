package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/service"
)

func (p *program) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Run in the foreground, as the service does",
		Long: `Runs Filmspool until it is told to stop. Without an account or key it starts,
takes viewings, keeps them, and says what is missing.`,
		Args: exactly(),
	}
	c.Flags().StringVar(&p.flags.Listen, "listen", "", "address to listen on, loopback only (FILMSPOOL_LISTEN)")
	// Install passes it where the program must know who started it.
	c.Flags().String(service.HostFlag, "", "")
	_ = c.Flags().MarkHidden(service.HostFlag) // it exists: it was made above
	c.RunE = func(c *cobra.Command, _ []string) error {
		err := p.serve(c.Context())
		if err != nil && code(err) == exitConfig {
			// "service status" has nothing else to tell the cause by.
			what, _, _ := strings.Cut(err.Error(), "\n")
			_ = service.Notify("STATUS=" + what)
		}
		return err
	}
	return c
}

// serve runs the daemon until ctx ends.
func (p *program) serve(ctx context.Context) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	o.Logger = daemon.NewLogger(p.stderr, o.Config.LogLevel, p.getenv)
	o.Ready = func(address string) { fmt.Fprintf(p.stdout, "ready on http://%s\n", address) }
	d, err := daemon.New(ctx, o)
	if err != nil {
		return err
	}
	err = service.Run(ctx, os.Args, d.Run)
	return errors.Join(err, d.Close())
}
