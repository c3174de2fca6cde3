package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/doctor"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
)

func (p *program) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for everything that is wrong, and say what mends it",
		Long: `Looks at everything now, also while nothing runs, and says what is wrong, why that
matters, and what mends it. It changes nothing.
Exit codes: 0 nothing needs you, 4 something needs you.`,
		Args: usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		o, err := p.patient()
		if err != nil {
			return err
		}
		var problems []control.Problem
		err = p.patiently(func() error {
			problems = doctor.Examine(c.Context(), o)
			return nil
		})
		if err != nil {
			return err
		}
		return p.report(o.Speech, problems, *asJSON)
	}
	return c
}

// patient is the instance that the doctor looks at. A configuration with mistakes is
// one of the things that it tells of.
func (p *program) patient() (doctor.Options, error) {
	catalogue, err := words.Load()
	if err != nil {
		return doctor.Options{}, err
	}
	paths, err := config.FindPaths(p.choice, p.getenv)
	if err != nil {
		return doctor.Options{}, err
	}
	language := cmp.Or(p.getenv("LC_ALL"), p.getenv("LC_MESSAGES"), p.getenv("LANG"))
	d := daemon.Options{Paths: paths, Getenv: p.getenv, Version: version, Logger: slog.New(slog.DiscardHandler)}
	o := doctor.Options{Paths: paths, Speech: catalogue.In(language)}
	d.Config, o.Faults = config.Load(paths.File, paths.Explicit, p.getenv, p.flags)
	if m, err := p.service().Manager(false); err == nil {
		o.Service = m
	}
	o.Taken = func(ctx context.Context) error { return daemon.PortTaken(ctx, d) }
	o.Ask = func(ctx context.Context) (control.Health, bool, error) {
		return examined(ctx, d, control.HealthAsked{Language: language, Check: true})
	}
	return o, nil
}

// examined asks the instance how it stands, or its queue while nothing runs.
func examined(ctx context.Context, o daemon.Options, asked control.HealthAsked) (h control.Health, running bool, err error) {
	found, err := daemon.Find(ctx, o.Paths)
	if err == nil {
		defer found.Close()
		h, err = found.API.Health(ctx, asked)
		return h, true, err
	}
	if !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) || o.Paths.System {
		return h, false, err
	}
	err = daemon.Existing(ctx, o, func(ctl control.API) error {
		h, err = ctl.Health(ctx, asked)
		return err
	})
	if errors.Is(err, &control.Fault{Code: control.CodeNotFound}) { // before the first run there is no queue to look at
		err = nil
	}
	return h, false, err
}

// report prints problems: what is wrong, why that matters, and what mends it.
func (p *program) report(s words.Speech, problems []control.Problem, asJSON bool) error {
	for _, problem := range problems {
		if c := problem.Act.Command; c != nil {
			*c = p.addressed(*c)
			if rest, ok := strings.CutPrefix(*c, "filmspool "); ok && strings.HasPrefix(rest, "service ") {
				*c = service.Command(p.choice.System, rest)
			}
		}
	}
	if asJSON {
		if err := p.stdout.JSON(problems); err != nil {
			return err
		}
	} else {
		p.printProblems(s, problems)
	}
	if slices.ContainsFunc(problems, func(problem control.Problem) bool { return problem.Severity == control.NeedsYou }) {
		return &exitError{code: exitAttention}
	}
	return nil
}

// printProblems prints a block for each. What another problem causes goes with that.
func (p *program) printProblems(s words.Speech, problems []control.Problem) {
	roots := health.Roots(problems)
	if len(roots) == 0 {
		p.stdout.Println(s.Say("health.well"))
	}
	for i, problem := range roots {
		if i > 0 {
			p.stdout.Println()
		}
		p.stdout.Printf("%s: %s\n  %s\n  %s\n", health.Word(s, problem.Severity), problem.Text, problem.Why, problem.Act.Text)
		if problem.Act.Command != nil {
			p.stdout.Printf("    %s\n", *problem.Act.Command)
		}
	}
}

func (p *program) noticesCommand() *cobra.Command {
	test := &cobra.Command{
		Use: "test", Short: "Send a test by each way in which Filmspool tells you of problems", Args: usage.Exactly(),
		Long: `Sends a test to the desktop and the webhook, as far as they are in the
configuration, and says how each went.`,
	}
	asJSON := jsonFlag(test)
	test.RunE = func(c *cobra.Command, _ []string) error {
		failed := false
		send := func(ctl control.API) ([]control.NoticeTest, error) {
			list, err := ctl.TestNotices(c.Context())
			failed = slices.ContainsFunc(list, func(t control.NoticeTest) bool { return t.State == control.NoticeFailed })
			return list, err
		}
		err := ask(c.Context(), p, nil, *asJSON, send, func(list []control.NoticeTest) error { return report.NoticeTests(p.stdout, list) })
		if err == nil && failed {
			return &exitError{code: exitFailed}
		}
		return err
	}
	return group("notices", "Try how Filmspool tells you of problems", test)
}
