package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// fileImport says how history files are imported.
type fileImport struct {
	dryRun, yes, json bool
	dates, person     string
}

func (p *program) importCommand() *cobra.Command {
	c := &cobra.Command{Use: "import FILE…", Example: "  filmspool import export-trakt.zip --dry-run\n  filmspool import NetflixViewingHistory.csv --dates day-first"}
	c.AddCommand(p.importKodiCommand())
	i := fileImport{}
	f := c.Flags()
	f.BoolVar(&i.dryRun, "dry-run", false, "")
	f.BoolVar(&i.yes, "yes", false, "")
	f.StringVar(&i.dates, "dates", "", "")
	f.StringVar(&i.person, "person", "", "")
	f.BoolVar(&i.json, "json", false, "")
	c.RunE = func(c *cobra.Command, files []string) error {
		if err := oneOf("dates", i.dates, []string{control.DayFirst, control.MonthFirst}); err != nil {
			return err
		}
		if !i.dryRun && !i.yes && !terminal.IsTerminal(p.stdin) {
			return mistake("usage.importNeedsYes")
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			for _, name := range files {
				if err := p.importFile(c.Context(), ctl, name, i); err != nil {
					return misuse(err)
				}
			}
			return nil
		})
	}
	return c
}

// importFile imports one file after its preview. What is not imported is forgotten.
func (p *program) importFile(ctx context.Context, ctl control.API, name string, i fileImport) error {
	content, err := os.Open(name)
	if err != nil {
		return control.Refused(viewing.Say("fault.noSuchFile", "file", typed.Quoted(name)).Because(viewing.Said(err.Error())), viewing.Message{})
	}
	defer content.Close()
	f, err := ctl.AddFile(ctx, filepath.Base(name), content)
	if err != nil {
		return err
	}
	agreed, f, err := p.previewFile(ctx, ctl, f, i)
	if err == nil && agreed {
		f, err = p.runImport(ctx, ctl, f)
	}
	if !agreed {
		err = errors.Join(err, ctl.ForgetFile(context.WithoutCancel(ctx), f.ID))
	}
	switch {
	case err != nil:
		return err
	case f.Problem.Code != "":
		return control.Refused(f.Problem, viewing.Message{})
	case i.json:
		return p.stdout.JSON(f.FilePreview)
	case agreed:
		p.stdout.Say("cli.fileImported", "n", f.New, "file", name)
		if f.SendSeconds > 0 {
			p.stdout.Say("cli.importSends", "time", time.Duration(f.SendSeconds)*time.Second)
		}
		if f.Unresolved+f.Held > 0 {
			p.stdout.Say("cli.fileReview", "n", f.Unresolved+f.Held)
		}
	}
	return nil
}

// previewFile shows what an import would do, and asks a person at a terminal what the file
// does not tell, and for a yes.
func (p *program) previewFile(ctx context.Context, ctl control.API, f control.File, i fileImport) (agreed bool, _ control.File, err error) {
	order := control.FileOrder{ID: f.ID, Dates: i.dates, Person: i.person}
	after, err := ctl.PreviewFile(ctx, order)
	if err != nil {
		return false, f, err
	}
	f = after
	if names := f.Whose(); names != nil && !i.dryRun {
		speech := p.stdout.Speech()
		if terminal.IsTerminal(p.stdin) {
			order.Person = p.stderr.Ask(ctx, p.stdin, speech.Say("cli.whose", "names", strings.Join(names, ", ")))
		}
		if order.Person == "" {
			return false, f, control.Invalid(viewing.Say("fault.severalPeople"), viewing.Say("hint.person", "names", strings.Join(names, ", ")))
		}
		if f, err = ctl.PreviewFile(ctx, order); err != nil {
			return false, after, err
		}
	}
	if f.AmbiguousDates > 0 && !i.dryRun {
		if !terminal.IsTerminal(p.stdin) {
			return false, f, control.Invalid(viewing.Say("fault.ambiguousDates"), viewing.Say("hint.dates"))
		}
		order.Dates = control.MonthFirst
		if p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say("cli.dayFirst", "n", f.AmbiguousDates)) {
			order.Dates = control.DayFirst
		}
		if f, err = ctl.PreviewFile(ctx, order); err != nil {
			return false, after, err
		}
	}
	if !i.json {
		p.sayFile(f)
	}
	if i.dryRun || f.Agreed { // somebody else imports it already
		return f.Agreed && !i.dryRun, f, nil
	}
	return f.New == 0 || i.yes || p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say("cli.importFile", "n", f.New)), f, nil
}

// sayFile tells what an import would do. What is zero is not told.
func (p *program) sayFile(f control.File) {
	p.stdout.Say("cli.file", "file", f.Name, "format", f.Format, "n", f.Rows)
	for _, t := range f.Tallies() {
		p.stdout.Printf("  %s\n", p.stdout.Speech().Say(t.Key, "n", t.N))
	}
	for _, s := range f.Unread {
		p.stdout.Say("cli.unreadable", "account", s.Account, "why", p.stdout.Speech().Message(s.Reason))
	}
}

// runImport imports a file and shows on a terminal how far that is.
func (p *program) runImport(ctx context.Context, ctl control.API, f control.File) (control.File, error) {
	if p.stderr.IsTerminal() {
		shown, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		defer func() { stop(); <-ended }()
		go func() {
			defer close(ended)
			p.showProgress(shown, ctl, f)
		}()
	}
	var did control.File
	err := error(nil)
	cut := func() bool { return err != nil && control.FaultOf(err).Code == control.CodeInternal }
	for tries := 0; tries == 0 || tries < maxTries && cut() && ctx.Err() == nil; tries++ {
		did, err = ctl.ImportFile(ctx, control.FileOrder{ID: f.ID, Wait: true}) // again after a reload
	}
	if cut() {
		err = control.Refused(viewing.Say("fault.importAway"), control.Command("filmspool import %s", strconv.Quote(f.Name)))
	}
	return did, err
}

// maxTries is how often an import is waited for that was cut.
const maxTries = 3

// progressTime is how often a terminal shows how far an import is.
const progressTime = time.Second

// showProgress shows how far an import is, until ctx ends.
func (p *program) showProgress(ctx context.Context, ctl control.API, f control.File) {
	tick := time.NewTicker(progressTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			p.stderr.Printf("\r%s\r", strings.Repeat(" ", 70))
			return
		case now := <-tick.C:
			all, _ := ctl.Files(ctx)
			for _, one := range all {
				if left, rate := one.Left(now); one.ID == f.ID && rate > 0 {
					p.stderr.Printf("\r%s ", p.stdout.Speech().Say("import.progress", "done", one.Done, "rows", one.Rows, "rate", rate, "time", left))
				}
			}
		}
	}
}
