package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Undo implements [control.API]. The service's DELETE names an item, not
// a viewing: it is asked for only when a whole reading shows one viewing of
// the item, and that is ours.
func (d *core) Undo(ctx context.Context, u control.Undo) (control.Undone, error) {
	x, err := d.store.Explain(ctx, u.ID)
	if err != nil {
		return control.Undone{}, queueFault(err)
	}
	e := x.Entry
	if e.State != viewing.StateDelivered {
		return control.Undone{}, queueFault(&queue.StateError{Verb: "undo", ID: u.ID, State: e.State, Reason: e.Reason})
	}
	if e.Kind != viewing.KindViewing {
		return control.Undone{}, control.Refused(undoing(u.ID, viewing.Say("fault.undoViewings")), viewing.Say("hint.takeAway"))
	}
	service, done, err := d.serviceOf(ctx, e.Account)
	if err != nil {
		return control.Undone{}, err
	}
	defer done()
	there, err := d.mayUndo(ctx, service, e)
	if err != nil {
		return control.Undone{}, err
	}
	out := control.Undone{Entry: e, DryRun: u.DryRun, Removed: there}
	if u.DryRun {
		return out, nil
	}
	if there {
		v := service.DeleteHistory(ctx, *e.Media)
		switch {
		case v.Fate == tracker.Delivered:
		case v.Status == http.StatusNotFound, v.Status == http.StatusMethodNotAllowed, v.Status == http.StatusNotImplemented:
			return control.Undone{}, cannotUndo(e, viewing.Say("fault.undoNothing"))
		case v.Fate == tracker.InDoubt:
			return control.Undone{}, cannotUndo(e, viewing.Say("fault.undoGone"))
		default:
			return control.Undone{}, cannotUndo(e, v.Problem)
		}
	}
	out.Entry, err = d.store.Undone(ctx, u.ID)
	return out, queueFault(err)
}

// mayUndo reports whether the entry's viewing is there and may be taken away;
// not there is as good as undone. Else the error says what stands against it.
func (d *core) mayUndo(ctx context.Context, service *tracker.Client, e queue.Entry) (there bool, err error) {
	account, err := d.store.Account(ctx, e.Account)
	if err != nil {
		return false, err
	}
	if e.SettledAt.Before(account.MovedAt) {
		return false, cannotUndo(e, viewing.Say("fault.undoMoved"))
	}
	claims, err := d.store.Claims(ctx, e.Account, []string{e.Media.Key()})
	if err != nil {
		return false, err
	}
	others := 0
	for _, claim := range claims {
		if claim.ID != e.ID && claim.State == viewing.StateDelivered {
			others++
		}
	}
	reading, err := service.AllHistory(ctx, e.Media.Type)
	if errors.Is(err, tracker.ErrNoEndpoint) {
		return false, cannotUndo(e, viewing.Say("fault.undoHidden"))
	}
	if v, ok := tracker.VerdictOf(err); ok {
		return false, cannotUndo(e, v.Problem)
	}
	if err != nil {
		return false, err
	}
	there, why := undoable(e, doubt.Precision(account.Keeps), reading, others)
	if why.Code != "" {
		return false, cannotUndo(e, why)
	}
	return there, nil
}

// undoable decides by a reading whether the one viewing of the entry's item
// is the entry's own; why says what stands against it. others counts further
// entries of ours about the item that were delivered.
func undoable(e queue.Entry, keeps doubt.Precision, r tracker.Reading, others int) (there bool, why viewing.Message) {
	var alike []string
	unclear, ours := 0, false
	for _, h := range r.Items {
		switch h.Of(*e.Media) {
		case tracker.Alike:
			alike = append(alike, h.WatchedAt.Local().Format(time.DateTime))
			ours = keeps.Same(h.WatchedAt, e.WatchedAt.Time())
		case tracker.Unclear:
			unclear++
		}
	}
	switch {
	case r.Bound:
		return false, viewing.Say("fault.undoLong")
	case !r.Complete:
		return false, viewing.Say("fault.undoChanged")
	case unclear > 0:
		return false, viewing.Say("fault.undoUnclear", "n", fmt.Sprint(unclear))
	case len(alike) > 1:
		return false, viewing.Say("fault.undoAll", "n", fmt.Sprint(len(alike)), "times", strings.Join(alike, ", "))
	case len(alike) == 1 && others > 0:
		return false, viewing.Say("fault.undoWhose")
	case len(alike) == 1 && !ours:
		return false, viewing.Say("fault.undoNotOurs", "at", alike[0])
	default:
		return len(alike) == 1, viewing.Message{}
	}
}

func cannotUndo(e queue.Entry, why viewing.Message) error {
	return control.Refused(undoing(e.ID, why), viewing.Say("hint.stillThere"))
}

func undoing(id int64, why viewing.Message) viewing.Message {
	return viewing.Say("fault.undo", "id", fmt.Sprint(id)).Because(why)
}
