package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/disk"
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
		if err := typed.OneOf("plays", o.Plays, []string{control.PlaysOne, control.PlaysAll}); err != nil {
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
		if i := slices.IndexFunc(did.Libraries, func(l scan.Preview) bool { return l.Problem != "" }); i >= 0 && err == nil {
			l := did.Libraries[i]
			return &exitError{code: exitFailed, message: l.Userdata + ": " + strings.TrimSuffix(l.Problem, "."), hint: l.Hint}
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
		sayPast(out, did)
		if did.NeedsYes && !o.DryRun {
			return did, &typed.Error{
				Problem: "what the service has already would be there twice, and it cannot be asked: " + unreadable(did),
				Next:    "look at filmspool kodi import --dry-run; to import all the same, add --yes",
			}
		}
		if o.DryRun || plays(did) == 0 || !p.stderr.Agreed(p.stdin, fmt.Sprintf("Import %d viewings?", plays(did))) {
			return did, nil
		}
	}
	if did, err = p.askKodi(ctx, o); err != nil {
		return did, cutShort(ctx, err)
	}
	if o.Yes {
		sayPast(out, did)
	}
	sayImportedPast(out, did)
	return did, nil
}

// cutShort is the error of an import that did not come to its end; one that
// was refused did not begin.
func cutShort(ctx context.Context, err error) error {
	var fault *control.Fault
	if ctx.Err() == nil && errors.As(err, &fault) && fault.Code != control.CodeInternal || errors.Is(err, disk.ErrLocked) {
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
	err = p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		ended := make(chan struct{})
		var telling sync.WaitGroup
		telling.Go(func() { tellProgress(ctx, p.stderr, ctl, ended) })
		did, err = ctl.ImportKodi(ctx, o)
		close(ended)
		telling.Wait()
		return err
	})
	return did, err
}

// tellProgress tells every second how far the imports are that run.
func tellProgress(ctx context.Context, w *terminal.Printer, ctl control.API, ended chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		all, err := ctl.KodiProgress(ctx)
		if err != nil {
			continue // the import itself tells what is wrong
		}
		for _, i := range all {
			if i.Running {
				w.Printf("%s: %d of %d on disk%s\n", i.Userdata, i.Done, i.Total, left(i, time.Now()))
			}
		}
	}
}

// left is how long an import still takes, as far as that can be told.
func left(i control.KodiProgress, now time.Time) string {
	if i.Done == 0 || now.Before(i.StartedAt) {
		return ""
	}
	rest := now.Sub(i.StartedAt) / time.Duration(i.Done) * time.Duration(i.Total-i.Done)
	return ", about " + rest.Round(time.Second).String() + " to go"
}

// plays is how many viewings are handed over.
func plays(did control.KodiImported) (n int) {
	for _, l := range did.Libraries {
		n += l.Plays()
	}
	return n
}

// unreadable names the services that cannot be asked.
func unreadable(did control.KodiImported) string {
	var all []string
	for _, s := range did.Services {
		if !s.Readable {
			all = append(all, "account "+s.Account+": "+s.Reason)
		}
	}
	return strings.Join(all, "; ")
}

// sayPast tells what is, or would be, handed over.
func sayPast(w *terminal.Printer, did control.KodiImported) {
	if len(did.Libraries) == 0 {
		w.Println("No library is configured. To add one, name its userdata folder under [[kodi.libraries]]; see: filmspool kodi libraries")
	}
	for _, l := range did.Libraries {
		w.Printf("%s  %s\n", l.Userdata, l.State)
		if l.Problem == "" {
			sayLibrary(w, l)
		}
	}
	for _, s := range did.Services {
		if s.Readable {
			w.Printf("account %s: its history was read; what it has is left out\n", s.Account)
		} else {
			w.Printf("account %s: it cannot be asked what it has already: %s\n", s.Account, s.Reason)
		}
	}
}

// sayImportedPast tells what follows.
func sayImportedPast(w *terminal.Printer, did control.KodiImported) {
	w.Printf("Imported: %d viewings are on disk.", plays(did))
	if did.SendSeconds > 0 {
		w.Printf(" They leave when nothing live is due, which takes about %v.", time.Duration(did.SendSeconds)*time.Second)
	}
	w.Println()
}

// sayLibrary tells of one library; what is zero is not told.
func sayLibrary(w *terminal.Printer, l scan.Preview) {
	w.Printf("  to send: %d films, %d episodes\n", l.Films, l.Episodes)
	for _, reason := range slices.Sorted(maps.Keys(l.Held)) {
		w.Printf("  held for you: %d, %s\n", l.Held[reason], heldFor(reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(l.Ignored)) {
		w.Printf("  ignored, and kept for the record: %d, %s\n", l.Ignored[reason], heldFor(reason))
	}
	for _, line := range []struct {
		n    int
		says string
	}{
		{l.Unresolved, "held for you: %d without an identifier that the service takes"},
		{l.Recorded, "left out: %d that filmspool has recorded before"},
		{l.AtService, "left out: %d that the service has"},
		{l.Copies, "left out: %d that are the same play of another file"},
		{l.Before, "left out: %d from before the date, or without a time"},
		{l.Earlier, "earlier plays, of which Kodi keeps no time: %d; --plays all hands them over, held"},
	} {
		if line.n > 0 {
			w.Printf("  "+line.says+"\n", line.n)
		}
	}
	sayFound(w, "the newest to send", l.Sample)
	sayFound(w, "the newest of the others", l.HeldSample)
}

// heldFor says in words why something is held, or ignored.
func heldFor(reason string) string {
	switch reason {
	case "bulk":
		return "marked or imported into Kodi in one act"
	case "backdated":
		return "without a time that can be true"
	case viewing.ReasonFuture:
		return "with a time that lies ahead"
	case "filter":
		return "by a filter of yours"
	default:
		return reason
	}
}
