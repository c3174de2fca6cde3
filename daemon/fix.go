package daemon

import (
	"cmp"
	"context"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/identify"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Fix implements [control.API].
func (d *core) Fix(ctx context.Context, f control.Fix) (out control.Fixed, err error) {
	x, err := d.explain(ctx, f.ID)
	if err != nil {
		return out, err
	}
	if err := queue.Correctable(x.Entry); err != nil {
		return out, queueFault(err)
	}
	m := *x.Entry.Media
	m.Season, m.Episode = cmp.Or(f.Season, m.Season), cmp.Or(f.Episode, m.Episode)
	x.Entry.Media = &m
	if err := identify.Fixable(x.Entry, f); err != nil {
		return out, err
	}
	out = control.Fixed{Entry: x.Entry, Candidates: []resolve.Candidate{}}
	if f.Is == nil {
		d.openIdentifier(ctx)
		m, err := identify.Meant(x.Entry, f.What)
		if err != nil {
			return out, err
		}
		out.Searched = m.Title != ""
		decision, trouble := d.identify(ctx, x.Entry.Account, resolve.Evidence{Media: m})
		out.Certain, out.Candidates, err = identify.Candidates(x.Entry, m, decision, trouble)
		return out, err
	}
	if f.Is.Type != resolve.ClueOf(*x.Entry.Media).Kind {
		return out, control.Invalid(ofEntry("fault.otherKind", f.ID), control.Command("filmspool queue edit %d --help", f.ID))
	}
	f.Is.Title = typed.Shortened(f.Is.Title)
	if out.Corrected, err = d.store.Correct(ctx, queue.Correcting{Entry: f.ID, Is: *f.Is, Season: f.Season, Episode: f.Episode, DryRun: f.DryRun}); err != nil {
		return out, queueFault(err)
	}
	x, err = d.explain(ctx, f.ID)
	out.Entry = x.Entry
	return out, err
}
