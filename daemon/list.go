package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Add implements [control.API].
func (d *core) Add(ctx context.Context, v viewing.Event) (queue.Entry, error) {
	outcomes, err := d.store.Commit(ctx, viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{v}})
	if err != nil {
		return queue.Entry{}, err
	}
	if len(outcomes) != 1 || len(outcomes[0].Entries) == 0 {
		return queue.Entry{}, control.Invalid(viewing.Say("fault.notAdded").Because(viewing.Said(outcomes[0].Reason)), viewing.Message{})
	}
	x, err := d.store.Explain(ctx, outcomes[0].Entries[0])
	return x.Entry, err
}

// List implements [control.API].
func (d *core) List(ctx context.Context, f entry.Filter) ([]queue.Entry, error) {
	list, limit := []queue.Entry{}, f.Limit
	for limit == 0 || len(list) < limit {
		f.Limit = maxPage
		if limit > 0 {
			f.Limit = min(limit-len(list), maxPage)
		}
		page, err := d.store.Entries(ctx, f)
		if err != nil {
			return nil, queueFault(err)
		}
		list = append(list, page...)
		if len(page) < f.Limit {
			break
		}
		last := page[len(page)-1].Place()
		if f.Past = last; !f.ByTime {
			f.Past, f.Below = entry.Place{}, last.ID
		}
	}
	return list, nil
}

// maxPage is how many entries the queue lists at once.
const maxPage = 1000

// Acknowledge implements [control.API].
func (d *core) Acknowledge(ctx context.Context, id int64) error {
	err := d.store.Acknowledge(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return control.NotFound(viewing.Say("fault.noNotice", "id", fmt.Sprint(id)), control.Command("filmspool status"))
	}
	return err
}

// Corrections implements [control.API].
func (d *core) Corrections(ctx context.Context) ([]resolve.Correction, error) {
	return d.store.Corrections(ctx)
}

// ForgetCorrection implements [control.API].
func (d *core) ForgetCorrection(ctx context.Context, id int64) error {
	err := d.store.ForgetCorrection(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return control.NotFound(viewing.Say("fault.noCorrection", "id", fmt.Sprint(id)), control.Command("filmspool rules list"))
	}
	return err
}
