package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// checkYear accepts the year in "--year 2025", without "=".
func (p *program) checkYear(c *cobra.Command, args []string) error {
	if p.given.year != "" && len(args) == 1 {
		p.given.year, args = args[0], nil
	}
	return p.checkArgs(c, args)
}

// status prints the status, all problems, or the statistics of a year.
func (p *program) status(ctx context.Context, _ []string) error {
	switch {
	case p.given.seen != 0:
		return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
			err := ctl.Acknowledge(ctx, p.given.seen)
			if err == nil {
				p.stdout.Say("now.seen")
			}
			return err
		})
	case p.given.report:
		return ask(ctx, p, daemon.Offline, func(ctl control.API) (control.About, error) { return ctl.About(ctx) }, func(a control.About) {
			_, _ = p.stdout.Text().Write([]byte(a.Report)) // fails only if the reader is gone
		})
	case p.given.all:
		return p.examine(ctx)
	case p.given.year != "":
		n, err := strconv.Atoi(p.given.year)
		if err != nil || n < 1 || n > 9999 {
			return mistake("usage.badValue", "flag", "year", "value", typed.Quoted(p.given.year))
		}
		return ask(ctx, p, daemon.OfflineExisting, func(ctl control.API) (entry.Year, error) { return ctl.Year(ctx, n) }, p.sayYear)
	}
	var s control.Status
	err := ask(ctx, p, nil, func(ctl control.API) (_ control.Status, err error) {
		s, err = ctl.Status(ctx)
		health.Render(p.stdout.Speech(), &s)
		return s, err
	}, p.sayStatus)
	return attention(s, err)
}

// attention returns the error for the exit code if something needs the user.
func attention(s control.Status, err error) error {
	if err == nil && s.State == account.Attention {
		return &exitError{error: errPrinted, code: exitAttention}
	}
	return err
}

// examine prints all current problems, including errors of the configuration.
func (p *program) examine(ctx context.Context) error {
	paths, err := config.FindPaths(p.choice, p.getenv)
	if err != nil {
		return err
	}
	d := daemon.Options{Paths: paths, Getenv: p.getenv, Version: version, Logger: slog.New(slog.DiscardHandler)}
	o := health.Examination{Paths: paths}
	d.Config, o.Faults = config.Source{Paths: paths, Getenv: p.getenv, Flags: p.flags}.Load()
	o.Service = func(ctx context.Context) (service.Status, error) {
		m, err := p.manager(false)
		if err != nil {
			return service.Status{}, err
		}
		return m.Status(ctx)
	}
	o.Taken = func(ctx context.Context) error { return daemon.PortTaken(ctx, d) }
	o.Ask = func(ctx context.Context) (control.Status, bool, error) { return check(ctx, d) }
	var s control.Status
	err = p.withProgress(func() error {
		s = health.Examine(ctx, o)
		return nil
	})
	if err != nil {
		return err
	}
	health.Render(p.stdout.Speech(), &s)
	for i := range s.Problems {
		if c := s.Problems[i].Act.Command; c != nil {
			*c = p.addSystemFlag(*c)
		}
	}
	if p.given.json {
		return attention(s, p.stdout.JSON(s.Problems))
	}
	p.sayProblems(s.Problems)
	return attention(s, nil)
}

// sayStatus prints the summary, the hint and the details.
func (p *program) sayStatus(s control.Status) {
	p.stdout.Println(s.Summary)
	p.stdout.Hint(s.Hint)
	for _, n := range s.Notices {
		p.stdout.Printf("\n%d  %s  %s\n", n.ID, terminal.Minute(n.At), p.stdout.Speech().Tell(n.What))
		p.stdout.Hint(viewing.Say("hint.seen", "id", strconv.FormatInt(n.ID, 10)))
	}
	p.stdout.Println()
	p.sayCounts(s.Counts)
	for _, a := range s.Accounts {
		p.sayState(p.stdout.Speech().Say("cli.account", "name", a.Name), a.State, p.ago(a.LastDelivered), p.stdout.Speech().Tell(a.Reason))
		p.below(p.stdout.Speech().Tell(a.NextTryMessage(time.Now())))
		p.below(p.stdout.Speech().Tell(a.Note))
		if a.Unresolved > 0 {
			p.stdout.Say("cli.unresolved", "n", a.Unresolved)
		}
		if p.stdout.Speech().Message(a.Hint) != s.Hint {
			p.hintBelow(a.Hint)
		}
		if a.Counts != nil {
			p.stdout.Printf("    ")
			p.sayCounts(*a.Counts)
		}
	}
	if len(s.Sources) > 0 {
		p.saySources(s.Sources)
	}
	if s.Version != version {
		p.stdout.Say("cli.otherVersion", "runs", s.Version, "this", version, "command", service.Command(p.choice.System, "service restart"))
	}
}

// sayCounts prints how many entries are in the states that matter to the user.
func (p *program) sayCounts(n entry.Counts) {
	p.stdout.Say("cli.counts", "waiting", n.Pending+n.Sending, "held", n.Held, "doubt", n.InDoubt, "rejected", n.Rejected, "delivered", n.Delivered)
}

// sayState prints an account or source with its state and last use, and a text below it.
func (p *program) sayState(name string, state account.State, last, below string) {
	p.stdout.Printf("%-32s %-10s %s\n", name, p.stdout.Speech().Say("cli.is."+string(state)), last)
	p.below(below)
}

// below prints a text below an account or source.
func (p *program) below(text string) {
	if text != "" {
		p.stdout.Printf("    %s\n", text)
	}
}

// hintBelow prints a hint below an account or source.
func (p *program) hintBelow(next viewing.Message) {
	if next.Code != "" {
		p.stdout.Printf("    ")
		p.stdout.Hint(next)
	}
}

// sayProblems prints each problem that no other problem causes.
func (p *program) sayProblems(problems []control.Problem) {
	roots := health.Roots(problems)
	if len(roots) == 0 {
		p.stdout.Say("health.well")
	}
	for _, problem := range roots {
		p.stdout.Printf("%s: %s\n  %s\n  %s\n", health.SeverityText(p.stdout.Speech(), problem.Severity), problem.Text, problem.Why, problem.Act.Text)
		if problem.Act.Command != nil {
			p.stdout.Printf("    %s\n", *problem.Act.Command)
		}
	}
}

// check returns the checked status of the instance, or of its queue if no daemon runs.
func check(ctx context.Context, o daemon.Options) (s control.Status, running bool, err error) {
	running, err = reach(ctx, o, daemon.OfflineExisting, func(ctl control.API) (err error) {
		s, err = ctl.Check(ctx)
		return err
	})
	if !running && errors.Is(err, &control.Fault{Code: control.CodeNotFound}) { // before the first run there is no queue
		err = nil
	}
	return s, running, err
}
