package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/account"
)

func (p *program) statusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how things stand",
		Long: `Says how things stand, in one sentence and then in detail.
Exit codes: 0 all is well or offline, 3 not running, 4 something needs you.`,
		Args: usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	seen := c.Flags().Int64("seen", 0, "forget the notice with this `number`")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *seen != 0 {
			return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
				return ctl.Acknowledge(c.Context(), *seen)
			})
		}
		return p.instance(c.Context(), nil, func(ctl control.API) error {
			s, err := ctl.Status(c.Context())
			if err != nil {
				return err
			}
			if *asJSON {
				err = p.stdout.JSON(s)
			} else {
				err = report.Status(p.stdout, s)
			}
			if !*asJSON && err == nil {
				p.sayUpgraded(s.Version)
			}
			if err == nil && s.State == account.Attention {
				return &exitError{code: exitAttention}
			}
			return err
		})
	}
	return c
}

// sayUpgraded tells of a program that was replaced while it ran.
func (p *program) sayUpgraded(running string) {
	if running != version {
		p.stdout.Printf("\nversion %s runs, and this is %s; to use it: %s\n", running, version, service.Command(p.choice.System, "service restart"))
	}
}

func (p *program) supportCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "support", Short: "Print a report for somebody who helps you", Args: usage.Exactly(),
		Long: `Prints how things stand, for somebody who helps you. It tells no titles, names,
addresses, paths or keys. Read it before you pass it on.`,
		Example: `  filmspool support > report.txt`,
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		about := func(ctl control.API) (control.About, error) { return ctl.About(c.Context()) }
		return ask(c.Context(), p, daemon.Offline, *asJSON, about, func(a control.About) error {
			_, err := p.stdout.Text().Write([]byte(a.Report))
			return err
		})
	}
	return c
}
