package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) kodiImportCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "import", Short: "Hand over what was watched before filmspool came", Args: usage.Exactly(),
		Long: `Hands over what the Kodi libraries say was watched before filmspool first read
them. What this queue has ever recorded is left out, and so is what the service has
already, where it can be asked. It can be cut short at any moment: begun again, it goes
on with the rest. What is handed over leaves when nothing live is due.

Kodi keeps a count and the time of the last play alone. When the plays before that
ended, nobody knows: with --plays all they are handed over too, held, and each wants a
time from you (queue edit --watched-at) before it is released.`,
		Example: `  filmspool kodi import --dry-run
  filmspool kodi import --since 2024-01-01`,
	}
	f := c.Flags()
	o := control.KodiImport{}
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would be imported, and import nothing")
	f.BoolVar(&o.Yes, "yes", false, "ask nothing, also where the service cannot tell what it has already")
	f.StringVar(&o.Plays, "plays", control.PlaysOne, "one: the last play of each file; all: also those before it, held")
	since := f.String("since", "", "leave out what was watched before this day or time")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if *since != "" {
			if o.Since, err = moment("since", *since); err != nil {
				return err
			}
		}
		if err := usage.OneOf("plays", o.Plays, []string{control.PlaysOne, control.PlaysAll}); err != nil {
			return err
		}
		out := p.stdout
		if *asJSON {
			out = terminal.To(io.Discard)
		}
		did, err := p.importKodi(c.Context(), o, out)
		if err != nil {
			return err
		}
		if *asJSON {
			err = p.stdout.JSON(did)
		}
		if i := slices.IndexFunc(did.Libraries, func(l scan.Preview) bool { return l.Problem.Code != "" }); i >= 0 && err == nil {
			l := did.Libraries[i]
			return &control.Fault{Code: control.CodeRefused, Message: viewing.Say("fault.atLibrary", "path", l.Userdata).Because(l.Problem), Hint: l.Hint}
		}
		return err
	}
	return c
}

// importKodi imports, after a preview unless the user has said yes to
// everything, and tells of both in words.
func (p *program) importKodi(ctx context.Context, o control.KodiImport, out *terminal.Printer) (did control.KodiImported, err error) {
	if o.DryRun || !o.Yes {
		preview := o
		preview.DryRun = true
		if did, err = p.askKodi(ctx, preview); err != nil {
			return did, err
		}
		report.Past(out, did)
		if did.NeedsYes && !o.DryRun {
			return did, &typed.Error{
				Problem: "what the service has already would be there twice, and it cannot be asked: " + report.Unreadable(p.stdout, did),
				Next:    "look at filmspool kodi import --dry-run; to import all the same, add --yes",
			}
		}
		if o.DryRun || report.Plays(did) == 0 || !p.stderr.Agreed(p.stdin, fmt.Sprintf("Import %d viewings?", report.Plays(did))) {
			return did, nil
		}
	}
	if did, err = p.askKodi(ctx, o); err != nil {
		return did, cutShort(ctx, err)
	}
	if o.Yes {
		report.Past(out, did)
	}
	report.Imported(out, did)
	return did, nil
}

// cutShort is the error of an import that did not come to its end; one that
// was refused did not begin.
func cutShort(ctx context.Context, err error) error {
	var fault *control.Fault
	if ctx.Err() == nil && errors.As(err, &fault) && fault.Code != control.CodeInternal || errors.Is(err, sqlite.ErrLocked) {
		return err
	}
	return &exitError{
		code: exitFailed, message: "the import was cut short: " + err.Error(),
		hint: "what is on disk stays; filmspool kodi import goes on with the rest",
	}
}

// askKodi asks for an import or a preview, and tells on the standard error how
// far it is.
func (p *program) askKodi(ctx context.Context, o control.KodiImport) (did control.KodiImported, err error) {
	var reached atomic.Pointer[control.API]
	p.soFar = func(time.Duration) string { return imported(ctx, reached.Load()) }
	err = p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		reached.Store(&ctl)
		did, err = ctl.ImportKodi(ctx, o)
		return err
	})
	return did, err
}

// imported is how far the imports are that run; "" when that is not known.
func imported(ctx context.Context, ctl *control.API) string {
	if ctl == nil {
		return ""
	}
	all, err := ctl.KodiProgress(ctx)
	if err != nil {
		return "" // the import itself tells what is wrong
	}
	var far []string
	for _, i := range all {
		if i.Running {
			far = append(far, i.Userdata+": "+terminal.Far(int64(i.Done), int64(i.Total), "viewings", time.Since(i.StartedAt)))
		}
	}
	return strings.Join(far, "; ")
}
