package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Changed tells what an order did, or would do.
func Changed(w *terminal.Printer, did entry.Changed) error {
	past := map[string]string{control.Retry: "Retried", control.Hold: "Held", control.Release: "Released", control.Settle: "Settled", control.Drop: "Dropped", control.Move: "Moved"}[did.Verb]
	switch {
	case did.Changed == 0:
		w.Printf("There is nothing to %s.\n", did.Verb)
	case did.DryRun:
		w.Printf("This would %s %s%s: %s.\n", did.Verb, Counted(did.Changed), fromStates(did.From), named(did))
	default:
		w.Printf("%s %s%s: %s.\n", past, Counted(did.Changed), fromStates(did.From), named(did))
	}
	for _, left := range []struct{ reason, says, next string }{
		{string(viewing.StateInDoubt), "in doubt, which the service may have already", "filmspool queue list --state in_doubt; to send them all the same: --may-double"},
		{viewing.ReasonUnresolved, "without an identifier", "filmspool queue edit ID --movie ID, or --show ID --season N --episode N"},
		{viewing.ReasonFuture, "with a time that lies ahead", "filmspool queue edit ID --watched-at TIME"},
		{"withdrawn", "that no filter dropped", "what you dropped yourself comes back by its id: filmspool queue release ID"},
	} {
		if n := did.Left[left.reason]; n > 0 {
			w.Printf("Left as they are: %s %s.\n", Counted(n), left.says)
			w.Hint(left.next)
		}
	}
	return nil
}

// Counted counts entries in words.
func Counted(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// fromStates tells the states that entries were in.
func fromStates(from map[viewing.State]int64) string {
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(from)) {
		parts = append(parts, fmt.Sprintf("%d %s", from[state], strings.ReplaceAll(string(state), "_", " ")))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// named lists the ids.
func named(did entry.Changed) string {
	var ids []string
	for _, id := range did.IDs {
		ids = append(ids, fmt.Sprint(id))
	}
	text := strings.Join(ids, ", ")
	if more := did.Changed - int64(len(did.IDs)); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Undone tells what became of a viewing that was to be taken back.
func Undone(w *terminal.Printer, did control.Undone) error {
	switch {
	case did.DryRun && did.Removed:
		w.Printf("This would take back the one viewing of %s that the service has.\n", did.Label())
	case did.Removed:
		w.Printf("Taken back: %s.\n", did.Label())
	default:
		w.Printf("The service has no viewing of %s any more: nothing was to be taken back.\n", did.Label())
	}
	return nil
}
