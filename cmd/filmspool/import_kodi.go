package main

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) importKodiCommand() *cobra.Command {
	c := &cobra.Command{Use: "kodi", Example: "  filmspool import kodi --dry-run\n  filmspool import kodi --since 2024-01-01\n  filmspool import kodi --nfo /srv/films --dry-run"}
	f := c.Flags()
	o := control.KodiImport{}
	f.BoolVar(&o.DryRun, "dry-run", false, "")
	f.BoolVar(&o.Yes, "yes", false, "")
	nfo := f.String("nfo", "", "")
	since := f.String("since", "", "")
	asJSON := c.Flags().Bool("json", false, "")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if o.Since, err = moment("since", *since); err != nil {
			return err
		}
		if *nfo != "" {
			if o.NFO, err = filepath.Abs(*nfo); err != nil {
				return err
			}
		}
		did, err := p.importKodi(c.Context(), o, *asJSON)
		if *asJSON && err == nil {
			err = p.stdout.JSON(did)
		}
		if i := slices.IndexFunc(did.Libraries, func(l kodi.Preview) bool { return l.Problem.Code != "" }); i >= 0 && err == nil {
			l := did.Libraries[i]
			return &control.Fault{Code: control.CodeRefused, Message: viewing.Say("fault.atLibrary", "path", l.Userdata).Because(l.Problem), Hint: l.Hint}
		}
		return err
	}
	return c
}

// importKodi imports, after a preview unless the user has said yes to everything.
func (p *program) importKodi(ctx context.Context, o control.KodiImport, quiet bool) (did control.KodiImported, err error) {
	handOver := func(o control.KodiImport) error {
		return p.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
			did, err = ctl.ImportKodi(ctx, o)
			return misuse(err)
		})
	}
	if o.DryRun || !o.Yes {
		preview := o
		preview.DryRun = true
		if err := handOver(preview); err != nil {
			return did, err
		}
		if !quiet {
			p.sayPast(did)
		}
		plays := did.Plays()
		switch {
		case did.NeedsYes && !o.DryRun:
			return did, mistake("usage.importDoubles").next(viewing.Say("hint.importAnyway"))
		case o.DryRun || plays == 0:
			return did, nil
		case terminal.IsTerminal(p.stdin) && !p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say("cli.import", "n", plays)):
			return did, nil
		}
	}
	if err := handOver(o); err != nil {
		if ctx.Err() != nil {
			err = control.Refused(viewing.Say("fault.importCut"), viewing.Say("hint.importGoesOn"))
		}
		return did, err
	}
	if !quiet {
		p.stdout.Say("cli.imported", "n", did.Plays())
		if did.SendSeconds > 0 {
			p.stdout.Say("cli.importSends", "time", time.Duration(did.SendSeconds)*time.Second)
		}
	}
	return did, nil
}

// sayPast tells what is, or would be, handed over. What is zero is not told.
func (p *program) sayPast(did control.KodiImported) {
	if len(did.Libraries) == 0 {
		p.stdout.Say("cli.noLibraries")
	}
	for _, l := range did.Libraries {
		p.stdout.Printf("%s\n", l.Userdata)
		count := func(key string, n int, values ...any) {
			if n > 0 {
				p.stdout.Printf("  %s\n", p.stdout.Speech().Say("cli.past."+key, append([]any{"n", n}, values...)...))
			}
		}
		count("films", l.Films)
		count("episodes", l.Episodes)
		for reason, n := range l.Held {
			count("held", n, "reason", p.stdout.Speech().Standing(viewing.StateHeld, reason))
		}
		for reason, n := range l.Ignored {
			count("ignored", n, "reason", p.stdout.Speech().Standing(viewing.StateDropped, reason))
		}
		count("unresolved", l.Unresolved)
		count("recorded", l.Recorded)
		count("atService", l.AtService)
		count("copies", l.Copies)
		count("before", l.Before)
		count("earlier", l.Earlier)
		count("unreadable", l.Unreadable)
		for _, f := range slices.Concat(l.Sample, l.HeldSample) {
			for _, m := range f.Media {
				p.stdout.Printf("    %s  %s  %s\n", terminal.Minute(f.WatchedAt), p.stdout.Speech().Item(m), why(p.stdout.Speech(), f))
			}
		}
	}
	for _, s := range did.Services {
		if !s.Readable {
			p.stdout.Say("cli.unreadable", "account", s.Account, "why", p.stdout.Speech().Message(s.Reason))
		}
	}
}

// why says what a library shows of a viewing, and why that would not be sent.
func why(s locale.Speech, f kodi.Found) string {
	text := s.Tell(f.Note)
	for _, m := range f.Steps {
		text += " " + s.Step(entry.Step{Code: m.Code, Args: m.Args, Cause: m.Cause})
	}
	return text
}
