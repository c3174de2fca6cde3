package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
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
		e := queue.Entry{ID: 7, Kind: viewing.KindViewing, State: c.state, Reason: c.reason}
		if c.reason == viewing.ReasonFuture {
			e.WatchedAt.Instant = viewing.At(time.Now().Add(time.Hour))
		}
		why, hint := control.Advice(e)
		if speech := locale.In(""); why.Code == "" || !strings.Contains(speech.Message(hint), c.command) {
			t.Errorf("%s (%s): %q, %q; want %s", c.state, c.reason, why, hint, c.command)
		}
	}
	// Its time has come: the clock was behind, or it has waited.
	e := queue.Entry{ID: 7, Kind: viewing.KindViewing, State: viewing.StateHeld, Reason: viewing.ReasonFuture}
	if _, hint := control.Advice(e); !strings.Contains(locale.In("").Message(hint), "filmspool queue release 7") {
		t.Error(hint)
	}
}
