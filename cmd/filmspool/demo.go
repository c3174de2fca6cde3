package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/demo"
)

func (p *program) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "See it at work, with nothing to prepare",
		Long: `Starts a tracking service and Filmspool in a temporary folder, lets a browser, a
Kodi library and the command line produce viewings, takes the service away and
brings it back, and counts what arrived. Stays up until Ctrl-C.
Exits 0 only if everything arrived exactly once.`,
		Args: usage.Exactly(),
	}
	once := c.Flags().Bool("once", false, "end after the tour")
	asJSON := c.Flags().Bool("json", false, "print the count as JSON; the story goes to standard error")
	c.RunE = func(c *cobra.Command, _ []string) error {
		story := p.stdout
		if *asJSON {
			story = p.stderr
		}
		result, err := demo.Run(c.Context(), demo.Options{Story: story.Text(), Once: *once, Version: version, Start: daemon.Start})
		if *asJSON && (err == nil || errors.Is(err, demo.ErrMiscounted)) {
			err = errors.Join(p.stdout.JSON(result), err)
		}
		return err
	}
	return c
}
