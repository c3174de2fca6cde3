package daemon

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// An entry that a person has to decide about names the command for it.
func TestADeadEndNamesItsWayOut(t *testing.T) {
	for _, c := range []struct {
		state           viewing.State
		reason, command string
	}{
		{"in_doubt", "", "filmspool queue settle 7 --as delivered"},
		{"rejected", "", "filmspool queue edit 7"},
		{"delivered", "", "filmspool queue undo 7"},
		{"held", viewing.ReasonUnresolved, "filmspool queue edit 7"},
		{"held", viewing.ReasonBulk, "filmspool queue release 7"},
		{"held", viewing.ReasonUser, "filmspool queue release 7"},
		{"held", viewing.ReasonFuture, "filmspool queue edit 7"},
		{"dropped", viewing.ReasonFiltered, "filmspool queue release 7"},
		{"dropped", "", "filmspool queue release 7"}, // by a person
	} {
		why, hint := control.Advice(queue.Entry{ID: 7, State: c.state, Reason: c.reason})
		if why == "" || !strings.Contains(hint, c.command) {
			t.Errorf("%s (%s): %q, %q; want %s", c.state, c.reason, why, hint, c.command)
		}
	}
}
