package daemon

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// queueFault is an error of the queue in a person's words, with the command that does what
// may have been meant.
func queueFault(err error) error {
	var state *queue.StateError
	var missing entry.Missing
	switch {
	case errors.As(err, &state):
		return control.Refused(stateMessage(state), hintFor(state))
	case errors.Is(err, entry.ErrState), errors.Is(err, viewing.ErrInvalid):
		return control.Invalid(viewing.MessagesOf(err)[0], viewing.Message{})
	case errors.As(err, &missing):
		return control.NotFound(ofEntry("fault.noEntry", int64(missing)), control.Command("filmspool diary"))
	case errors.Is(err, entry.ErrSelection):
		return control.Invalid(viewing.Say("fault.noSelection"), viewing.Say("hint.select"))
	default:
		return err
	}
}

// stateMessage says why a verb does not fit an entry.
func stateMessage(e *queue.StateError) viewing.Message {
	m := viewing.Say("fault.locked", "verb", e.Verb, "id", strconv.FormatInt(e.ID, 10), "state", string(e.State))
	switch {
	case e.ID == 0:
		m.Code = "fault.lockedAll"
	case e.Why.Code != "":
		m.Code = "fault.lockedWhy"
		return m.Because(e.Why)
	case e.Reason != "":
		m.Code, m.Args["reason"] = "fault.lockedFor", e.Reason
	}
	return m
}

// hintFor is what to type for an entry in its state.
func hintFor(e *queue.StateError) viewing.Message {
	id := fmt.Sprint(e.ID)
	sent := e.Verb == control.Send || e.Verb == control.Retry || e.Verb == control.Release
	switch {
	case e.ID == 0: // filters have selected it
		return viewing.Message{}
	case e.State == viewing.StateDelivered:
		return control.Command("filmspool undo %d", e.ID)
	case e.State == viewing.StateSending:
		return viewing.Say("hint.underWay")
	case e.State == viewing.StateInDoubt && sent:
		return viewing.Say("hint.settleElse", "id", id)
	case e.State == viewing.StateInDoubt:
		return viewing.Say("hint.settleFound", "id", id)
	case e.State == viewing.StateHeld && sent && e.Reason == viewing.ReasonFuture:
		return control.Command("filmspool fix %d --watched-at TIME", e.ID)
	case e.State == viewing.StateHeld && sent:
		return viewing.Say("hint.editItem", "id", id)
	case e.State == viewing.StateHeld && e.Verb != control.Move, e.State == viewing.StateRejected:
		return control.Command("filmspool send %d", e.ID)
	default:
		return control.Command("filmspool show %d", e.ID)
	}
}
