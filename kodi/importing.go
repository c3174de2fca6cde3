package kodi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
)

// importChunk is how many events of an import become durable at once.
const importChunk = 200

var (
	errGuarded   = errors.New("most of what was watched has vanished from the library")
	errImporting = errors.New("an import is under way")
)

// Preview reads the library once and tells what an import would hand over; it
// changes nothing. When the library cannot be read, the preview says so in
// State and the error tells why.
func (i *Importer) Preview(ctx context.Context, o rule.PlanOptions) (p scan.Preview, err error) {
	i.work.Lock()
	defer i.work.Unlock()
	defer contain(&err)
	v, snap, err := i.look(ctx, i.all)
	if err != nil {
		return i.unreadable(err), err
	}
	_, p, err = i.plan(ctx, i.known.After(v), snap, o)
	if err != nil {
		return i.unreadable(err), err
	}
	return p, nil
}

// unreadable is the preview of a library that cannot be imported now.
func (i *Importer) unreadable(err error) scan.Preview {
	p, c := scan.NewPreview(), complain(err)
	p.Userdata, p.State, p.Problem, p.Hint = i.path, c.state, c.problem(), c.advice()
	return p
}

// plan plans the import of a reading.
func (i *Importer) plan(ctx context.Context, known *rule.Memory, snap library.Snapshot, o rule.PlanOptions) (*rule.Plan, scan.Preview, error) {
	if known.Meta.Guard.On {
		return nil, scan.Preview{}, errGuarded
	}
	now := time.Now()
	past := rule.Remember(known, snap, now, i.around(snap))
	heard, err := i.heard(ctx, past)
	if err != nil {
		return nil, scan.Preview{}, err
	}
	plan, p := past.Plan(heard, o), scan.NewPreview()
	p.Userdata, p.Database, p.Version, p.State = i.path, snap.Path, snap.Version, StateOK
	p.Earlier, p.Recorded, p.AtService, p.Copies, p.Before = plan.Earlier, plan.Recorded, plan.AtService, plan.Copies, plan.Before
	for _, v := range slices.Backward(plan.Viewings()) {
		p.Count(v, i.fates(v, now))
	}
	return plan, p, nil
}

// heard asks the queue about the past at once.
func (i *Importer) heard(ctx context.Context, past *rule.Past) (heard rule.Heard, err error) {
	ledger, ok := i.o.Sink.(Ledger)
	if !ok {
		return heard, nil
	}
	ids, keys := past.Questions()
	if heard.Taken, err = ledger.Taken(ctx, i.source, ids); err == nil {
		heard.Times, err = ledger.Recorded(ctx, i.source, keys)
	}
	if err != nil {
		return heard, fmt.Errorf("%w: ask what is recorded: %w", errStorage, err)
	}
	return heard, nil
}

// Import hands over what was watched before first contact, as far as it was
// never handed over: first what is new is taken in as always, then the past in
// chunks, each durable together with what is known of its files. It may be
// ended at any moment; what it has done stays, and another import goes on with
// the rest. The preview tells what it set out to do, also with an error.
func (i *Importer) Import(ctx context.Context, o rule.PlanOptions) (scan.Preview, error) {
	plan, p, err := i.beginImport(ctx, o)
	if err != nil {
		return i.unreadable(err), err
	}
	defer i.importing(false, rule.Import{})
	at := i.Status().Import
	for at.Done < at.Total {
		if at, err = i.importPart(ctx, plan, at); err != nil {
			return p, err
		}
	}
	return p, i.endImport(ctx)
}

// beginImport takes in what is new and plans the rest.
func (i *Importer) beginImport(ctx context.Context, o rule.PlanOptions) (plan *rule.Plan, p scan.Preview, err error) {
	i.work.Lock()
	defer i.work.Unlock()
	defer contain(&err)
	if i.Status().Importing {
		return nil, scan.Preview{}, errImporting
	}
	snap, err := i.read(ctx, i.all)
	if err != nil {
		return nil, scan.Preview{}, err
	}
	plan, p, err = i.plan(ctx, i.known, snap, o)
	if err != nil {
		return nil, scan.Preview{}, err
	}
	i.importing(true, rule.Import{Total: plan.Len(), At: time.Now().UnixMilli()})
	return plan, p, nil
}

// importPart hands over the next chunk of the plan, and tells how far the import
// is then.
func (i *Importer) importPart(ctx context.Context, plan *rule.Plan, at rule.Import) (rule.Import, error) {
	i.work.Lock()
	defer i.work.Unlock()
	if err := ctx.Err(); err != nil {
		return at, err
	}
	if err := i.load(ctx); err != nil { // a commit of another reading may have failed
		return at, err
	}
	from := at.Done
	at.Done = min(from+importChunk, at.Total)
	v := plan.Verdict(i.known, from, at.Done, time.Now())
	if v.Meta.Import = at; at.Done == at.Total {
		v.Meta.Import = rule.Import{}
	}
	if err := i.commit(ctx, v, time.Now()); err != nil {
		return at, err
	}
	i.importing(true, at)
	return at, nil
}

// endImport forgets an earlier import that was cut short, when there was
// nothing left to do.
func (i *Importer) endImport(ctx context.Context) error {
	i.work.Lock()
	defer i.work.Unlock()
	if err := i.load(ctx); err != nil {
		return err
	}
	m := i.known.Meta
	m.Import = rule.Import{}
	if m == i.known.Meta {
		return nil
	}
	return i.commit(ctx, rule.Verdict{Meta: m}, time.Now())
}

// importing shows how far an import is; when it does not run, what is left of
// it is shown with the next reading.
func (i *Importer) importing(on bool, at rule.Import) {
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Importing = on
	if on {
		i.status.Import = at
	} else if i.status.Import.Done == i.status.Import.Total {
		i.status.Import = rule.Import{}
	}
}
