package kodi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
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
func (i *Importer) Preview(ctx context.Context, o rule.PlanOptions) (Preview, error) {
	_, p, err := i.prepare(ctx, o, false)
	return p, err
}

// prepare reads the library and plans the import. Where the import begins, it takes in
// what is new first.
func (i *Importer) prepare(ctx context.Context, o rule.PlanOptions, begin bool) (plan *rule.Plan, p Preview, err error) {
	i.work.Lock()
	defer i.work.Unlock()
	defer i.showUnread(&p, &err)
	defer contain(&err)
	if begin && i.Status().Importing {
		return nil, p, errImporting
	}
	snap, v, err := i.look(ctx, true)
	if err == nil && begin {
		err = i.take(ctx, snap, v)
	}
	if err != nil {
		return nil, p, err
	}
	plan, p, err = i.plan(ctx, i.known.After(v), snap, o)
	if err == nil && begin {
		i.showImport(rule.Import{Total: plan.Len(), At: time.Now().UnixMilli()}, true)
	}
	return plan, p, err
}

// showUnread makes the preview one of a library that cannot be imported now.
func (i *Importer) showUnread(p *Preview, err *error) {
	if *err != nil {
		*p = NewPreview()
		p.Userdata = i.path
		p.State, p.Problem, p.Hint = complain(*err)
	}
}

// plan plans the import of a reading.
func (i *Importer) plan(ctx context.Context, known *rule.Memory, snap library.Snapshot, o rule.PlanOptions) (*rule.Plan, Preview, error) {
	p := NewPreview()
	if known.Meta.Guard.On {
		return nil, p, errGuarded
	}
	now := time.Now()
	plan := rule.Remember(known, snap, now, i.environment(snap))
	recorded, err := i.o.Sink.Recorded(ctx, i.source, plan.Keys())
	if err != nil {
		return nil, p, fmt.Errorf("%w: ask what is recorded: %w", errStorage, err)
	}
	plan.Weigh(recorded, o)
	p.Userdata, p.Database, p.Version, p.State = i.path, snap.Path, snap.Version, StateOK
	p.LeftOut = plan.LeftOut
	if n, ok := i.library.(*nfoReader); ok {
		p.Before += n.read.Undated
		p.Unreadable = n.read.Unreadable
	}
	for _, v := range slices.Backward(plan.Viewings()) {
		outcomes := make([]Outcome, len(v.Media))
		for n, m := range v.Media {
			outcomes[n] = i.o.Account.Predict(i.source, v, m, now)
		}
		p.count(v, outcomes)
	}
	return plan, p, nil
}

// Import hands over what was watched before first contact, if it was
// never handed over: first what is new is taken in as always, then the past in
// chunks, each durable together with what is known of its files. It may be
// ended at any moment; what it has done stays, and another import goes on with
// the rest. The preview tells what it set out to do, also when that was cut short.
func (i *Importer) Import(ctx context.Context, o rule.PlanOptions) (Preview, error) {
	plan, p, err := i.prepare(ctx, o, true)
	if err != nil {
		return p, err
	}
	at := i.Status().Import
	defer func() { i.showImport(at, false) }()
	for {
		if at, err = i.importPart(ctx, plan, at); err != nil || at.Done == at.Total {
			return p, err
		}
	}
}

// importPart hands over the next chunk of the plan, and tells how far the import
// is then.
func (i *Importer) importPart(ctx context.Context, plan *rule.Plan, at rule.Import) (after rule.Import, err error) {
	i.work.Lock()
	defer i.work.Unlock()
	defer contain(&err)
	after = at
	if err := ctx.Err(); err != nil {
		return at, err
	}
	if err := i.load(ctx); err != nil { // a commit of another reading may have failed
		return at, err
	}
	after.Done = min(at.Done+importChunk, at.Total)
	v := plan.Verdict(i.known, at.Done, after.Done, time.Now())
	if v.Meta.Import = after; after.Done == at.Total {
		v.Meta.Import = rule.Import{}
	}
	if err := i.commit(ctx, v); err != nil {
		return at, err
	}
	i.showImport(after, true)
	return after, nil
}

// showImport shows how far an import is. What is left of one that was cut short is shown
// with the next reading.
func (i *Importer) showImport(at rule.Import, running bool) {
	if !running && at.Done == at.Total {
		at = rule.Import{}
	}
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Import, i.status.Importing = at, running
}
