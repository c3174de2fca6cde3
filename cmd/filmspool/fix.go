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
		Use: "fix ID [WHAT]…", Short: "Say what an entry is, when it was watched, or whose it is", SuggestFor: []string{"edit", "correct", "rules", "settle"},
		Long: `WHAT is a number or address of TMDB or IMDb, an address of TVDB, or words of the title. It is
remembered: all that waits and was reported alike follows, and so does what comes later.`,
		Example: `  filmspool fix 12 603
  filmspool fix 12 "The Matrix (1999)"
  filmspool fix 12 themoviedb.org/tv/1396 --season 2 --episode 3
  filmspool fix 12 --watched-at "yesterday 20:15"`,
		ValidArgsFunction: p.completeIDs(entry.VerbFix),
	}
	f := fixing{program: p}
	flags := c.Flags()
	flags.IntVar(&f.season, "season", -1, "its season, from 0 (specials); others of that season move alike")
	flags.IntVar(&f.episode, "episode", 0, "its number in the season, from 1")
	flags.IntVar(&f.choose, "choose", 0, "of what the words find, it is this one, counted from 1")
	flags.StringVar(&f.at, "watched-at", "", `when it ended: 20:15, "yesterday 20:15", 2026-03-01`)
	flags.StringVar(&f.account, "account", "", "the account it belongs to")
	flags.BoolVar(&f.delivered, "delivered", false, "it was in doubt, and the service has it")
	list := flags.Bool("list", false, "list what is remembered")
	forget := flags.Int64("forget", 0, "forget what is remembered under this `number`; what it has changed stays")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be changed, and change nothing")
	flags.BoolVar(&f.yes, "yes", false, "ask nothing")
	f.asJSON = jsonFlag(c)
	c.Args = func(c *cobra.Command, args []string) error {
		if *list || *forget != 0 {
			return cobra.NoArgs(c, args)
		}
		return fits(c, args)
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
			return f.identity(c.Context(), flags.Changed)
		}
		return f.rest(c.Context())
	}
	return c
}

// fixing is one "fix" at work.
type fixing struct {
	*program
	control.Fix
	season, episode, choose int // as the flags of that name
	at, account             string
	delivered, dryRun, yes  bool
	asJSON                  *bool
}

// rest changes when an entry was watched, whose it is, or that it was delivered.
func (f *fixing) rest(ctx context.Context) error {
	o := control.Order{Selection: entry.Selection{IDs: []int64{f.ID}}, DryRun: f.dryRun}
	switch {
	case f.delivered:
		o.Verb, o.As = control.Settle, viewing.StateDelivered
	case f.account != "":
		o.Verb, o.To = control.Move, f.account
	case f.at == "":
		return &exitError{code: exitUsage, message: "nothing to change was given", hint: "filmspool fix --help"}
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
	title := e.Label()
	if item, _ := itemOf(e); item != "" && e.Media.Titled() {
		title += " (" + item + ")"
	}
	f.stdout.Say("cli.fixed", "title", title, "at", watched(e), "account", e.Account, "state", f.standing(e))
}

// identity finds out what is meant, has a person choose where that is not certain, shows
// what follows, and then says it.
func (f *fixing) identity(ctx context.Context, set func(string) bool) error {
	if set("season") {
		f.Season = &f.season
	}
	if set("episode") {
		f.Episode = &f.episode
	}
	if f.Season != nil && f.season < 0 || f.Episode != nil && f.episode < 1 {
		return mistake("--season is a number from 0, and --episode is one from 1")
	}
	found, err := f.tell(ctx)
	if err != nil {
		return err
	}
	by := choice{f.choose, found.Searched && f.isPerson() && !f.yes && !*f.asJSON, *f.asJSON}
	chosen, err := f.chosen(ctx, by, found.Certain, found.Candidates)
	if err != nil {
		if *f.asJSON {
			err = errors.Join(f.stdout.JSON(found), err)
		}
		return err
	}
	f.Is, f.DryRun = &chosen, true
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
		f.stdout.Println(chosen)
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

// choice is how it is said which candidate is meant.
type choice struct {
	number int  // by --choose, from 1; 0 for none
	ask    bool // a person is asked even where one is certain
	quiet  bool // nothing is printed but JSON
}

// chosen is the candidate that is meant: by its number, because it is certain, or by a
// person who is asked.
func (p *program) chosen(ctx context.Context, by choice, certain *resolve.Candidate, all []resolve.Candidate) (is resolve.Candidate, err error) {
	unclear := &exitError{code: exitUsage, message: "it is not certain which one is meant; nothing is changed", hint: "add --choose N, or give its number"}
	switch {
	case by.number > 0 && by.number <= len(all):
		return all[by.number-1], nil
	case by.number != 0:
		return is, mistake("--choose %d is not from 1 to %d", by.number, len(all))
	case certain != nil && !by.ask:
		return *certain, nil
	case by.quiet:
		return is, unclear
	}
	t := p.stdout.Table(1, "n", "title")
	for i, c := range all {
		c.Title = typed.Shortened(c.Title)
		t.Row(i+1, c)
	}
	t.Flush()
	if !p.isPerson() {
		return is, unclear
	}
	i, err := strconv.Atoi(p.stderr.Ask(ctx, p.stdin, p.stdout.Speech().Say("cli.which", "n", len(all))))
	if err != nil || i < 1 || i > len(all) {
		return is, unclear
	}
	return all[i-1], nil
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

// sayFollowing lists the entries that follow.
func (f *fixing) sayFollowing(done control.Fixed) {
	if done.AlsoChanged == 0 {
		return
	}
	f.stdout.Say("cli.following", "n", done.AlsoChanged)
	for _, o := range done.Also {
		f.stdout.Printf("  %d  %s → %s\n", o.Entry, o.Was.Label(), o.Is.Label())
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
		parts = append(parts, "tvdb "+strconv.FormatInt(c.IDs.TVDB, 10))
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
