package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Add implements [control.API].
func (d *core) Add(ctx context.Context, v viewing.Event) (queue.Entry, error) {
	if e, err := d.wished(ctx, v); err != nil || e.ID != 0 {
		return e, err
	}
	outcomes, err := d.store.Commit(ctx, viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{v}})
	if err != nil {
		return queue.Entry{}, queueFault(err)
	}
	if len(outcomes) != 1 || len(outcomes[0].Entries) == 0 {
		return queue.Entry{}, control.Invalid(viewing.Say("fault.notAdded").Because(viewing.Said(outcomes[0].Reason)), viewing.Message{})
	}
	x, err := d.store.Explain(ctx, outcomes[0].Entries[0])
	return x.Entry, err
}

// wished is an entry that asks for the same wish or list already, where each of the
// accounts has one; its id is 0 for none. Viewings are never the same.
func (d *core) wished(ctx context.Context, v viewing.Event) (found queue.Entry, err error) {
	f := entry.Filter{Kind: v.Kind}
	switch {
	case v.Kind == viewing.KindWatchlist && len(v.Media) == 1:
		f.Item = v.Media[0].Key()
	case v.Kind == viewing.KindList && v.List != nil:
		f.Source = viewing.SourceCLI
	default:
		return found, nil
	}
	for _, f.Account = range (rules.Settings{Routes: d.o.Config.SourceRoutes()}).AccountsOf(viewing.SourceCLI) {
		all, err := d.List(ctx, f)
		if err != nil {
			return found, err
		}
		i := slices.IndexFunc(all, func(e queue.Entry) bool {
			if e.State == viewing.StateDropped || e.State == viewing.StateRejected {
				return false
			}
			if v.List != nil {
				return e.List != nil && e.List.Name == v.List.Name
			}
			return e.Media != nil && e.Media.Type == v.Media[0].Type && (f.Item != "" || e.Media.IDs.IMDB == v.Media[0].IDs.IMDB)
		})
		if i < 0 {
			return queue.Entry{}, nil
		}
		found = all[i]
	}
	return found, nil
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
		return control.NotFound(viewing.Say("fault.noCorrection", "id", fmt.Sprint(id)), control.Command("filmspool fix --list"))
	}
	return err
}
