package page

import (
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// In a diary without a service, entries that cannot be sent yet have no mark.
func TestMarksWithoutService(t *testing.T) {
	for _, c := range []struct {
		local  bool
		state  viewing.State
		reason string
		marked bool
	}{
		{true, viewing.StatePending, "", false},
		{true, viewing.StateHeld, viewing.ReasonUnresolved, false},
		{true, viewing.StateHeld, viewing.ReasonBurst, true},
		{false, viewing.StatePending, "", true},
		{false, viewing.StateHeld, viewing.ReasonUnresolved, true},
		{false, viewing.StateDelivered, "", false},
	} {
		v := &view{Speech: locale.In(locale.English)}
		v.Status.Accounts = []control.Account{{Name: viewing.DefaultAccount, Local: c.local}}
		e := entry.Entry{Account: viewing.DefaultAccount, Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie, Title: "Heat"}, State: c.state, Reason: c.reason}
		if mark := v.Item(e).Mark(); (mark != "") != c.marked {
			t.Errorf("local %v, %s %s: mark %q", c.local, c.state, c.reason, mark)
		}
	}
}
