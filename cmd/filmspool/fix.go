package main

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) fixCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "fix ID [WHAT]…", SuggestFor: []string{"edit", "correct", "rules", "settle", "resolve", "rename"},
		Example: `  filmspool fix 12 603
  filmspool fix 12 "The Matrix (1999)"
  filmspool fix 12 Breaking Bad S01E08
  filmspool fix 12 --watched-at "yesterday 20:15"`,
		ValidArgsFunction: p.completeIDs(entry.VerbFix),
	}
	f := fixing{program: p}
	flags := c.Flags()
	flags.IntVar(&f.choose, "choose", 0, "")
	flags.StringVar(&f.at, "watched-at", "", "")
	flags.StringVar(&f.account, "account", "", "")
	flags.BoolVar(&f.delivered, "delivered", false, "")
	list := flags.Bool("list", false, "")
	forget := flags.Int64("forget", 0, "")
	flags.BoolVar(&f.dryRun, "dry-run", false, "")
	flags.BoolVar(&f.yes, "yes", false, "")
	f.asJSON = jsonFlag(c)
	c.Args = func(c *cobra.Command, args []string) error {
		if *list || *forget != 0 {
			return nil
		}
		return p.fits(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		switch {
		case *list:
			return ask(c.Context(), p, daemon.Existing, *f.asJSON, func(ctl control.API) ([]resolve.Correction, error) {
				return ctl.Corrections(c.Context())
			}, p.sayCorrections)
		case *forget != 0:
			return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
				if err := ctl.ForgetCorrection(c.Context(), *forget); err != nil {
					return err
				}
				p.stdout.Say("cli.forgotten", "id", *forget)
				return nil
			})
		}
		if f.ID, err = entryID(args[0]); err != nil {
			return err
		}
		if f.What = strings.TrimSpace(strings.Join(args[1:], " ")); f.What != "" {
			return f.identity(c.Context())
		}
		return f.rest(c.Context())
	}
	return c
}

// fixing is one "fix" at work.
type fixing struct {
	*program
	control.Fix
	choose                 int // as the flags of that name
	at, account            string
	delivered, dryRun, yes bool
	asJSON                 *bool
}

// rest changes when an entry was watched, whose it is, or that it was delivered.
func (f *fixing) rest(ctx context.Context) error {
	o := entry.Order{Selection: entry.Selection{IDs: []int64{f.ID}}, DryRun: f.dryRun}
	switch {
	case f.delivered:
		o.Verb, o.As = entry.VerbSettle, viewing.StateDelivered
	case f.account != "":
		o.Verb, o.To = entry.VerbMove, f.account
	case f.at == "":
		return mistake("usage.noChange").next(control.Command("filmspool fix --help"))
	}
	return ask(ctx, f.program, daemon.Offline, *f.asJSON, func(ctl control.API) (after entry.Entry, err error) {
		if o.Verb == "" {
			at, err := endedAt(f.at)
			if err != nil {
				return after, inFlag("--watched-at", err)
			}
			return ctl.Edit(ctx, control.Edit{ID: f.ID, Edit: entry.Edit{WatchedAt: at, DryRun: f.dryRun}})
		}
		if _, err := ctl.Operate(ctx, o); err != nil {
			return after, err
		}
		x, err := ctl.Explain(ctx, f.ID)
		if f.dryRun {
			x.Account, x.State = cmp.Or(o.To, x.Account), cmp.Or(o.As, x.State)
		}
		return x.Entry, err
	}, f.sayFixed)
}

// sayFixed tells what an entry is after a change.
func (f *fixing) sayFixed(e entry.Entry) {
	if f.dryRun {
		f.stdout.Say("cli.unchanged")
	}
	title := f.label(e)
	if page := pageOf(e); page != "" && e.Media.Titled() {
		title += " (" + page + ")"
	}
	f.stdout.Say("cli.fixed", "title", title, "at", watched(e), "account", e.Account, "state", f.standing(e))
}

// identity finds out what is meant, has a person choose where that is not certain, shows
// what follows, and then says it.
func (f *fixing) identity(ctx context.Context) error {
	found, err := f.tell(ctx)
	if err != nil {
		return err
	}
	chosen := found.Certain
	if f.choose > 0 || chosen == nil || found.Searched && f.isPerson() && !f.yes && !*f.asJSON {
		chosen, err = choose(ctx, f.program, found.Candidates, shortened, f.choose, *f.asJSON)
	}
	if err != nil {
		if *f.asJSON {
			err = errors.Join(f.stdout.JSON(found), err)
		}
		return err
	}
	f.Is, f.DryRun = chosen, true
	done, err := f.tell(ctx)
	if err == nil && !f.dryRun && f.confirmed(ctx, done) {
		f.DryRun = false
		done, err = f.tell(ctx)
	}
	done.Candidates = found.Candidates
	switch {
	case err != nil:
		return err
	case *f.asJSON:
		return f.stdout.JSON(done)
	}
	if f.DryRun {
		f.stdout.Say("cli.unchanged")
		f.stdout.Println(*chosen)
	} else {
		f.sayFixed(done.Entry)
	}
	if r := done.Remembered; r != nil {
		f.stdout.Say("cli.remembered", "told", told(r.Told), "is", r.Is)
	}
	f.sayFollowing(done)
	return nil
}

// tell tells the instance what is known so far.
func (f *fixing) tell(ctx context.Context) (out control.Fixed, err error) {
	err = f.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
		out, err = ctl.Fix(ctx, f.Fix)
		return misuse(err)
	})
	return out, err
}

// choose has one of several chosen: by its number, counted from 1, or by a person who is
// asked. A quiet one prints no table.
func choose[T any](ctx context.Context, p *program, all []T, name func(T) string, number int, quiet bool) (*T, error) {
	unclear := mistake("usage.unclear").next(viewing.Say("hint.choose"))
	switch {
	case number > 0 && number <= len(all):
		return &all[number-1], nil
	case number != 0:
		return nil, mistake("usage.badChoice", "value", strconv.Itoa(number), "most", strconv.Itoa(len(all)))
	case quiet:
		return nil, unclear
	}
	t := p.stdout.Table(1, "n", "title")
	for i, c := range all {
		t.Row(i+1, name(c))
	}
	t.Flush()
	if !p.isPerson() {
		return nil, unclear
	}
	i, err := strconv.Atoi(p.stderr.Ask(ctx, p.stdin, p.stdout.Speech().Say("cli.which", "n", len(all))))
	if err != nil || i < 1 || i > len(all) {
		return nil, unclear
	}
	return &all[i-1], nil
}

// confirmed shows what else would change, and asks for a confirmation. It is
// true without a question where nothing else changes.
func (f *fixing) confirmed(ctx context.Context, would control.Fixed) bool {
	if !f.isPerson() || *f.asJSON || f.yes || would.AlsoChanged == 0 {
		return true
	}
	f.sayFollowing(would)
	return f.stderr.Agreed(ctx, f.stdin, f.stdout.Speech().Say("cli.changeAll"))
}

// mostFollowing is how many entries that follow are listed.
const mostFollowing = 10

// sayFollowing lists the entries that follow, or the first of many.
func (f *fixing) sayFollowing(done control.Fixed) {
	if done.AlsoChanged == 0 {
		return
	}
	f.stdout.Say("cli.following", "n", done.AlsoChanged)
	listed := done.Also[:min(len(done.Also), mostFollowing)]
	for _, o := range listed {
		f.stdout.Printf("  %d  %s → %s\n", o.Entry, f.stdout.Speech().Item(o.Was), f.stdout.Speech().Item(o.Is))
	}
	if more := int(done.AlsoChanged) - len(listed); more > 0 {
		f.stdout.Say("cli.followingMore", "n", more)
	}
}

// sayCorrections prints a table of what is remembered.
func (p *program) sayCorrections(all []resolve.Correction) {
	if len(all) == 0 {
		p.stdout.Say("cli.nothingRemembered")
		return
	}
	t := p.stdout.Table(1, "id", "told", "is", "since", "entries")
	for _, r := range all {
		t.Row(r.ID, told(r.Told), r.Is, r.Since.Local().Format(time.DateOnly), r.Entries)
	}
	t.Flush()
}

// told is what a source told of a film or series.
func told(c resolve.Clue) string {
	parts := []string{}
	if c.Title != "" {
		parts = append(parts, typed.Quoted(c.Title))
	}
	if c.Year > 0 {
		parts = append(parts, "("+strconv.Itoa(c.Year)+")")
	}
	if c.IDs.IMDB != "" {
		parts = append(parts, c.IDs.IMDB)
	}
	if c.IDs.TVDB > 0 {
		parts = append(parts, "TVDB "+strconv.FormatInt(c.IDs.TVDB, 10))
	}
	if c.Site != nil {
		parts = append(parts, c.Site.Name+" "+c.Site.Title+c.Site.Series)
	}
	return strings.Join(parts, " ")
}

// endedAt reads when a viewing ended.
func endedAt(text string) (viewing.Instant, error) {
	now := time.Now()
	t, err := typed.ParseTime(text, now)
	if err != nil {
		return viewing.Instant{}, err
	}
	return t.Instant(now), nil
}

// shortened is a candidate whose title is not too long for a line.
func shortened(c resolve.Candidate) string {
	c.Title = typed.Shortened(c.Title)
	return c.String()
}
