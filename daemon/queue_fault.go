package daemon

import (
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// queueFault is an error of the queue in a person's words, with the command that does what
// may have been meant.
func queueFault(err error) error {
	var state *queue.StateError
	switch {
	case errors.As(err, &state):
		return &control.Fault{Code: control.CodeRefused, Message: err.Error(), Hint: hintFor(state)}
	case errors.Is(err, entry.ErrState):
		return &control.Fault{Code: control.CodeInvalid, Message: err.Error()}
	case errors.Is(err, entry.ErrNotFound):
		return &control.Fault{Code: control.CodeNotFound, Message: err.Error(), Hint: "filmspool queue list"}
	case errors.Is(err, entry.ErrSelection):
		return &control.Fault{Code: control.CodeInvalid, Message: err.Error(), Hint: "name ids, or filters, or --all"}
	default:
		return err
	}
}

// hintFor is the verb that fits an entry in its state.
func hintFor(e *queue.StateError) string {
	hint := ""
	switch e.State {
	case viewing.StateDelivered:
		hint = "filmspool queue undo %d"
	case viewing.StateSending:
		return "its request is under way: try again in a moment"
	case viewing.StateInDoubt:
		hint = "filmspool queue settle %d --as delivered, if you find it at the service"
		if e.Verb == control.Retry {
			hint += "; else: filmspool queue retry %[1]d --may-double"
		}
	case viewing.StateHeld:
		hint = "filmspool queue release %d"
		switch {
		case e.Verb == control.Move:
			hint = "filmspool queue show %d"
		case e.Verb == control.Release && e.Reason == viewing.ReasonFuture:
			hint = "filmspool queue edit %d --watched-at TIME"
		case e.Verb == control.Release:
			hint = "filmspool queue edit %d --movie ID, or --show ID --season N --episode N"
		}
	case viewing.StateRejected:
		hint = "filmspool queue retry %d"
	default:
		hint = "filmspool queue show %d"
	}
	return fmt.Sprintf(hint, e.ID)
}
