package control

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// WaitingFor returns what a pending entry waits for. The account is checked first: a paused
// account sends nothing.
func WaitingFor(e entry.Explanation, a Account, now time.Time) (why, hint viewing.Message) {
	switch {
	case a.Local:
		return viewing.Say("why.local"), viewing.Message{}
	case a.State != account.OK:
		return a.Reason, a.Hint
	case e.Ahead.ID != 0:
		return viewing.Say("why.ahead", "id", fmt.Sprint(e.Ahead.ID), "state", string(e.Ahead.State)), Command("filmspool show %d", e.Ahead.ID)
	case e.NextAt.After(now):
		return viewing.Say("why.at", "at", entry.Time(e.NextAt)), Command("filmspool send %d", e.ID)
	default:
		return viewing.Say("why.pending"), viewing.Message{}
	}
}

// Advice returns the reason for an entry's state and the next step for the user. The catalogue
// has a text "told.hint.advice.CODE" for each "told.why.CODE" with a remedy.
func Advice(e entry.Entry) (why, hint viewing.Message) {
	code := string(e.State)
	switch e.State {
	case viewing.StatePending, viewing.StateSending, viewing.StateMerged:
		return viewing.Say("why." + code), viewing.Message{}
	case viewing.StateDropped:
		if entry.DroppedByRule(e.Reason) {
			code = "ignored"
		}
	case viewing.StateHeld:
		switch e.Reason {
		case viewing.ReasonUnresolved, viewing.ReasonContradicted, viewing.ReasonNoList, viewing.ReasonRestored, viewing.ReasonUser, viewing.ReasonBurst:
			code = e.Reason
		case viewing.ReasonFuture:
			if code = e.Reason; !e.WatchedAt.IsZero() && !e.WatchedAt.IsFuture(time.Now()) {
				code = "wasAhead"
			}
		}
	}
	return viewing.Say("why." + code), viewing.Say("advice."+code, "id", fmt.Sprint(e.ID), "reason", e.Reason)
}
