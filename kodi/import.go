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

// chunkSize is how many events of an import are committed at once.
const chunkSize = 200

var (
	errGuarded   = errors.New("most of what was watched has vanished from the library")
	errImporting = errors.New("an import is under way")
)

// Preview reads the library once and returns what an import would submit. It changes nothing. If
// the library cannot be read, the preview has the State and Problem, and the error has the cause.
func (i *Importer) Preview(ctx context.Context, o rule.PlanOptions) (Preview, error) {
	_, p, err := i.prepare(ctx, o, false)
	return p, err
}

// prepare reads the library and plans the import. If begin is set, it first commits new viewings
// and marks the import as running.
func (i *Importer) prepare(ctx context.Context, o rule.PlanOptions, begin bool) (plan *rule.Plan, p Preview, err error) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	defer i.fillProblem(&p, &err)
	defer recoverPanic(&err)
	if begin && i.Status().Importing {
		return nil, p, errImporting
	}
	snap, v, err := i.readAndDecide(ctx, true)
	if err == nil && begin {
		err = i.apply(ctx, snap, v)
	}
	if err != nil {
		return nil, p, err
	}
	plan, p, err = i.plan(ctx, i.memory.After(v), snap, o)
	if err == nil && begin {
		i.showImport(rule.Import{Total: plan.Len(), At: time.Now().UnixMilli()}, true)
	}
	return plan, p, err
}

// fillProblem replaces the preview by one with the problem, if there is an error.
func (i *Importer) fillProblem(p *Preview, err *error) {
	if *err != nil {
		*p = NewPreview()
		p.Userdata = i.path
		p.State, p.Problem, p.Hint = describeError(*err)
	}
}

// plan plans the import of a snapshot.
func (i *Importer) plan(ctx context.Context, memory *rule.Memory, snap library.Snapshot, o rule.PlanOptions) (*rule.Plan, Preview, error) {
	p := NewPreview()
	if memory.Meta.Guard.On {
		return nil, p, errGuarded
	}
	now := time.Now()
	plan := rule.NewPlan(memory, snap, now, i.environment(snap))
	recorded, err := i.options.Sink.Recorded(ctx, i.source, plan.Keys())
	if err != nil {
		return nil, p, fmt.Errorf("%w: load recorded viewings: %w", errStorage, err)
	}
	plan.Select(recorded, o)
	p.Userdata, p.Database, p.Version, p.State = i.path, snap.Path, snap.Version, StateOK
	p.LeftOut = plan.LeftOut
	if n, ok := i.library.(*nfoReader); ok {
		p.Before += n.read.Undated
		p.Unreadable = n.read.Unreadable
	}
	for _, v := range slices.Backward(plan.Viewings()) {
		outcomes := make([]Outcome, len(v.Media))
		for n, m := range v.Media {
			outcomes[n] = i.options.Account.Predict(i.source, v, m, now)
		}
		p.count(v, outcomes)
	}
	return plan, p, nil
}

// Import submits viewings from before the first read that were never submitted. It commits new
// viewings as usual, then the past in chunks, each together with the state of its files. If it is
// interrupted, the next import continues with the rest. The returned preview describes the whole
// plan, even if the import was interrupted.
func (i *Importer) Import(ctx context.Context, o rule.PlanOptions) (Preview, error) {
	plan, p, err := i.prepare(ctx, o, true)
	if err != nil {
		return p, err
	}
	at := i.Status().Import
	defer func() { i.showImport(at, false) }()
	for {
		if at, err = i.importNextChunk(ctx, plan, at); err != nil || at.Done == at.Total {
			return p, err
		}
	}
}

// importNextChunk commits the next chunk of the plan and returns the progress.
func (i *Importer) importNextChunk(ctx context.Context, plan *rule.Plan, at rule.Import) (after rule.Import, err error) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	defer recoverPanic(&err)
	after = at
	if err := ctx.Err(); err != nil {
		return at, err
	}
	if err := i.load(ctx); err != nil { // a failed commit of another read clears the state
		return at, err
	}
	after.Done = min(at.Done+chunkSize, at.Total)
	v := plan.Verdict(i.memory, at.Done, after.Done, time.Now())
	if v.Meta.Import = after; after.Done == at.Total {
		v.Meta.Import = rule.Import{}
	}
	if err := i.commit(ctx, v); err != nil {
		return at, err
	}
	i.showImport(after, true)
	return after, nil
}

// showImport shows the progress of an import. The rest of an interrupted import is shown with
// the next read.
func (i *Importer) showImport(at rule.Import, running bool) {
	if !running && at.Done == at.Total {
		at = rule.Import{}
	}
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	i.status.Import, i.status.Importing = at, running
}
