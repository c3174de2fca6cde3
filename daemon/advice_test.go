package daemon

import (
	"errors"
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
		{"in_doubt", "", "filmspool fix 7 --delivered"},
		{"rejected", "", "filmspool fix 7 --help"},
		{"delivered", "", "filmspool undo 7"},
		{"held", viewing.ReasonUnresolved, "filmspool fix 7 --help"},
		{"held", viewing.ReasonBulk, "filmspool send 7"},
		{"held", viewing.ReasonUser, "filmspool send 7"},
		{"held", viewing.ReasonFuture, "filmspool fix 7 --help"},
		{"dropped", viewing.ReasonFiltered, "filmspool send 7"},
		{"dropped", "", "filmspool send 7"}, // by a person
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
	e.WatchedAt.Instant = viewing.At(time.Now().Add(-time.Hour))
	if _, hint := control.Advice(e); !strings.Contains(locale.In("").Message(hint), "filmspool send 7") {
		t.Error(hint)
	}
	// A verb that does not fit an entry names the same command, or leads to it.
	for state, want := range map[viewing.State]string{"delivered": "filmspool undo 7", "sending": "filmspool show 7", "pending": "filmspool show 7"} {
		err := queueFault(&queue.StateError{Verb: "hold", ID: 7, State: state})
		if f, ok := errors.AsType[*control.Fault](err); !ok || !strings.Contains(locale.In("").Message(f.Hint), want) {
			t.Errorf("%s: %+v", state, err)
		}
	}
}
