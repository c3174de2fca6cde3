package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxSearched bounds the words that somebody looks for, in bytes.
const maxSearched = 300

// fixing is one "fix" at work.
type fixing struct {
	*program
	ask    control.Fix
	choose int  // the candidate that --choose names; 0 for none
	yes    bool // no question is asked
	asJSON bool
}

func (p *program) fixCommand() *cobra.Command {
	f := fixing{program: p}
	c := &cobra.Command{
		Use: "fix ID NUMBER|ADDRESS|WORDS…", Short: "Say what film or series an entry is, for this and all that come",
		Args: func(c *cobra.Command, args []string) error {
			return exactly("ID", "NUMBER")(c, args[:min(len(args), 2)])
		},
		Long: `Says what the film, or the series of the episode, really is: a number of TMDB or
IMDb, an address there or at TVDB, or words to look for. What was held for want of
that, or was rejected, may leave then. Of an episode, season and number stay.

It is remembered. All else that waits without a number and was told alike follows
at once, and so does what comes later. What was delivered stays. Where the source
itself told a TMDB number, this entry alone is changed.

Words are looked for at the service, and at TMDB where you have turned that on.`,
		Example: `  filmspool fix 12 603
  filmspool fix 12 https://www.themoviedb.org/tv/1396
  filmspool fix 12 "The Matrix (1999)"
  filmspool fix 12 Matrix --choose 2`,
	}
	asJSON := jsonFlag(c)
	c.Flags().BoolVar(&f.ask.Series, "series", false, "it is the series of the episode; so it is without this flag")
	c.Flags().IntVar(&f.choose, "choose", 0, "of what the words find, it is this one, counted from 1")
	c.Flags().BoolVar(&f.yes, "yes", false, "take what the words certainly mean without a question")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if f.ask.ID, err = entryID(args[0]); err != nil {
			return err
		}
		f.asJSON, f.ask.What = *asJSON, strings.TrimSpace(strings.Join(args[1:], " "))
		switch {
		case f.ask.What == "":
			return usage("NUMBER is empty; usage: %s", c.UseLine())
		case len(f.ask.What) > maxSearched:
			return &exitError{code: exitUsage, message: fmt.Sprintf("that is longer than %d bytes", maxSearched), hint: "give a number, an address or a title"}
		case c.Flags().Changed("choose") && f.choose < 1:
			return usage("--choose %d is not a number from 1", f.choose)
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error { return f.do(c.Context(), ctl) })
	}
	return c
}

// do finds out what is meant, and then says it.
func (f *fixing) do(ctx context.Context, ctl control.API) error {
	found, err := ctl.Fix(ctx, f.ask)
	if err != nil {
		return usageFault(err)
	}
	chosen, err := f.chosen(ctx, found)
	if err != nil {
		return err
	}
	f.ask.Is = &chosen
	done, err := ctl.Fix(ctx, f.ask)
	if err != nil {
		return usageFault(err)
	}
	done.Candidates = found.Candidates
	if f.asJSON {
		return printJSON(f.stdout, done)
	}
	return f.say(done)
}

// chosen is the candidate that is meant.
func (f *fixing) chosen(ctx context.Context, found control.Fixed) (is identity.Candidate, err error) {
	file, isFile := f.stdin.(*os.File)
	person := isFile && term.IsTerminal(int(file.Fd())) && f.onTerminal() && !f.asJSON
	switch n := len(found.Candidates); {
	case f.choose > n:
		return is, &exitError{
			code: exitUsage, message: fmt.Sprintf("--choose %d: there are only %d to choose from", f.choose, n), hint: f.typed("--choose N"),
		}
	case f.choose > 0:
		return found.Candidates[f.choose-1], nil
	case found.Certain != nil && (!person || f.yes || !found.Searched):
		return *found.Certain, nil
	case !person && f.asJSON:
		err = printJSON(f.stdout, found)
	default:
		err = f.list(found.Candidates)
	}
	if err != nil {
		return is, err
	}
	if !person {
		return is, &exitError{code: exitUsage, message: "it is not certain which one is meant; nothing is changed", hint: f.typed("--choose N")}
	}
	line, err := f.askLine(ctx, fmt.Sprintf("Which one, 1 to %d? ", len(found.Candidates)))
	if err != nil {
		return is, err
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > len(found.Candidates) {
		return is, usage("%q is not a number from 1 to %d; nothing is changed", shortened(line), len(found.Candidates))
	}
	return found.Candidates[n-1], nil
}

// usageFault is a mistake in what was typed, where the instance has found one.
func usageFault(err error) error {
	var fault *control.Fault
	if errors.As(err, &fault) && fault.Code == control.CodeInvalid {
		return &exitError{code: exitUsage, message: fault.Message, hint: fault.Hint}
	}
	return err
}

// typed is what to type with a choice.
func (f *fixing) typed(flag string) string {
	return fmt.Sprintf("filmspool fix %d %s %s, or filmspool fix %[1]d NUMBER", f.ask.ID, strconv.Quote(f.ask.What), flag)
}

// list prints candidates, numbered from 1.
func (f *fixing) list(all []identity.Candidate) error {
	t := f.stdout.table(2)
	t.Printf("N\tTMDB\tKIND\tYEAR\tTITLE\n")
	for i, c := range all {
		kind, year := "film", "-"
		if c.Type == viewing.TV {
			kind = "series"
		}
		if c.Year > 0 {
			year = strconv.Itoa(c.Year)
		}
		t.Printf("%d\t%d\t%s\t%s\t%s\n", i+1, c.TMDB, kind, year, shortened(c.Title))
	}
	return t.Flush()
}

// askLine asks a person at a terminal. When ctx ends, so does the question.
func (f *fixing) askLine(ctx context.Context, prompt string) (string, error) {
	f.stderr.Printf("%s", prompt)
	read := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(f.stdin).ReadString('\n') // an end is an empty answer
		read <- strings.TrimSpace(line)
	}()
	select {
	case line := <-read:
		return line, nil
	case <-ctx.Done():
		f.stderr.Printf("\n")
		return "", &exitError{code: exitFailed, message: "nothing was chosen; nothing is changed"}
	}
}

// say tells what was done.
func (f *fixing) say(done control.Fixed) error {
	if err := f.sayEntry(done.Entry, false, nil); err != nil {
		return err
	}
	r := done.Remembered
	if r == nil {
		f.stdout.Println("This entry alone is changed: what its source told of it is nothing to know others by.")
		return nil
	}
	f.stdout.Printf("Remembered: what is told as %s is %s.\n", told(r.Told), r.Is)
	if done.Before != nil {
		f.stdout.Printf("Until now, it was %s.\n", done.Before)
	}
	if done.AlsoChanged > 0 {
		f.stdout.Printf("Others that follow: %d.\n", done.AlsoChanged)
	}
	return nil
}

// told is what a source told of a film or series, in a person's words.
func told(c identity.Clue) string {
	var parts []string
	if c.Title != "" {
		parts = append(parts, strconv.Quote(shortened(c.Title)))
	}
	if c.Year > 0 {
		parts = append(parts, strconv.Itoa(c.Year))
	}
	if c.IDs.IMDB != "" {
		parts = append(parts, c.IDs.IMDB)
	}
	if c.IDs.TVDB > 0 {
		parts = append(parts, fmt.Sprintf("tvdb %d", c.IDs.TVDB))
	}
	kind := "film"
	if c.Kind == viewing.TV {
		kind = "series"
	}
	return kind + " " + strings.Join(parts, ", ")
}
