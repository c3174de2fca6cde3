package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// importKodi imports from Kodi, after a preview unless --yes is set.
func (p *program) importKodi(ctx context.Context, _ []string) (err error) {
	o := control.KodiImport{DryRun: p.given.dryRun, Yes: p.given.yes}
	if o.Since, err = moment("since", p.given.since); err != nil {
		return err
	}
	if p.given.nfo != "" {
		if o.NFO, err = filepath.Abs(p.given.nfo); err != nil {
			return err
		}
	}
	return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		did, err := p.previewAndImport(ctx, ctl, o)
		if err == nil && p.given.json {
			err = p.stdout.JSON(did)
		}
		if i := slices.IndexFunc(did.Libraries, func(l kodi.Preview) bool { return l.Problem.Code != "" }); i >= 0 && err == nil {
			l := did.Libraries[i]
			err = control.Refused(viewing.Say("fault.atLibrary", "path", l.Userdata).Because(l.Problem), l.Hint)
		}
		return misuse(err)
	})
}

// previewAndImport previews an import and, if confirmed, runs it.
func (p *program) previewAndImport(ctx context.Context, ctl control.API, o control.KodiImport) (did control.KodiImported, err error) {
	if o.DryRun || !o.Yes {
		preview := o
		preview.DryRun = true
		if did, err = ctl.ImportKodi(ctx, preview); err != nil {
			return did, err
		}
		if !p.given.json {
			p.sayKodiImport(did)
		}
		switch {
		case did.NeedsYes && !o.DryRun:
			return did, mistake("usage.importDoubles").next(viewing.Say("hint.importAnyway"))
		case o.DryRun || did.Plays() == 0 || terminal.IsTerminal(p.stdin) && !p.confirm(ctx, "cli.import", "n", did.Plays()):
			return did, nil
		}
	}
	did, err = ctl.ImportKodi(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		err = control.Refused(viewing.Say("fault.importCut"), viewing.Say("hint.importGoesOn"))
	case err == nil && !p.given.json:
		p.stdout.Say("cli.imported", "n", did.Plays())
		p.saySending(did.SendSeconds)
	}
	return did, err
}

// sayKodiImport prints what an import does, or would do, without zero counts.
func (p *program) sayKodiImport(did control.KodiImported) {
	if len(did.Libraries) == 0 {
		p.stdout.Say("cli.noLibraries")
	}
	for _, l := range did.Libraries {
		p.stdout.Printf("%s\n", l.Userdata)
		for _, t := range control.KodiTallies(l) {
			p.sayCount(t.Key, t.N, "why", p.stdout.Speech().Word("sources.why.", t.Reason))
		}
		for _, f := range slices.Concat(l.Sample, l.HeldSample) {
			at := watched(entry.Entry{WatchedAt: entry.Moment{Instant: viewing.At(f.WatchedAt)}, DayOnly: f.DayOnly})
			for _, m := range f.Media {
				p.stdout.Printf("    %s  %s  %s\n", at, p.stdout.Speech().Item(m), why(p.stdout.Speech(), f))
			}
		}
	}
	p.sayUnread(did.Services)
}

// why describes a viewing in a library and the reason why it would not be sent.
func why(s locale.Speech, f kodi.Found) string {
	text := s.Tell(f.Note)
	for _, m := range f.Steps {
		text += " " + s.Step(entry.Step{Code: m.Code, Args: m.Args, Cause: m.Cause})
	}
	return text
}
