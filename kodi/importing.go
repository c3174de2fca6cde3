package kodi

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
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
func (i *Importer) Preview(ctx context.Context, o ImportOptions) (Preview, error) {
	i.work.Lock()
	defer i.work.Unlock()
	v, snap, err := i.look(ctx, i.o.Read)
	if err != nil {
		return i.unreadable(err), err
	}
	after := &memory{meta: v.meta, files: maps.Clone(i.known.files)}
	maps.Copy(after.files, v.files)
	p, err := i.planOf(ctx, after, snap, o)
	if err != nil {
		return i.unreadable(err), err
	}
	return p.Preview, nil
}

// unreadable is the preview of a library that cannot be imported now.
func (i *Importer) unreadable(err error) Preview {
	p, c := newPreview(), complain(err)
	p.Userdata, p.State, p.Problem, p.Hint = i.o.Userdata, c.state, c.summary, c.hint
	return p
}

// planOf plans the import of a reading.
func (i *Importer) planOf(ctx context.Context, known *memory, snap snapshot.Snapshot, o ImportOptions) (*plan, error) {
	if known.meta.Guard.On {
		return nil, errGuarded
	}
	ledger, _ := i.o.Sink.(Ledger)
	o.foresee = i.o.Foresee
	p, err := makePlan(ctx, newReading(known, snap, time.Now(), i.around()), ledger, i.source, o)
	if err != nil {
		return nil, err
	}
	p.Userdata, p.Database, p.Version, p.State = i.o.Userdata, snap.Path, snap.Version, StateOK
	return p, nil
}

// Import hands over what was watched before first contact, as far as it was
// never handed over: first what is new is taken in as always, then the past in
// chunks, each durable together with what is known of its files. It may be
// ended at any moment; what it has done stays, and another import goes on with
// the rest. The preview tells what it set out to do, also with an error.
func (i *Importer) Import(ctx context.Context, o ImportOptions) (Preview, error) {
	p, err := i.beginImport(ctx, o)
	if err != nil {
		return i.unreadable(err), err
	}
	defer i.importing(false, Import{})
	for part := range slices.Chunk(p.plays, importChunk) {
		if err := i.importPart(ctx, p, part); err != nil {
			return p.Preview, err
		}
	}
	return p.Preview, i.endImport(ctx)
}

// beginImport takes in what is new and plans the rest.
func (i *Importer) beginImport(ctx context.Context, o ImportOptions) (*plan, error) {
	i.work.Lock()
	defer i.work.Unlock()
	if i.Status().Importing {
		return nil, errImporting
	}
	snap, err := i.read(ctx, i.o.Read)
	if err != nil {
		return nil, err
	}
	p, err := i.planOf(ctx, i.known, snap, o)
	if err != nil {
		return nil, err
	}
	p.progress = Import{Total: len(p.plays), At: time.Now().UnixMilli()}
	i.importing(true, p.progress)
	return p, nil
}

// importPart hands over a part of the plan. What is known of its files may
// have changed since the plan was made.
func (i *Importer) importPart(ctx context.Context, p *plan, part []*finding) error {
	i.work.Lock()
	defer i.work.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := i.load(ctx); err != nil { // a commit of another reading may have failed
		return err
	}
	p.progress.Done += len(part)
	v := p.verdict(i.known, part, time.Now())
	v.meta.Import = p.progress
	if p.progress.Done == p.progress.Total {
		v.meta.Import = Import{}
	}
	i.names = "" // those of the plan may have changed since
	if err := i.commit(ctx, v, time.Now()); err != nil {
		return err
	}
	i.importing(true, p.progress)
	return nil
}

// endImport forgets an earlier import that was cut short, when there was
// nothing left to do.
func (i *Importer) endImport(ctx context.Context) error {
	i.work.Lock()
	defer i.work.Unlock()
	if err := i.load(ctx); err != nil {
		return err
	}
	m := i.known.meta
	m.Import = Import{}
	if m == i.known.meta {
		return nil
	}
	return i.commit(ctx, verdict{meta: m}, time.Now())
}

// importing shows how far an import is; when it does not run, what is left of
// it is shown with the next reading.
func (i *Importer) importing(on bool, at Import) {
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Importing = on
	if on {
		i.status.Import = at
	} else if i.status.Import.Done == i.status.Import.Total {
		i.status.Import = Import{}
	}
}
