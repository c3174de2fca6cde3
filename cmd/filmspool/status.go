package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/account"
)

func (p *program) statusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how things stand",
		Long: `Says how things stand, in one sentence and then in detail.
--all looks at everything now, also while nothing runs, and says what is wrong, why
that matters, and what mends it. --report prints a report for somebody who helps you:
it tells no titles, names, addresses, paths or keys.
Exit codes: 0 all is well or offline, 3 not running, 4 something needs you.`,
		Args: usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	seen := c.Flags().Int64("seen", 0, "forget the notice with this `number`")
	all := c.Flags().Bool("all", false, "look at everything now, and say what is wrong and what mends it")
	helper := c.Flags().Bool("report", false, "print a report for somebody who helps you")
	c.MarkFlagsMutuallyExclusive("seen", "all", "report")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case *seen != 0:
			return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
				return ctl.Acknowledge(c.Context(), *seen)
			})
		case *helper:
			about := func(ctl control.API) (control.About, error) { return ctl.About(c.Context()) }
			return ask(c.Context(), p, daemon.Offline, *asJSON, about, func(a control.About) error {
				_, err := p.stdout.Text().Write([]byte(a.Report))
				return err
			})
		case *all:
			return p.examine(c.Context(), *asJSON)
		}
		return p.instance(c.Context(), nil, func(ctl control.API) error {
			s, err := ctl.Status(c.Context())
			if err != nil {
				return err
			}
			health.Tell(p.stdout.Speech(), &s)
			if *asJSON {
				err = p.stdout.JSON(s)
			} else if err = report.Status(p.stdout, s); err == nil && s.Version != version {
				p.stdout.Printf("\nversion %s runs, and this is %s; to use it: %s\n", s.Version, version, service.Command(p.choice.System, "service restart"))
			}
			return attention(s, err)
		})
	}
	return c
}

// attention is the exit code where something needs a person.
func attention(s control.Status, err error) error {
	if err == nil && s.State == account.Attention {
		return &exitError{code: exitAttention}
	}
	return err
}

// examine prints everything that is wrong now. A configuration with mistakes is one of
// the things that it tells.
func (p *program) examine(ctx context.Context, asJSON bool) error {
	paths, err := config.FindPaths(p.choice, p.getenv)
	if err != nil {
		return err
	}
	d := daemon.Options{Paths: paths, Getenv: p.getenv, Version: version, Logger: slog.New(slog.DiscardHandler)}
	o := health.Examination{Paths: paths}
	d.Config, o.Faults = config.Source{Paths: paths, Getenv: p.getenv, Flags: p.flags}.Load()
	o.Service = func(ctx context.Context) (service.Status, error) {
		m, err := p.service().Manager(false)
		if err != nil {
			return service.Status{}, err
		}
		return m.Status(ctx)
	}
	o.Taken = func(ctx context.Context) error { return daemon.PortTaken(ctx, d) }
	o.Ask = func(ctx context.Context) (control.Status, bool, error) { return check(ctx, d) }
	var s control.Status
	err = p.patiently(func() error {
		s, _ = health.Examine(ctx, o)
		return nil
	})
	if err != nil {
		return err
	}
	health.Tell(p.stdout.Speech(), &s)
	for i := range s.Problems {
		if c := s.Problems[i].Act.Command; c != nil {
			*c = p.addressed(*c)
		}
	}
	if asJSON {
		return attention(s, p.stdout.JSON(s.Problems))
	}
	report.Problems(p.stdout, s.Problems)
	return attention(s, nil)
}

// check asks the instance how it stands, or its queue while nothing runs.
func check(ctx context.Context, o daemon.Options) (s control.Status, running bool, err error) {
	found, err := daemon.Find(ctx, o.Paths)
	if err == nil {
		defer found.Close()
		s, err = found.API.Check(ctx)
		return s, true, err
	}
	if !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) || o.Paths.System {
		return s, false, err
	}
	err = daemon.Existing(ctx, o, func(ctl control.API) error {
		s, err = ctl.Check(ctx)
		return err
	})
	if errors.Is(err, &control.Fault{Code: control.CodeNotFound}) { // before the first run there is no queue to look at
		err = nil
	}
	return s, false, err
}
