package control

import (
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// WaitingFor is what a pending entry waits for. The account comes before the
// entry: nothing leaves a paused account.
func WaitingFor(e entry.Explanation, a Account, now time.Time) (why, hint string) {
	switch {
	case a.State == account.Paused:
		return paused(a), a.Hint
	case a.State != account.OK:
		return strings.TrimSpace(sentence(a.Reason) + " " + a.Again(now)), a.Hint
	case e.Ahead.ID != 0:
		return fmt.Sprintf("Entry %d comes first, and is %s.", e.Ahead.ID, e.Ahead.State.Words()), fmt.Sprintf("filmspool queue show %d", e.Ahead.ID)
	case e.NextAt.After(now):
		return fmt.Sprintf("It is sent at %s.", e.NextAt.Local().Format(time.DateTime)), fmt.Sprintf("filmspool queue retry %d", e.ID)
	default:
		return "It is sent in a moment.", ""
	}
}

// paused says of an account that it is paused, until when, and what is dropped.
func paused(a Account) string {
	says := "The account is paused"
	if a.PausedUntil != nil {
		says += " until " + a.PausedUntil.Local().Format("2006-01-02 15:04")
	}
	if a.Drops {
		says += ", and what is watched until then is dropped"
	}
	return says + "."
}

// sentence ends text with one full stop, unless it is a question.
func sentence(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return strings.TrimSuffix(text, ".") + "."
}

// Advice is what is known, and can be done, about an entry that does not wait
// for its turn.
func Advice(e entry.Entry) (why, hint string) {
	switch e.State {
	case viewing.StateSending:
		return "Its request is under way.", ""
	case viewing.StateDelivered:
		return "The service has it.", fmt.Sprintf("to take it back: filmspool queue undo %d", e.ID)
	case viewing.StateInDoubt:
		return "The service may have it. Filmspool looks there as far as the service shows its history.",
			fmt.Sprintf("if you find it there: filmspool queue settle %[1]d --as delivered; if not: filmspool queue retry %[1]d --may-double", e.ID)
	case viewing.StateRejected:
		return "The service does not take it as it is.",
			fmt.Sprintf("correct it: filmspool queue edit %[1]d; or send it as it is: filmspool queue retry %[1]d", e.ID)
	case viewing.StateHeld:
		return heldFor(e)
	case viewing.StateDropped:
		why = "It was taken out, and is not sent."
		if entry.Ignored(e.Reason) {
			why = "Your settings ignore it."
		}
		return why, fmt.Sprintf("to send it after all: filmspool queue release %d", e.ID)
	case viewing.StateMerged:
		return "Another entry tells of the same playback.", ""
	default:
		return "", ""
	}
}

// heldFor says why an entry is held, and who can let it go.
func heldFor(e entry.Entry) (why, hint string) {
	or := fmt.Sprintf("filmspool queue release %[1]d; or leave it out: filmspool queue drop %[1]d", e.ID)
	switch e.Reason {
	case viewing.ReasonUnresolved:
		return "It has no identifier that the service takes.", fmt.Sprintf("say what it is: filmspool queue edit %d --help", e.ID)
	case viewing.ReasonContradicted:
		return "TMDB contradicts the number that its source reported.", fmt.Sprintf("say what it is: filmspool fix %d --help; or send it as it is: filmspool queue release %[1]d", e.ID)
	case viewing.ReasonNoList:
		return "Its list is not known here.", fmt.Sprintf("filmspool queue drop %d", e.ID)
	case viewing.ReasonFuture:
		if !e.WatchedAt.Ahead(time.Now()) {
			return "Its time was ahead of this machine's clock when it was reported.", or
		}
		return "Its time lies in the future.", fmt.Sprintf("correct the time: filmspool queue edit %d --help", e.ID)
	case viewing.ReasonRestored:
		return "The queue comes from a copy or from a damaged file, so it may have been sent since.", or
	case viewing.ReasonUser:
		return "You hold it.", or
	case viewing.ReasonWave:
		return "More was told at once than a person can watch.", fmt.Sprintf("%s; or all that are held so: filmspool queue release --reason wave", or)
	case viewing.ReasonApprove, viewing.ReasonBulk, viewing.ReasonBackdated, viewing.ReasonReview:
		return "It waits for your decision.", fmt.Sprintf("%s; or all that are held so: filmspool queue release --reason %s", or, e.Reason)
	default:
		return "It waits for your decision.", or
	}
}
