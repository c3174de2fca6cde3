package replay

import (
	"context"
	"fmt"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A service may take no items of lists. That is learned from the first one,
// believed for a day, and no reason to wait: they are dropped, and say why.

const noItems = "The service takes no items of lists."

// lacksItems drops an item of a list without asking a service that is known to
// take none.
func (f flight) lacksItems(ctx context.Context) (bool, error) {
	if f.entry.Kind != viewing.KindListItem {
		return false, nil
	}
	w, err := waysOf(ctx, f.run.outbox, f.run.account)
	if err != nil || w.may(SupportItems) {
		return false, err
	}
	f.settle(queue.Settlement{Entry: f.entry.ID, State: viewing.StateDropped, Reason: noItems})
	return true, nil
}

// learnItems takes from the answer to an item of a list whether the service
// takes any. A service that has taken some before means this list, and one that
// refuses the key here and nowhere else has no such operation for it.
func (f flight) learnItems(v tracker.Verdict) tracker.Verdict {
	r := f.run
	if v.Fate == tracker.Refused && f.service.Probe(r.spans.request).Fate == tracker.Delivered {
		v.Fate, v.Problem, v.Hint = tracker.Lacking, noItems, ""
	}
	if v.Fate != tracker.Lacking && v.Fate != tracker.Delivered {
		return v
	}
	w, err := waysOf(r.spans.write, r.outbox, r.account)
	if err != nil {
		r.log.Debug("not kept whether the service takes items of lists", "error", err)
		return v
	}
	if v.Fate == tracker.Lacking && w.account.Support[SupportItems].Has {
		v.Fate = tracker.Rejected
		v.Problem = fmt.Sprintf("The service has no such list any more (%d).", v.Status)
		return v
	}
	var missing error
	if v.Fate == tracker.Lacking {
		missing = tracker.ErrNoEndpoint
	}
	w.note(SupportItems, missing)
	if err := w.keep(r.spans.write); err != nil {
		r.log.Debug("not kept whether the service takes items of lists", "error", err)
	}
	return v
}
