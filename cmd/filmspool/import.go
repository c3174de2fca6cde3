package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// importFiles imports history files.
func (p *program) importFiles(ctx context.Context, files []string) error {
	if err := oneOf("dates", p.given.dates, []string{control.DayFirst, control.MonthFirst}); err != nil {
		return err
	}
	if !p.given.dryRun && !p.given.yes && !terminal.IsTerminal(p.stdin) {
		return mistake("usage.importNeedsYes")
	}
	return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		for _, name := range files {
			if err := p.importFile(ctx, ctl, name); err != nil {
				return misuse(err)
			}
		}
		return nil
	})
}

// importFile imports one file after its preview. A file that is not imported is removed from the
// daemon.
func (p *program) importFile(ctx context.Context, ctl control.API, name string) error {
	content, err := os.Open(name)
	if err != nil {
		return control.Refused(viewing.Say("fault.noSuchFile", "file", typed.Quoted(name)).Because(viewing.Verbatim(err.Error())), viewing.Message{})
	}
	defer content.Close()
	if info, err := content.Stat(); err == nil {
		if err := control.TooLarge(info.Size()); err != nil {
			return err
		}
	}
	f, err := ctl.AddFile(ctx, filepath.Base(name), content)
	if err != nil {
		return err
	}
	id, agreed := f.ID, false
	if f, err = p.previewFile(ctx, ctl, id); err == nil && !p.given.dryRun {
		if agreed = f.Agreed || f.New == 0 || p.given.yes || p.confirm(ctx, "cli.importFile", "n", f.New); agreed {
			f, err = p.runImport(ctx, ctl, f)
		}
	}
	if !agreed || err != nil && control.FaultOf(err).Code == control.CodeInvalid {
		err = errors.Join(err, ctl.ForgetFile(context.WithoutCancel(ctx), id))
	}
	switch {
	case err != nil:
		return err
	case f.Problem.Code != "":
		return control.Refused(f.Problem, viewing.Message{})
	case p.given.json:
		return p.stdout.JSON(f.FilePreview)
	case agreed:
		p.stdout.Say("cli.fileImported", "n", f.New, "file", name)
		p.saySending(f.SendSeconds)
		if f.Unresolved+f.Held > 0 {
			p.stdout.Say("cli.fileReview", "n", f.Unresolved+f.Held)
		}
	}
	return nil
}

// previewFile prints a preview, and asks the user about what the file does not contain.
func (p *program) previewFile(ctx context.Context, ctl control.API, id string) (control.File, error) {
	order := control.FileOrder{ID: id, Dates: p.given.dates, Person: p.given.person}
	asks := !p.given.dryRun && terminal.IsTerminal(p.stdin)
	f, err := ctl.PreviewFile(ctx, order)
	if names := f.PeopleToChoose(); err == nil && names != nil && asks {
		order.Person = p.stderr.Ask(ctx, p.stdin, p.stdout.Speech().Say("cli.whose", "names", strings.Join(names, ", ")))
		f, err = ctl.PreviewFile(ctx, order)
	}
	if err == nil && f.AmbiguousDates > 0 && asks {
		order.Dates = control.MonthFirst
		if p.confirm(ctx, "cli.dayFirst", "n", f.AmbiguousDates) {
			order.Dates = control.DayFirst
		}
		f, err = ctl.PreviewFile(ctx, order)
	}
	if err == nil && !p.given.json {
		p.sayFile(f)
	}
	return f, err
}

// sayFile prints what an import would do, without zero counts.
func (p *program) sayFile(f control.File) {
	p.stdout.Say("cli.file", "file", f.Name, "format", f.Format, "n", f.Rows)
	for _, t := range f.Tallies() {
		p.sayCount(t.Key, t.N)
	}
	p.sayUnread(f.Unread)
}

// sayCount prints one count of a preview unless it is zero.
func (p *program) sayCount(key string, n int, values ...any) {
	if n > 0 {
		p.stdout.Printf("  %s\n", p.stdout.Speech().Say(key, append(values, "n", n)...))
	}
}

// sayUnread prints the services with an unreadable history.
func (p *program) sayUnread(services []control.KodiService) {
	for _, s := range services {
		if !s.Readable {
			p.stdout.Say("cli.unreadable", "account", s.Account, "why", p.stdout.Speech().Message(s.Reason))
		}
	}
}

// saySending prints how long the sending takes, unless it is 0.
func (p *program) saySending(seconds int64) {
	if seconds > 0 {
		p.stdout.Say("cli.importSends", "time", time.Duration(seconds)*time.Second)
	}
}

// maxTries is how often an interrupted import is awaited.
const maxTries = 3

// runImport imports a file and shows its progress.
func (p *program) runImport(ctx context.Context, ctl control.API, f control.File) (did control.File, err error) {
	say := func() { p.sayProgress(ctx, ctl, f.ID) }
	p.progress.Store(&say)
	defer p.progress.Store(nil)
	cut := func() bool { return err != nil && control.FaultOf(err).Code == control.CodeInternal }
	for tries := 0; tries == 0 || tries < maxTries && cut() && ctx.Err() == nil; tries++ {
		did, err = ctl.ImportFile(ctx, control.FileOrder{ID: f.ID, Wait: true}) // repeated after a reload
	}
	if cut() {
		err = control.Refused(viewing.Say("fault.importAway"), control.Command("filmspool import %s", strconv.Quote(f.Name)))
	}
	return did, err
}

// sayProgress prints the progress of a file's import.
func (p *program) sayProgress(ctx context.Context, ctl control.API, id string) {
	all, _ := ctl.Files(ctx)
	for _, f := range all {
		if left, rate := f.Remaining(time.Now()); f.ID == id && rate > 0 {
			p.stderr.Say("import.progress", "done", f.Done, "rows", f.Rows, "rate", rate, "time", left)
		}
	}
}
