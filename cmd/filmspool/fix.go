package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// maxSearched bounds the words that somebody looks for, in bytes.
const maxSearched = 300

// fixing is one "fix" at work.
type fixing struct {
	*program
	control.Fix
	dryRun bool // nothing is changed
	choose int  // the candidate that --choose names; 0 for none
	yes    bool // no question is asked
	asJSON bool
}

func (p *program) fixCommand() *cobra.Command {
	f := fixing{program: p}
	c := &cobra.Command{
		Use: "fix ID NUMBER|ADDRESS|WORDS…", Short: "Say what film or series an entry is, for this and all that come",
		Args: func(c *cobra.Command, args []string) error {
			return usage.Exactly("ID", "NUMBER")(c, args[:min(len(args), 2)])
		},
		Long: `Says what the film, or the series of the episode, really is: a number of TMDB or
IMDb, an address there or at TVDB, or words to look for. What was held for want of
that, or was rejected, may leave then. Of an episode, season and number stay, unless
you give others: the others of its season are moved as far then.

It is remembered. All else that waits without a number and was told alike follows
at once, and so does what comes later; --dry-run shows what follows. What was
delivered stays. Where the source itself told a TMDB number, this entry alone is
changed.

Words are looked for at the service, and at TMDB where you have turned that on.`,
		Example: `  filmspool fix 12 603
  filmspool fix 12 "The Matrix (1999)"
  filmspool fix 12 Matrix --choose 2
  filmspool fix 12 https://www.themoviedb.org/tv/1396 --season 2 --episode 3`,
	}
	asJSON := jsonFlag(c)
	c.Flags().BoolVar(&f.Series, "series", false, "it is the series of the episode; so it is without this flag")
	season := c.Flags().Int("season", -1, "its season is this one, from 0 (specials)")
	episode := c.Flags().Int("episode", 0, "its number in the season is this one, from 1")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be changed, and change nothing")
	c.Flags().IntVar(&f.choose, "choose", 0, "of what the words find, it is this one, counted from 1")
	c.Flags().BoolVar(&f.yes, "yes", false, "take what the words certainly mean without a question")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		f.asJSON, f.What = *asJSON, strings.TrimSpace(strings.Join(args[1:], " "))
		if f.ID, err = entryID(args[0]); err != nil {
			return err
		}
		var at viewing.Media
		if err := placeFrom(&at, c.Flags().Changed, season, episode); err != nil {
			return err
		}
		f.Season, f.Episode = at.Season, at.Episode
		switch {
		case f.What == "":
			return usage.Errorf("NUMBER is empty; usage: %s", c.UseLine())
		case len(f.What) > maxSearched:
			return &typed.Error{Problem: fmt.Sprintf("that is longer than %d bytes", maxSearched), Next: "give a number, an address or a title"}
		case c.Flags().Changed("choose") && f.choose < 1:
			return usage.Errorf("--choose %d is not a number from 1", f.choose)
		}
		return f.do(c.Context())
	}
	return c
}

// do finds out what is meant, has a person choose where that is not certain, and
// then says it.
func (f *fixing) do(ctx context.Context) error {
	found, err := f.tell(ctx)
	if err != nil {
		return err
	}
	chosen, err := f.chosen(ctx, found)
	if err != nil {
		return err
	}
	f.Is, f.DryRun = &chosen, true
	done, err := f.tell(ctx)
	if err == nil && !f.dryRun && f.confirm(ctx, done) {
		f.DryRun = false
		done, err = f.tell(ctx)
	}
	done.Candidates = found.Candidates
	switch {
	case err != nil:
		return err
	case f.asJSON:
		return f.stdout.JSON(done)
	default:
		return f.say(done)
	}
}

// tell tells the instance what is known so far.
func (f *fixing) tell(ctx context.Context) (out control.Fixed, err error) {
	err = f.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
		out, err = ctl.Fix(ctx, f.Fix)
		return err
	})
	var fault *control.Fault
	if errors.As(err, &fault) && fault.Code == control.CodeInvalid { // a mistake in what was typed
		err = misuse(fault)
	}
	return out, err
}

// chosen is the candidate that is meant.
func (f *fixing) chosen(ctx context.Context, found control.Fixed) (is resolve.Candidate, err error) {
	person := terminal.IsTerminal(f.stdin) && f.stdout.IsTerminal() && !f.asJSON
	n := len(found.Candidates)
	choice := &typed.Error{Next: fmt.Sprintf("filmspool fix %d %q --choose N, or filmspool fix %[1]d NUMBER", f.ID, f.What)}
	switch {
	case f.choose > n:
		choice.Problem = fmt.Sprintf("--choose %d: there are only %d to choose from", f.choose, n)
		return is, choice
	case f.choose > 0:
		return found.Candidates[f.choose-1], nil
	case found.Certain != nil && (!person || f.yes || !found.Searched):
		return *found.Certain, nil
	case f.asJSON:
		err = f.stdout.JSON(found)
	default:
		err = report.Candidates(f.stdout, found.Candidates)
	}
	choice.Problem = "it is not certain which one is meant; nothing is changed"
	if err != nil || !person {
		return is, cmp.Or[error](err, choice)
	}
	line := f.stderr.Line(ctx, f.stdin, fmt.Sprintf("Which one, 1 to %d?", n))
	i, err := strconv.Atoi(line)
	if err != nil || i < 1 || i > n {
		choice.Problem = fmt.Sprintf("%s is not a number from 1 to %d; nothing is changed", typed.Quoted(line), n)
		return is, choice
	}
	return found.Candidates[i-1], nil
}

// confirm shows a person what would follow, and asks whether it shall. Nobody is asked
// where nothing follows.
func (f *fixing) confirm(ctx context.Context, would control.Fixed) bool {
	person := terminal.IsTerminal(f.stdin) && f.stdout.IsTerminal() && !f.asJSON
	if !person || f.yes || would.AlsoChanged == 0 {
		return true
	}
	f.sayFollowing("Others that would follow", would)
	line := strings.ToLower(f.stderr.Line(ctx, f.stdin, "Change them all? [y/N]"))
	return line == "y" || line == "yes"
}

// sayFollowing lists the entries that follow.
func (f *fixing) sayFollowing(title string, done control.Fixed) {
	f.stdout.Printf("%s: %d.\n", title, done.AlsoChanged)
	for _, o := range done.Also {
		f.stdout.Printf("  entry %d: %s is %s\n", o.Entry, o.Was.Label(), o.Is.Label())
	}
}

// say tells what was done.
func (f *fixing) say(done control.Fixed) error {
	if f.DryRun {
		f.stdout.Println("Nothing is changed.")
	} else if err := f.sayEntry(done.Entry); err != nil {
		return err
	}
	switch r := done.Remembered; {
	case r != nil && f.DryRun:
		f.stdout.Printf("It would be remembered: what is told as %s is %s.\n", report.Told(r.Told), r.Is)
	case r != nil:
		f.stdout.Printf("Remembered: what is told as %s is %s.\n", report.Told(r.Told), r.Is)
		if done.Before != nil {
			f.stdout.Printf("Until now, it was %s.\n", done.Before)
		}
	default:
		f.stdout.Println("Nothing is remembered: what its source told of it is nothing to know others by.")
	}
	if done.AlsoChanged > 0 {
		f.sayFollowing("Others that follow", done)
	}
	return nil
}

func (p *program) rulesCommand() *cobra.Command {
	return group("rules", "See, test and forget what filmspool fix has remembered", p.rulesListCommand(), p.rulesRemoveCommand(), p.resolving(&cobra.Command{
		Use: "test", Short: "Say what films and episodes are, and which correction says so", Args: cobra.NoArgs,
		Long: `Does what filmspool identify does: it reads one item a line from standard input, as
JSON, and says of each what it is. Where a correction decides, it names that.`,
		Example: `  echo '{"kind":"movie","title":"The Matrix","year":1999}' | filmspool rules test --json`,
	}))
}

func (p *program) rulesListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List what you said that films and series are", Args: usage.Exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return ask(c.Context(), p, daemon.Existing, *asJSON, func(ctl control.API) ([]resolve.Correction, error) {
			return ctl.Corrections(c.Context())
		}, func(all []resolve.Correction) error { return report.Corrections(p.stdout, all) })
	}
	return c
}

func (p *program) rulesRemoveCommand() *cobra.Command {
	c := &cobra.Command{Use: "remove ID", Short: "Forget a correction; what it has changed stays", Args: usage.Exactly("ID")}
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return &typed.Error{Problem: typed.Quoted(args[0]) + " is not a correction's id, which is a number", Next: "filmspool rules list"}
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			if err := ctl.ForgetCorrection(c.Context(), id); err != nil {
				return err
			}
			p.stdout.Printf("Correction %d is forgotten. What it has changed stays.\n", id)
			return nil
		})
	}
	return c
}
