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
		return control.Refused(viewing.MessagesOf(err)[0], hintFor(state))
	case errors.Is(err, entry.ErrState):
		return control.Invalid(viewing.MessagesOf(err)[0], viewing.Message{})
	case errors.Is(err, entry.ErrNotFound):
		return control.NotFound(viewing.MessagesOf(err)[0], control.Command("filmspool queue list"))
	case errors.Is(err, entry.ErrSelection):
		return control.Invalid(viewing.MessagesOf(err)[0], viewing.Say("hint.select"))
	default:
		return err
	}
}

// hintFor is what to type for an entry in its state.
func hintFor(e *queue.StateError) viewing.Message {
	id := fmt.Sprint(e.ID)
	switch {
	case e.State == viewing.StateDelivered:
		return control.Command("filmspool queue undo %d", e.ID)
	case e.State == viewing.StateSending:
		return viewing.Say("hint.underWay")
	case e.State == viewing.StateInDoubt && e.Verb == control.Retry:
		return viewing.Say("hint.settleElse", "id", id)
	case e.State == viewing.StateInDoubt:
		return viewing.Say("hint.settleFound", "id", id)
	case e.State == viewing.StateHeld && e.Verb == control.Release && e.Reason == viewing.ReasonFuture:
		return control.Command("filmspool queue edit %d --watched-at TIME", e.ID)
	case e.State == viewing.StateHeld && e.Verb == control.Release:
		return viewing.Say("hint.editItem", "id", id)
	case e.State == viewing.StateHeld && e.Verb != control.Move:
		return control.Command("filmspool queue release %d", e.ID)
	case e.State == viewing.StateRejected:
		return control.Command("filmspool queue retry %d", e.ID)
	default:
		return control.Command("filmspool queue show %d", e.ID)
	}
}
